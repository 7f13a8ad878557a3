"""From outcomes to a scored challenge: verdicts, controls, answers. The same for a round and for files of replies."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from compression_subnet.challenge.types import Challenge, Question
from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.judge.cache import CachedAnswerer
from compression_subnet.judge.types import Answerer, AnswerStatus, Usage
from compression_subnet.scoring import Compliance, ComplianceCheck, Reason, is_supported, token_f1
from compression_subnet.text import Tokenizer
from compression_subnet.transport.outcomes import Failure, Outcome, Replied
from compression_subnet.validator.rounds.results import (
    Assignment,
    ChallengeResult,
    Controls,
    Judged,
    JudgedAnswer,
    MinerResult,
)

__all__ = ["Judges", "judge_text", "score_challenge"]

_REASONS: Final = {
    Failure.ADDRESS_REFUSED: Reason.MISSING,
    Failure.UNREACHABLE: Reason.MISSING,
    Failure.STATUS: Reason.MISSING,
    Failure.TIMEOUT: Reason.LATE,
    Failure.TOO_LARGE: Reason.TOO_LARGE,
    Failure.BAD_SIGNATURE: Reason.MALFORMED,
    Failure.MALFORMED: Reason.MALFORMED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judges:
    """One judge, asked in two ways.

    Attributes:
        controls: the judge itself: controls tell whether it works now.
        replies: the same, or a ``CachedAnswerer`` before it.

    Raises:
        TypeError: controls would be answered from a cache.
    """

    controls: Answerer
    replies: Answerer

    def __post_init__(self) -> None:
        if isinstance(self.controls, CachedAnswerer):
            raise TypeError("controls are asked anew each round; give the answerer behind the cache")


async def score_challenge(
    assignment: Assignment, outcomes: Mapping[str, Outcome], judges: Judges, tokenizer: Tokenizer
) -> ChallengeResult:
    """Return what the outcomes of one challenge, by hotkey, are worth.

    Nobody is judged where the judge fails on the controls.

    Raises:
        InputError: the challenge's text is blank or not canonical.
    """
    challenge = assignment.challenge
    check = ComplianceCheck(challenge.text, assignment.level, tokenizer)
    verdicts = {hotkey: _verdict(check, outcome) for hotkey, outcome in outcomes.items()}
    baseline_text = head_truncation(challenge.text, TokenBudget(check.budget, tokenizer))
    controls = await _judge_controls(judges.controls, challenge, baseline_text)
    judged = await _judge_replies(judges.replies, verdicts, challenge.questions) if controls.settled else {}
    miners = tuple(
        MinerResult(hotkey, outcomes[hotkey], verdict, judged.get(hotkey)) for hotkey, verdict in verdicts.items()
    )
    return ChallengeResult(assignment, controls, miners)


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
    for question, given in zip(questions, answers, strict=True):
        # Half a character is JSON but no text, and cannot be recorded: what is recorded is what is scored.
        answer = replace(given, text=given.text.encode(errors="ignore").decode())
        answered = answer.status is AnswerStatus.ANSWERED
        supported = answered and is_supported(answer.text, text)
        counts = answered and (supported or not need_support)
        judged.append(JudgedAnswer(answer, supported, token_f1(answer.text, question.gold) if counts else Fraction(0)))
    return Judged(tuple(judged))


async def _judge_controls(answerer: Answerer, challenge: Challenge, baseline_text: str) -> Controls:
    ceiling, floor, baseline = await asyncio.gather(
        judge_text(answerer, challenge.text, challenge.questions),
        judge_text(answerer, "", challenge.questions, need_support=False),
        judge_text(answerer, baseline_text, challenge.questions),
    )
    return Controls(ceiling, floor, baseline, baseline_text)


async def _judge_replies(
    answerer: Answerer, verdicts: Mapping[str, Compliance], questions: Sequence[Question]
) -> dict[str, Judged]:
    """Return the judgement of every reply that complies, by hotkey.

    Miners that reply alike share one: the judge would say the same, and costs twice. Its tokens are the first one's.
    """
    texts = list(dict.fromkeys(v.text for v in verdicts.values() if v.ok))
    found = dict(
        zip(texts, await asyncio.gather(*(judge_text(answerer, text, questions) for text in texts)), strict=True)
    )
    judged = {}
    for hotkey, verdict in verdicts.items():
        if verdict.ok:
            judged[hotkey] = found[verdict.text]
            found[verdict.text] = _free(found[verdict.text])
    return judged


def _free(judged: Judged) -> Judged:
    return Judged(tuple(replace(a, answer=replace(a.answer, usage=Usage())) for a in judged.answers))


def _verdict(check: ComplianceCheck, outcome: Outcome) -> Compliance:
    if isinstance(outcome, Replied):
        return check(outcome.compressed_text)
    return check.refuse(_REASONS[outcome.reason])
