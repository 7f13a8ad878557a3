"""The round: every miner gets the same challenges, and every reply is checked, judged and scored.

Nothing here keeps state, reads a clock or sets a weight: assignments go in, a ``RoundResult`` comes out.
"""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.judge.types import Answerer
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.scoring import Compliance, ComplianceCheck, Reason
from compression_subnet.scoring.controls import void_reason
from compression_subnet.text import Tokenizer
from compression_subnet.transport import Dendrite, Failure, Outcome, Replied, Target
from compression_subnet.validator.judging import judge_text
from compression_subnet.validator.results import (
    Assignment,
    ChallengeResult,
    Controls,
    Judged,
    MinerResult,
    RoundResult,
)

__all__ = ["Round", "RoundSettings"]

_REASONS: Final = {
    Failure.ADDRESS_REFUSED: Reason.MISSING,
    Failure.UNREACHABLE: Reason.MISSING,
    Failure.STATUS: Reason.MISSING,
    Failure.TIMEOUT: Reason.LATE,
    Failure.TOO_LARGE: Reason.TOO_LARGE,
    Failure.BAD_SIGNATURE: Reason.MALFORMED,
    Failure.MALFORMED: Reason.MALFORMED,
}


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
    """Runs rounds with the given dendrite, judge and tokenizer."""

    def __init__(
        self, dendrite: Dendrite, answerer: Answerer, tokenizer: Tokenizer, rng: random.Random, settings: RoundSettings
    ):
        self._dendrite = dendrite
        self._answerer = answerer
        self._tokenizer = tokenizer
        self._rng = rng
        self._settings = settings

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
        """
        results: list[ChallengeResult] = []
        queue = iter(assignments)

        async def work() -> None:
            for assignment in queue:
                result = await self._challenge(assignment, targets)
                results.append(result)
                finished(result)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._settings.parallel, len(assignments))):
                group.create_task(work())
        settled = [r for r in results if r.controls.settled]
        ceiling = [a.f1 for r in settled for a in r.controls.ceiling.answers]
        replies = sum(isinstance(m.outcome, Replied) for r in results for m in r.miners)
        return RoundResult(tuple(results), void_reason(ceiling, replies))

    async def _challenge(self, assignment: Assignment, targets: Sequence[Target]) -> ChallengeResult:
        challenge = assignment.challenge
        check = ComplianceCheck(challenge.text, assignment.level, self._tokenizer)
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
        verdicts = {hotkey: _verdict(check, outcome) for hotkey, outcome in outcomes.items()}
        baseline_text = head_truncation(challenge.text, TokenBudget(check.budget, self._tokenizer))
        controls = await self._controls(assignment, baseline_text)
        judged: dict[str, Judged] = {}
        if controls.settled:
            # Miners that reply alike share one judgement: the judge would say the same, and costs twice.
            texts = list(dict.fromkeys(v.text for v in verdicts.values() if v.ok))
            found = await asyncio.gather(*(judge_text(self._answerer, text, challenge.questions) for text in texts))
            judged = dict(zip(texts, found, strict=True))
        miners = tuple(
            MinerResult(hotkey, outcomes[hotkey], verdict, judged.get(verdict.text) if verdict.ok else None)
            for hotkey, verdict in verdicts.items()
        )
        return ChallengeResult(assignment, controls, miners)

    async def _controls(self, assignment: Assignment, baseline_text: str) -> Controls:
        questions = assignment.challenge.questions
        ceiling, floor, baseline = await asyncio.gather(
            judge_text(self._answerer, assignment.challenge.text, questions),
            judge_text(self._answerer, "", questions, need_support=False),
            judge_text(self._answerer, baseline_text, questions),
        )
        return Controls(ceiling, floor, baseline, baseline_text)


def _verdict(check: ComplianceCheck, outcome: Outcome) -> Compliance:
    if isinstance(outcome, Replied):
        return check(outcome.compressed_text)
    return check.refuse(_REASONS[outcome.reason])
