"""From verdicts and answers to records: what each reply kept, and where its answers were lost."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from compression_subnet.benchmark.alignment import Alignment, align, overlap
from compression_subnet.benchmark.process import Compressed
from compression_subnet.benchmark.records import AnswerRecord, AskedChallenge, AskedQuestion, Fate, Range, ReplyRecord
from compression_subnet.challenge.admission import reveals, token_string
from compression_subnet.challenge.filters import ANSWERED_WELL
from compression_subnet.challenge.types import Challenge, Question
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import Compliance, budget_tokens
from compression_subnet.validator.rounds.results import Assignment, Controls, Judged, MinerResult

__all__ = ["asked_challenge", "proxy_of", "reply_record", "standing_answers"]


def standing_answers(text: str, questions: Sequence[Question]) -> tuple[bool, ...]:
    """Return, for each question, whether a gold answer's normalised tokens stand contiguously in ``text``.

    The proxy: it needs no model, and no reader that is good or bad. Articles count on neither side.
    """
    within = token_string(text)
    return tuple(reveals(within, map(token_string, q.gold)) for q in questions)


def proxy_of(stands: Sequence[bool]) -> Fraction:
    """Return the proxy of one reply: the share of its questions whose answer stands."""
    return Fraction(sum(stands), len(stands)) if stands else Fraction(0)


def asked_challenge(assignment: Assignment, controls: Controls, proxy: bool) -> AskedChallenge:
    """Return the record of what was asked, with the controls' scores; those of the proxy, if scores are."""
    challenge = assignment.challenge
    ceiling, floor, baseline = (_score(c) for c in (controls.ceiling, controls.floor, controls.baseline))
    if proxy:
        ceiling = floor = None
        baseline = float(proxy_of(standing_answers(controls.baseline_text, challenge.questions)))
    return AskedChallenge(
        id=challenge.id,
        level=assignment.level,
        text=challenge.text,
        n_tokens=challenge.n_tokens,
        budget_tokens=budget_tokens(challenge.n_tokens, assignment.level),
        noise=tuple((span.start, span.end) for span in challenge.noise),
        questions=tuple(
            AskedQuestion(q.text, q.gold, (q.evidence.start, q.evidence.end), q.kind) for q in challenge.questions
        ),
        source=challenge.source,
        ceiling=ceiling,
        floor=floor,
        baseline=baseline,
    )


def reply_record(
    challenge: Challenge, reply: Compressed, miner: MinerResult, controls: Controls, proxy: bool
) -> ReplyRecord:
    """Return the record of one reply.

    Args:
        challenge: what it replies to.
        reply: as the compressor's process gave it.
        miner: verdict and answers, under the compressor's name.
        controls: nobody's answers count where the judge failed on these.
        proxy: whether scores are the proxy's.
    """
    verdict = miner.compliance
    judged = miner.judged if controls.settled else None
    stands = standing_answers(verdict.text, challenge.questions) if verdict.ok else (False,) * len(challenge.questions)
    share = proxy_of(stands)
    if not verdict.ok:
        score: Fraction | None = Fraction(0)
    elif proxy:
        score = share
    else:
        score = judged.score if judged is not None and judged.settled else None
    kept = align(challenge.text, verdict.text) if verdict.ok else Alignment((), 0)
    noise = [(span.start, span.end) for span in challenge.noise]
    return ReplyRecord(
        challenge_id=challenge.id,
        compressor=miner.hotkey,
        text=reply.text,
        reason=verdict.reason.value,
        detail=reply.error,
        tokens=verdict.tokens,
        seconds=reply.seconds,
        peak_bytes=reply.peak_bytes,
        score=None if score is None else float(score),
        proxy=float(share),
        answers=_answers(verdict, judged, stands, proxy),
        kept=kept.kept,
        added=kept.added,
        noise_kept=_share(noise, kept.kept) if noise else None,
        evidence_kept=_share(_joined((q.evidence.start, q.evidence.end) for q in challenge.questions), kept.kept),
    )


def _answers(
    verdict: Compliance, judged: Judged | None, stands: tuple[bool, ...], proxy: bool
) -> tuple[AnswerRecord, ...]:
    if not verdict.ok:
        return tuple(AnswerRecord("", 0.0, False, Fate.REFUSED) for _ in stands)
    if proxy:
        return tuple(AnswerRecord("", None, s, Fate.FOUND if s else Fate.DROPPED) for s in stands)
    if judged is None:
        return tuple(AnswerRecord("", None, s, Fate.UNSCORED) for s in stands)
    records = []
    for one, standing in zip(judged.answers, stands, strict=True):
        if one.answer.status is AnswerStatus.PROVIDER_FAULT:
            records.append(AnswerRecord("", None, standing, Fate.UNSCORED))
            continue
        lost = Fate.NOT_FOUND if standing else Fate.DROPPED
        fate = Fate.FOUND if one.f1 >= ANSWERED_WELL else lost
        records.append(AnswerRecord(one.answer.text, float(one.f1), standing, fate))
    return tuple(records)


def _score(judged: Judged) -> float | None:
    return float(judged.score) if judged.settled else None


def _joined(ranges: Iterable[Range]) -> list[Range]:
    """Return the ranges in order, those that overlap or touch joined."""
    found: list[Range] = []
    for start, end in sorted(ranges):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _share(ranges: Sequence[Range], kept: Sequence[Range]) -> float:
    total = sum(end - start for start, end in ranges)
    return min(1.0, overlap(ranges, kept) / total) if total else 0.0
