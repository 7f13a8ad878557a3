"""From a text and its questions to scored answers."""

from collections.abc import Sequence
from fractions import Fraction

from compression_subnet.challenge.types import Question
from compression_subnet.judge.types import Answerer, AnswerStatus
from compression_subnet.scoring import is_supported, token_f1
from compression_subnet.validator.results import Judged, JudgedAnswer

__all__ = ["judge_text"]


async def judge_text(
    answerer: Answerer, text: str, questions: Sequence[Question], *, need_support: bool = True
) -> Judged:
    """Return each question's answer from ``text``, with its F1.

    Args:
        answerer: the judge.
        text: all that it sees; may be empty.
        questions: of the challenge.
        need_support: whether an answer that the text does not hold scores 0. Off for the floor alone, where it
            would hide that a model answers from memory.
    """
    answers = await answerer.answer(text, [q.text for q in questions])
    judged = []
    for question, answer in zip(questions, answers, strict=True):
        answered = answer.status is AnswerStatus.ANSWERED
        supported = answered and is_supported(answer.text, text)
        counts = answered and (supported or not need_support)
        judged.append(JudgedAnswer(answer, supported, token_f1(answer.text, question.gold) if counts else Fraction(0)))
    return Judged(tuple(judged))
