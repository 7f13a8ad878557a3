"""The round: every miner gets the same challenges, and every reply is checked, judged and scored.

Nothing here keeps state, reads a clock or sets a weight: assignments go in, a ``RoundResult`` comes out.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.types import Answerer
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.scoring.controls import void_reason
from compression_subnet.text import Tokenizer
from compression_subnet.transport import Dendrite, Replied, Target
from compression_subnet.validator.judging import Judges, score_challenge
from compression_subnet.validator.results import Assignment, ChallengeResult, RoundResult
from compression_subnet.validator.spending import RoundBudget, Spending

__all__ = ["Round", "RoundSettings", "round_result"]


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """How a round is run.

    Attributes:
        deadline: of one miner's reply, in seconds.
        concurrency: most miners asked at once, for each challenge.
        parallel: most challenges in work at once.
    """

    deadline: float
    concurrency: int
    parallel: int


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
    ):
        self._dendrite = dendrite
        self._judges = Judges(controls=answerer, replies=answerer if replies is None else replies)
        self._tokenizer = tokenizer
        self._rng = rng
        self._settings = settings
        self._spending = spending

    async def run(
        self,
        assignments: Sequence[Assignment],
        targets: Sequence[Target],
        finished: Callable[[ChallengeResult], None],
    ) -> RoundResult:
        """Ask every target every challenge, and return what came of it.

        Args:
            assignments: challenges with their levels.
            targets: the miners; one without an address counts as missing.
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
                result = await self._challenge(assignment, targets)
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
        dearest = max(map(budget.worst_case, assignments), default=0.0)
        if most is not None and dearest > most:
            raise ConfigurationError(
                f"one challenge for {miners} miners may cost up to {dearest:.4g}, more than judge.max_cost {most:g}; "
                "raise it, or take shorter texts"
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
        outcomes = await self._dendrite.ask_all(
            targets,
            request,
            self._settings.deadline,
            concurrency=self._settings.concurrency,
            rng=self._rng,
        )
        return await score_challenge(assignment, outcomes, self._judges, self._tokenizer)


def round_result(challenges: Sequence[ChallengeResult]) -> RoundResult:
    """Return the round that ``challenges`` make: void where its controls say so."""
    ceiling = [a.f1 for r in challenges if r.controls.settled for a in r.controls.ceiling.answers]
    replies = sum(isinstance(m.outcome, Replied) for r in challenges for m in r.miners)
    return RoundResult(tuple(challenges), void_reason(ceiling, replies))
