"""The validator's metrics for Prometheus, in a registry of its own."""

import math
from collections import Counter as Tally
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from prometheus_client import CollectorRegistry, Counter, Gauge

from compression_subnet.judge.types import Answer, AnswerStatus, Usage
from compression_subnet.scoring import Average
from compression_subnet.transport import Failed, Replied
from compression_subnet.validator.rounds.results import ChallengeResult, Judged, RoundResult

__all__ = ["ValidatorMetrics"]

QUANTILES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_PREFIX: Final = "compression_subnet_validator"


class ValidatorMetrics:
    """What is counted, under ``compression_subnet_validator_*``. Counters begin at 0 with the process.

    Args:
        registry: where the metrics are registered; two validators in one process need two.
    """

    def __init__(self, registry: CollectorRegistry):
        def gauge(name: str, description: str, *labels: str) -> Gauge:
            return Gauge(f"{_PREFIX}_{name}", description, labels, registry=registry)

        def counter(name: str, description: str, *labels: str) -> Counter:
            return Counter(f"{_PREFIX}_{name}", description, labels, registry=registry)

        self.rounds = counter("rounds", "Rounds that were finished: counted or void", "status")
        self.round_number = gauge("round_number", "Number of the last finished round in the record")
        self.round_finished = gauge("round_finished_timestamp_seconds", "When the last round was finished")
        self.round_seconds = gauge("round_seconds", "How long asking and judging took in the last round")
        self.round_cost = gauge("round_cost", "What the last round's answers cost, in the prices' currency")
        self.cost = counter("cost", "What the answers of all rounds cost, in the prices' currency")
        self.tokens = counter("judge_tokens", "Tokens of the rounds' answers, as the provider counted", "kind")
        self.challenges = counter("challenges", "Challenges of the rounds: scored, unscored or cut", "status")
        self.asked = gauge("miners_asked", "Miners that were asked in the last round")
        self.replied = gauge("miners_replied", "Miners that sent a reply in the last round")
        self.verdicts = counter("verdicts", "Verdicts on replies", "reason")
        self.faults = counter("faults", "What went wrong: source is miner, judge, chain or step", "source", "kind")
        self.ready = gauge("challenges_ready", "Challenges in the pool that wait to be drawn")
        self.score = gauge("average_score", "Quantiles of the hotkeys' average scores", "quantile")
        self.averaged = gauge("hotkeys_averaged", "Hotkeys with an average")
        self.block = gauge("chain_block", "The newest block that the chain told")
        self.weights_block = gauge("weights_block", "Block at which this hotkey last set weights, as the chain has it")
        self.blocks_since = gauge("blocks_since_weights", "Blocks since then")
        self.weights = counter("weights", "Rounds by what became of their weights", "outcome")
        self.weights_outcome = gauge("weights_outcome", "1 for what became of the last round's weights", "outcome")
        self.failed_in_a_row = gauge("steps_failed_in_a_row", "Steps that have failed since one went well")
        self.silent = gauge("silent_seconds", "How long nothing has gone on; the watchdog ends the process by it")

    def count_round(self, number: int, result: RoundResult, now: float, seconds: float) -> None:
        """Count a finished round.

        Args:
            number: in the record.
            result: what it found.
            now: in seconds since 1970.
            seconds: how long asking and judging took.
        """
        self.rounds.labels("void" if result.void else "counted").inc()
        self.round_number.set(number)
        self.round_finished.set(now)
        self.round_seconds.set(seconds)
        self.round_cost.set(result.cost)
        self.cost.inc(result.cost)
        settled = sum(challenge.controls.settled for challenge in result.challenges)
        self.challenges.labels("scored").inc(settled)
        self.challenges.labels("unscored").inc(len(result.challenges) - settled)
        self.challenges.labels("cut").inc(result.cut)
        self._count_miners(result.challenges)
        self._count_answers(result.challenges)

    def show_averages(self, averages: Mapping[str, Average]) -> None:
        """Show where the averages of all hotkeys lie."""
        scores = [average.standing().score for average in averages.values()]
        self.averaged.set(len(scores))
        values = np.quantile(scores, QUANTILES) if scores else [math.nan] * len(QUANTILES)
        for quantile, value in zip(QUANTILES, values, strict=True):
            self.score.labels(f"{quantile:g}").set(float(value))

    def show_weights(self, outcome: str) -> None:
        """Show what became of a round's weights: the name of an outcome."""
        self.weights.labels(outcome).inc()
        self.weights_outcome.clear()
        self.weights_outcome.labels(outcome).set(1)

    def show_chain(self, block: int | None = None, last_update: int | None = None) -> None:
        """Show the chain's newest block, and the block of this hotkey's last weights, of which one may be unknown."""
        if block is not None:
            self.block.set(block)
        if last_update is not None:
            self.weights_block.set(last_update)
        if block is not None and last_update is not None:
            self.blocks_since.set(max(0, block - last_update))

    def _count_miners(self, challenges: Sequence[ChallengeResult]) -> None:
        miners = [miner for challenge in challenges for miner in challenge.miners]
        self.asked.set(len({miner.hotkey for miner in miners}))
        self.replied.set(len({miner.hotkey for miner in miners if isinstance(miner.outcome, Replied)}))
        for reason, count in Tally(miner.compliance.reason.value for miner in miners).items():
            self.verdicts.labels(reason).inc(count)
        failures = Tally(miner.outcome.reason.value for miner in miners if isinstance(miner.outcome, Failed))
        for kind, count in failures.items():
            self.faults.labels("miner", kind).inc(count)

    def _count_answers(self, challenges: Sequence[ChallengeResult]) -> None:
        usage = Usage()
        for challenge in challenges:
            controls = challenge.controls
            judged = [controls.ceiling, controls.floor, controls.baseline]
            judged += [miner.judged for miner in challenge.miners if miner.judged is not None]
            for answer in _answers(judged):
                usage += answer.usage
                if answer.status is not AnswerStatus.ANSWERED:
                    self.faults.labels("judge", answer.status.value).inc()
        self.tokens.labels("prompt").inc(usage.prompt_tokens)
        self.tokens.labels("cached").inc(usage.cached_tokens)
        self.tokens.labels("completion").inc(usage.completion_tokens)


def _answers(judged: Sequence[Judged]) -> list[Answer]:
    return [one.answer for texts in judged for one in texts.answers]
