"""Records of a benchmark: each question, challenge, answer and reply, as values."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["AnswerRecord", "AskedChallenge", "AskedQuestion", "Fate", "Range", "ReplyRecord"]

Range = tuple[int, int]
"""A half-open range of characters."""


class Fate(StrEnum):
    """What became of one question's answer."""

    FOUND = "found"
    """Answered well from the reply (F1 of 0.8 or more); in proxy mode, a gold answer stands in it."""
    NOT_FOUND = "not_found"
    """A gold answer stands in the reply, but the judge did not give it."""
    DROPPED = "dropped"
    """No gold answer stands in the reply any more."""
    REFUSED = "refused"
    """There is no reply to read: it was missing, late or not compliant."""
    UNSCORED = "unscored"
    """The judge was at fault."""


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question; ``evidence`` is a range of the challenge's text."""

    text: str
    gold: tuple[str, ...]
    evidence: Range
    kind: str


@dataclass(frozen=True, slots=True)
class AskedChallenge:
    """A challenge at its level.

    Attributes:
        id: the challenge's.
        level: in per cent.
        text: what compressors got.
        n_tokens: of the text.
        budget_tokens: most tokens of a reply.
        noise: ranges of the text that are noise.
        questions: what was asked.
        source: where the base text comes from.
        ceiling: F from the full text; None in proxy mode, or where the judge was at fault.
        floor: F from no text, likewise.
        baseline: F from head truncation to the budget.
    """

    id: str
    level: int
    text: str
    n_tokens: int
    budget_tokens: int
    noise: tuple[Range, ...]
    questions: tuple[AskedQuestion, ...]
    source: str
    ceiling: float | None
    floor: float | None
    baseline: float | None


@dataclass(frozen=True, slots=True)
class AnswerRecord:
    """One question answered from one reply.

    Attributes:
        text: the judge's answer; empty in proxy mode.
        f1: against the gold answers; None where it was not judged.
        stands: whether a gold answer's normalised tokens stand contiguously in the reply.
        fate: what became of it.
    """

    text: str
    f1: float | None
    stands: bool
    fate: Fate


@dataclass(frozen=True, slots=True)
class ReplyRecord:
    """One compressor's reply to one challenge.

    Attributes:
        challenge_id: which.
        compressor: whose.
        text: the reply, as the compressor gave it; None where there is none.
        reason: the verdict's: ``ok``, ``over_budget``, ``late``, ...
        detail: what the compressor's error said; empty without one.
        tokens: of the reply; 0 where they were not counted.
        seconds: that compressing took.
        peak_bytes: most memory that the compressor's process had had by then; None where the system does not tell.
        score: F; None where the judge was at fault.
        proxy: share of the questions of which a gold answer stands in the reply; 0 where it is not compliant.
        answers: one a question.
        kept: ranges of the challenge's text that the reply keeps.
        added: words of the reply that the text does not have in their place.
        noise_kept: share of the noise's characters that is kept; None where the text has no noise.
        evidence_kept: share of the evidence's characters that is kept.
    """

    challenge_id: str
    compressor: str
    text: str | None
    reason: str
    detail: str
    tokens: int
    seconds: float
    peak_bytes: int | None
    score: float | None
    proxy: float
    answers: tuple[AnswerRecord, ...]
    kept: tuple[Range, ...]
    added: int
    noise_kept: float | None
    evidence_kept: float
