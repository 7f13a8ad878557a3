"""What an operator sees of a running validator: progress, metrics and conditions, from what its parts tell."""

import time
from collections.abc import Callable, Mapping, Sequence

from compression_subnet.chain.port import Metagraph
from compression_subnet.errors import CompressionSubnetError, StoreError
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.ops import Conditions, Progress
from compression_subnet.scoring import Average
from compression_subnet.validator.rewarding.warmth import Warmth
from compression_subnet.validator.rewarding.weighting import Attempt
from compression_subnet.validator.rounds.results import RoundResult
from compression_subnet.validator.watching.metrics import ValidatorMetrics
from compression_subnet.validator.watching.observer import Phase
from compression_subnet.validator.watching.subnet_warnings import SubnetWarnings

__all__ = ["CONDITIONS", "Operations", "outcome_name"]

CONDITIONS = ("chain", "judge", "store", "warm")
"""What a validator that is ready has: a chain that answered last, a judge likewise, a record that can be written, and
averages that weights can be made of."""


class Operations:
    """An ``Observer``, and what is told of chain and judge besides.

    Args:
        hotkey: the validator's, in SS58.
        progress: what the watchdog looks at.
        metrics: what Prometheus reads.
        conditions: what ``/readyz`` shows; declared with ``CONDITIONS``.
        show: shows weights that were computed and not sent, in a dry run.
        now: in seconds since 1970.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        hotkey: str,
        progress: Progress,
        metrics: ValidatorMetrics,
        conditions: Conditions,
        *,
        show: Callable[[Attempt], None] | None = None,
        now: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._hotkey = hotkey
        self._warnings = SubnetWarnings(hotkey)
        self._progress = progress
        self._metrics = metrics
        self._conditions = conditions
        self._show = show
        self._now = now
        self._clock = clock
        self._asking_since = clock()
        self._failures = 0
        self._last_update: int | None = None
        metrics.silent.set_function(lambda: progress.silent_seconds)

    def entered(self, phase: Phase) -> None:
        """Take note of a phase."""
        self._progress.enter(phase)
        if phase is Phase.ASKING:
            self._asking_since = self._clock()
            # A round is begun by writing to the record.
            self._conditions.well("store")

    def scored_challenge(self) -> None:
        """Take note of a challenge."""
        self._progress.beat(Phase.ASKING)

    def finished_round(self, number: int, result: RoundResult, averages: Mapping[str, Average] | None) -> None:
        """Count a round."""
        self._progress.beat()
        self._metrics.count_round(number, result, self._now(), self._clock() - self._asking_since)
        if averages is not None:
            self._metrics.show_averages(averages)

    def found_warmth(self, warmth: Warmth) -> None:
        """Take note whether there is enough to make weights of."""
        if warmth.warm:
            self._conditions.well("warm")
        else:
            self._conditions.ill("warm", str(warmth))

    def set_weights(self, attempt: Attempt) -> None:
        """Count what became of weights, and show those that are not sent."""
        self._progress.beat()
        self._metrics.show_weights(outcome_name(attempt))
        if attempt.outcome is None and self._show is not None:
            self._show(attempt)

    def failed(self, error: CompressionSubnetError) -> None:
        """Count a step that failed."""
        self._failures += 1
        self._metrics.failed_in_a_row.set(self._failures)
        self._metrics.faults.labels("step", type(error).__name__).inc()
        if isinstance(error, StoreError):
            self._conditions.ill("store", str(error))
        self._progress.enter(Phase.RETRYING)

    def succeeded(self) -> None:
        """Take note that a step went well."""
        self._failures = 0
        self._metrics.failed_in_a_row.set(0)

    def chain_answered(self, answer: object) -> None:
        """Take note of an answer of the chain: a metagraph, a block's number, or any other."""
        self._progress.beat()
        self._conditions.well("chain")
        if isinstance(answer, Metagraph):
            me = answer.by_hotkey(self._hotkey)
            self._last_update = me.last_update if me is not None else None
            self._metrics.show_chain(answer.block, self._last_update)
            self._warnings.look(answer)

    def pool_has(self, ready: int) -> None:
        """Take note of how many challenges wait."""
        self._metrics.ready.set(ready)

    def chain_is_at(self, block: int) -> None:
        """Take note of the chain's newest block."""
        self._metrics.show_chain(block, self._last_update)

    def chain_failed(self, call: str, error: CompressionSubnetError) -> None:
        """Count a call that the chain did not answer in time, or with an error; that it ended is progress."""
        self._progress.beat()
        self._metrics.faults.labels("chain", call).inc()
        self._conditions.ill("chain", f"{call}: {error}")

    def judge_answered(self, phase: Phase, answers: Sequence[Answer]) -> None:
        """Take note of the judge's answers to one text, asked in ``phase``; the last text's tell of an outage."""
        self._progress.beat(phase)
        faults = [answer for answer in answers if answer.status is AnswerStatus.PROVIDER_FAULT]
        if answers and len(faults) == len(answers):
            self._conditions.ill("judge", faults[-1].detail or "the provider fails")
        elif answers:
            self._conditions.well("judge")


def outcome_name(attempt: Attempt) -> str:
    """Return the name of what became of weights: an outcome of the chain's, or why nothing was sent."""
    if attempt.outcome is not None:
        return type(attempt.outcome).__name__
    return "NotSent" if attempt.vector else "NothingToSet"
