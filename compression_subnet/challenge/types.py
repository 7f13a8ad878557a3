"""The values of a challenge: an article as its source has it, and what is made of it."""

from dataclasses import dataclass

__all__ = ["Article", "Challenge", "Question", "Span"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of characters ``[start, end)`` of some text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the characters of ``text`` in this range."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Question:
    """A question that the text answers.

    Attributes:
        text: the question itself.
        gold: accepted answers, at least one, none empty.
        evidence: the sentence or sentences that answer it, as a range of the text it belongs to.
        kind: who, when, where, how many, which, why, relation, what, ...
    """

    text: str
    gold: tuple[str, ...]
    evidence: Span
    kind: str


@dataclass(frozen=True, slots=True)
class Article:
    """A base text with its questions, as a corpus source gives it; evidence is a range of ``text``."""

    id: str
    title: str
    text: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class Challenge:
    """What a round asks. Only ``text`` and the budget computed from ``n_tokens`` ever leave the validator.

    Attributes:
        id: unique, and tells nothing.
        text: base text with noise put in; canonical.
        n_tokens: tokens of ``text`` under the pinned tokenizer.
        base_text: the clean text.
        noise: ranges of ``text`` that are noise, in order, not overlapping; each is one sentence and the separator
            on one side of it, so that deleting them all leaves ``base_text``.
        questions: their evidence is a range of ``text``.
        seed: from which noise and placement were drawn.
        source: where the base text comes from.
    """

    id: str
    text: str
    n_tokens: int
    base_text: str
    noise: tuple[Span, ...]
    questions: tuple[Question, ...]
    seed: int
    source: str
