"""Keeping the questions that measure compression: answered from the text, and not without it (MECHANISM 5)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from compression_subnet.challenge.spread import spread_questions
from compression_subnet.challenge.types import Challenge, Question
from compression_subnet.errors import JudgeError, ProviderFault
from compression_subnet.judge.types import Answerer, AnswerStatus
from compression_subnet.scoring.f1 import token_f1

__all__ = ["ANSWERED_BADLY", "ANSWERED_WELL", "Checks", "Screened", "keep_answerable", "screen"]

ANSWERED_WELL: Final = Fraction(4, 5)
"""Least F1 from the full text."""
ANSWERED_BADLY: Final = Fraction(3, 10)
"""Most F1 from no text."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What the filter found of a challenge's candidate questions.

    Attributes:
        asked: how many there were.
        unanswered: of these, how many the model did not answer well from the text.
        known: of the others, how many it answered without the text.
        before: kind to how many candidates there were.
        after: kind to how many questions were kept.
    """

    asked: int
    unanswered: int
    known: int
    before: dict[str, int]
    after: dict[str, int]


@dataclass(frozen=True, slots=True)
class Screened:
    """A challenge's questions after the filter.

    Attributes:
        kept: indices of the questions that passed and were chosen; none where too few passed.
        checks: what was found.
    """

    kept: tuple[int, ...]
    checks: Checks


async def keep_answerable(
    challenge: Challenge,
    answerer: Answerer,
    *,
    n_questions: int = 5,
    min_questions: int = 1,
    badly: Fraction = ANSWERED_BADLY,
) -> Challenge | None:
    """Return the challenge with the questions that ``screen`` keeps, or None where it keeps none.

    Raises:
        ProviderFault: as ``screen``.
        JudgeError: as ``screen``.
    """
    found = await screen(challenge, answerer, n_questions=n_questions, min_questions=min_questions, badly=badly)
    return replace(challenge, questions=tuple(challenge.questions[i] for i in found.kept)) if found.kept else None


async def screen(
    challenge: Challenge,
    answerer: Answerer,
    *,
    n_questions: int = 5,
    min_questions: int = 1,
    well: Fraction = ANSWERED_WELL,
    badly: Fraction = ANSWERED_BADLY,
) -> Screened:
    """Return which questions of the challenge its text, and only its text, lets the model answer.

    All its questions are candidates: they are asked of the full text, those answered well then of no text, and of
    those that are left at most ``n_questions`` are chosen, spread over the text.

    Args:
        challenge: built with more questions than are wanted.
        answerer: the profile's own model.
        n_questions: most questions to keep.
        min_questions: fewest with which the challenge is of use.
        well: least F1 from the full text.
        badly: most F1 from no text.

    Raises:
        ProviderFault: the provider failed on some question, which says nothing about the question: try again later.
        JudgeError: the answerer did not give one answer a question.
    """
    asked = challenge.questions
    from_text = await _scores(answerer, challenge.text, asked)
    answered = [q for q, f1 in zip(asked, from_text, strict=True) if f1 >= well]
    passed: list[Question] = []
    if len(answered) >= max(1, min_questions):
        from_nothing = await _scores(answerer, "", answered)
        passed = [q for q, f1 in zip(answered, from_nothing, strict=True) if f1 <= badly]
    known = len(answered) - len(passed) if len(answered) >= max(1, min_questions) else 0
    chosen: tuple[Question, ...] = ()
    if len(passed) >= max(1, min_questions):
        chosen = spread_questions(passed, n_questions, len(challenge.text), challenge.seed)
    return Screened(
        tuple(asked.index(q) for q in chosen),
        Checks(len(asked), len(asked) - len(answered), known, _kinds(asked), _kinds(chosen)),
    )


def _kinds(questions: Sequence[Question]) -> dict[str, int]:
    return dict(sorted(Counter(q.kind for q in questions).items()))


async def _scores(answerer: Answerer, text: str, questions: Sequence[Question]) -> list[Fraction]:
    answers = await answerer.answer(text, [q.text for q in questions])
    if len(answers) != len(questions):
        raise JudgeError(f"the answerer gave {len(answers)} answers to {len(questions)} questions")
    for answer in answers:
        if answer.status is AnswerStatus.PROVIDER_FAULT:
            raise ProviderFault(f"questions could not be filtered: {answer.detail or 'no detail given'}")
    return [
        token_f1(answer.text, q.gold) if answer.status is AnswerStatus.ANSWERED else Fraction(0)
        for answer, q in zip(answers, questions, strict=True)
    ]
