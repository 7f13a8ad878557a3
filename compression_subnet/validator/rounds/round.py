"""The round: miners get the same challenges, and every reply is checked, judged and scored.

Nothing here keeps state or sets a weight: assignments go in, a ``RoundResult`` comes out.
"""

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.types import Answerer
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.scoring.controls import void_reason
from compression_subnet.text import Tokenizer
from compression_subnet.transport import Dendrite, Replied, Target
from compression_subnet.validator.rounds.judging import Judges, score_challenge
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult, Request, RoundResult
from compression_subnet.validator.rounds.spending import RoundBudget, Spending

__all__ = ["Round", "RoundSettings", "round_result"]


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """How a round is run.

    Attributes:
        deadline: of one miner's reply, in seconds.
        concurrency: most miners asked at once, for each challenge.
        parallel: most challenges in work at once.
        jitter: most seconds that a request waits before it is sent.
    """

    deadline: float
    concurrency: int
    parallel: int
    jitter: float = 0.0


class Round:
    """Runs rounds.

    Args:
        dendrite: asks miners.
        answerer: the judge, which controls are always put to.
        tokenizer: the pinned one.
        rng: draws the order in which miners are asked.
        settings: how a round is run.
        replies: the judge for miners' replies, where a cache stands before it.
        spending: what it may cost; without, there is no bound.
        clock: seconds since 1970, for the record of what was asked when.
    """

    def __init__(
        self,
        dendrite: Dendrite,
        answerer: Answerer,
        tokenizer: Tokenizer,
        rng: random.Random,
        settings: RoundSettings,
        *,
        replies: Answerer | None = None,
        spending: Spending | None = None,
        clock: Callable[[], float] = time.time,
    ):
        self._dendrite = dendrite
        self._judges = Judges(controls=answerer, replies=answerer if replies is None else replies)
        self._tokenizer = tokenizer
        self._rng = rng
        self._settings = settings
        self._spending = spending
        self._clock = clock

    async def run(
        self,
        assignments: Sequence[Assignment],
        targets: Sequence[Target],
        finished: Callable[[ChallengeResult], None],
    ) -> RoundResult:
        """Ask each challenge of those whom it is for, and return what came of it.

        Args:
            assignments: challenges with their levels and with whom they are for, begun in this order.
            targets: the miners; one without an address counts as missing for what it would have been asked.
            finished: called with each challenge's result as soon as there is one, to record it.

        Raises:
            ConfigurationError: not even one challenge is sure to fit into the round's cost.
        """
        results: list[ChallengeResult] = []
        queue = iter(assignments)
        budget = self._budget(assignments, len(targets))
        cut = 0

        async def work() -> None:
            nonlocal cut
            for assignment in queue:
                # After the first that might not fit none is begun, however cheap: the levels' shares are to stay.
                if cut or (budget is not None and not await budget.admit(assignment)):
                    cut += 1
                    continue
                asked = [t for t in targets if assignment.asked is None or t.hotkey in assignment.asked]
                result = await self._challenge(assignment, asked)
                if budget is not None:
                    await budget.settle(result)
                results.append(result)
                finished(result)

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self._settings.parallel, len(assignments))):
                    group.create_task(work())
        except* Exception as errors:
            # Whoever calls knows errors, not groups of them; the first tells what there is to tell.
            raise errors.exceptions[0] from None
        return replace(round_result(results), cut=cut, cost=budget.spent if budget is not None else 0.0)

    def _budget(self, assignments: Sequence[Assignment], miners: int) -> RoundBudget | None:
        if self._spending is None:
            return None
        budget = RoundBudget(self._spending, miners)
        most = self._spending.max_cost
        dearest = max(assignments, key=budget.worst_case, default=None)
        if most is not None and dearest is not None and (cost := budget.worst_case(dearest)) > most:
            asked = miners if dearest.asked is None else len(dearest.asked)
            raise ConfigurationError(
                f"one challenge for {asked} miners may cost up to {cost:.4g}, more than judge.max_cost {most:g}; "
                "raise it, take shorter texts, or set neuron.miners_per_challenge"
            )
        return budget

    async def _challenge(self, assignment: Assignment, targets: Sequence[Target]) -> ChallengeResult:
        challenge = assignment.challenge
        request = CompressionSynapse.at_level(
            assignment.level,
            challenge_id=challenge.id,
            text=challenge.text,
            n_tokens=challenge.n_tokens,
            tokenizer=self._tokenizer.name,
            tokenizer_sha256=self._tokenizer.sha256,
            deadline_seconds=self._settings.deadline,
        )
        at, deadline = self._clock(), self._settings.deadline
        outcomes = await self._dendrite.ask_all(
            targets,
            request,
            self._settings.deadline,
            concurrency=self._settings.concurrency,
            rng=self._rng,
            jitter=self._settings.jitter,
        )
        result = await score_challenge(assignment, outcomes, self._judges, self._tokenizer)
        return replace(result, requests=tuple(Request(t.hotkey, t.uid, _address(t), at, deadline) for t in targets))


def _address(target: Target) -> str:
    """Return what the chain says, which need not be an address."""
    return "" if target.axon is None else f"{target.axon.ip} {target.axon.port}"


def round_result(challenges: Sequence[ChallengeResult]) -> RoundResult:
    """Return the round that ``challenges`` make: void where its controls say so."""
    ceiling = [a.f1 for r in challenges if r.controls.settled for a in r.controls.ceiling.answers]
    replies = sum(isinstance(m.outcome, Replied) for r in challenges for m in r.miners)
    return RoundResult(tuple(challenges), void_reason(ceiling, replies))
