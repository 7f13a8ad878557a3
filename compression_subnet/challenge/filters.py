"""Keeping the questions that measure compression: answered from the text, and not without it (MECHANISM 5)."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from compression_subnet.challenge.spread import spread_questions
from compression_subnet.challenge.types import Challenge, Question
from compression_subnet.errors import JudgeError, ProviderFault
from compression_subnet.judge.types import Answerer, AnswerStatus
from compression_subnet.scoring.f1 import token_f1

__all__ = ["ANSWERED_BADLY", "ANSWERED_WELL", "keep_answerable"]

ANSWERED_WELL: Final = Fraction(4, 5)
"""Least F1 from the full text."""
ANSWERED_BADLY: Final = Fraction(3, 10)
"""Most F1 from no text."""


async def keep_answerable(
    challenge: Challenge,
    answerer: Answerer,
    *,
    n_questions: int = 5,
    min_questions: int = 1,
    well: Fraction = ANSWERED_WELL,
    badly: Fraction = ANSWERED_BADLY,
) -> Challenge | None:
    """Return the challenge with the questions that its text, and only its text, lets the model answer.

    All its questions are candidates: they are asked of the full text, those answered well then of no text, and of
    those that are left at most ``n_questions`` are chosen, spread over the text.

    Args:
        challenge: built with more questions than are wanted.
        answerer: the profile's own model.
        n_questions: most questions to keep.
        min_questions: fewest with which the challenge is of use.
        well: least F1 from the full text.
        badly: most F1 from no text.

    Returns:
        The challenge with fewer questions, or None where fewer than ``min_questions`` are left.

    Raises:
        ProviderFault: the provider failed on some question, which says nothing about the question: try again later.
        JudgeError: the answerer did not give one answer a question.
    """
    from_text = await _scores(answerer, challenge.text, challenge.questions)
    kept = [q for q, f1 in zip(challenge.questions, from_text, strict=True) if f1 >= well]
    if not kept or len(kept) < min_questions:
        return None
    from_nothing = await _scores(answerer, "", kept)
    kept = [q for q, f1 in zip(kept, from_nothing, strict=True) if f1 <= badly]
    if not kept or len(kept) < min_questions:
        return None
    return replace(challenge, questions=spread_questions(kept, n_questions, len(challenge.text), challenge.seed))


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
