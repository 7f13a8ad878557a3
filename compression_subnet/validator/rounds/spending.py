"""What a round may cost: no challenge is begun that might not fit, so that none is left half asked."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from loguru import logger

from compression_subnet.challenge.types import Question
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.endpoint import CallLimits
from compression_subnet.judge.prompt import Prompt, fence_for
from compression_subnet.judge.types import Usage
from compression_subnet.scoring import budget_tokens
from compression_subnet.text import Tokenizer
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult, Judged

__all__ = ["RoundBudget", "Spending", "usage_of"]

CHAT_FRAME_TOKENS: Final = 16
"""What a chat template puts around two messages."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What answers cost, and how much a round may.

    Attributes:
        prices: of tokens.
        max_cost: of one round's controls and replies; None is no bound.
        limits: bounds on calls.
        prompt: which every question is put in.
        tokenizer: counts the prompt.
    """

    prices: Prices
    max_cost: float | None
    limits: CallLimits
    prompt: Prompt
    tokenizer: Tokenizer

    def worst_case(self, assignment: Assignment, miners: int) -> float:
        """Return the most that a challenge may cost.

        Every miner replies, with a text of its own that takes the whole budget; nothing is cached; every call is
        answered at full length, and every question takes all tries, each with its canary. That is several times what
        a challenge costs, which leaves room for a model that counts more tokens than the pinned tokenizer.
        """
        challenge = assignment.challenge
        budget = budget_tokens(challenge.n_tokens, assignment.level)
        texts = [challenge.n_tokens, 0, budget] + [budget] * miners
        calls = 2 * self.limits.tries * len(challenge.questions) * len(texts)
        prompt_tokens = (
            2
            * self.limits.tries
            * (len(challenge.questions) * sum(texts) + len(texts) * self._around(challenge.questions))
        )
        dearest = Prices(max(self.prices.prompt, self.prices.cached or 0.0), self.prices.completion)
        return dearest.cost(Usage(prompt_tokens, 0, calls * self.limits.max_answer_tokens))

    def _around(self, questions: Sequence[Question]) -> int:
        """Return the prompt tokens of all questions asked once, the text aside."""
        fence = fence_for(b"", "")
        prompts = (self.prompt.messages(fence, "", question.text) for question in questions)
        return sum(
            CHAT_FRAME_TOKENS + sum(self.tokenizer.count(message["content"]) for message in messages)
            for messages in prompts
        )


class RoundBudget:
    """Admits the challenges of one round for as long as they are sure to fit.

    Attributes:
        spent: by the challenges that are finished.
    """

    def __init__(self, spending: Spending, miners: int):
        self._spending = spending
        self._miners = miners
        self._reserved: dict[str, float] = {}
        self._freed = asyncio.Condition()
        self.spent = 0.0

    def worst_case(self, assignment: Assignment) -> float:
        """Return the most that ``assignment`` may cost."""
        asked = self._miners if assignment.asked is None else len(assignment.asked)
        return self._spending.worst_case(assignment, asked)

    async def admit(self, assignment: Assignment) -> bool:
        """Reserve the worst case of a challenge and return True; False where it will not fit.

        While other challenges are under way their reservations may yet be freed: until then, this waits.
        """
        most = self._spending.max_cost
        cost = self.worst_case(assignment)
        async with self._freed:
            if most is not None:
                await self._freed.wait_for(lambda: not self._reserved or self._taken() + cost <= most)
                if self._taken() + cost > most:
                    return False
            self._reserved[assignment.challenge.id] = cost
            return True

    async def settle(self, result: ChallengeResult) -> None:
        """Take note of what an admitted challenge did cost."""
        reserved = self._reserved[result.assignment.challenge.id]
        usage = usage_of(result)
        cost = self._spending.prices.cost(usage)
        if reserved and not usage.prompt_tokens:
            logger.warning("the judge's provider counts no tokens: a challenge is taken to have cost its worst case")
            cost = reserved
        async with self._freed:
            del self._reserved[result.assignment.challenge.id]
            self.spent += cost
            self._freed.notify_all()

    def _taken(self) -> float:
        return self.spent + sum(self._reserved.values())


def usage_of(result: ChallengeResult) -> Usage:
    """Return the tokens that a challenge cost, each answer's once."""
    controls = result.controls
    judged: list[Judged] = [controls.ceiling, controls.floor, controls.baseline]
    judged += [miner.judged for miner in result.miners if miner.judged is not None]
    return sum((one.answer.usage for texts in judged for one in texts.answers), Usage())
