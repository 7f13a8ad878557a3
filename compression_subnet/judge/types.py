"""What answers questions from a compressed text, and what an answer is."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

__all__ = ["Answer", "AnswerStatus", "Answerer", "Usage"]


class AnswerStatus(StrEnum):
    """How an attempt to answer one question ended."""

    ANSWERED = "answered"
    CONTENT_FAULT = "content_fault"
    """Refusal, unparsable answer or length stop: settled, and scores 0."""
    PROVIDER_FAULT = "provider_fault"
    """The provider's side failed: not settled, and nobody's score may move by it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one answer cost, as the provider counted them; those read from its cache are prompt tokens too."""

    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.cached_tokens + other.cached_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome for one question.

    Attributes:
        status: whether ``text`` is an answer, and whose fault it is if not.
        text: the model's answer; empty unless answered. An answered question may have an empty text too.
        detail: why it failed, short, never the miner's text.
        usage: tokens spent on it.
    """

    status: AnswerStatus
    text: str = ""
    detail: str = ""
    usage: Usage = Usage()


class Answerer(Protocol):
    """A judge: answers each question from the text alone."""

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return one answer a question, in their order. Faults are values, never raised."""
