"""One challenge's result as rows of the record. Called within a transaction."""

import sqlite3

from compression_subnet.judge.types import AnswerStatus
from compression_subnet.transport import Failed, Replied
from compression_subnet.validator.records.digest import challenge_digest
from compression_subnet.validator.records.record import CHALLENGE_JSON
from compression_subnet.validator.rounds.results import ChallengeResult, Judged, MinerResult

__all__ = ["insert_challenge", "unsettled_answers"]


def insert_challenge(db: sqlite3.Connection, round_number: int, result: ChallengeResult) -> None:
    """Write a challenge of a round with its controls, requests, replies, answers, and the digest of them."""
    challenge, controls = result.assignment.challenge, result.controls
    db.execute(
        "INSERT INTO challenges (id, round, level, body, scored) VALUES (?, ?, ?, ?, ?)",
        (
            challenge.id,
            round_number,
            result.assignment.level,
            CHALLENGE_JSON.dump_json(challenge).decode(),
            int(controls.settled),
        ),
    )
    for kind, text, judged in (
        ("ceiling", challenge.text, controls.ceiling),
        ("floor", "", controls.floor),
        ("baseline", controls.baseline_text, controls.baseline),
    ):
        score = str(judged.score) if judged.settled else None
        # The full text is in the challenge already.
        db.execute(
            "INSERT INTO controls VALUES (?, ?, ?, ?)", (challenge.id, kind, "" if kind == "ceiling" else text, score)
        )
        _insert_answers(db, challenge.id, f"control:{kind}", judged)
    db.executemany(
        "INSERT INTO requests VALUES (?, ?, ?, ?, ?, ?)",
        [(challenge.id, r.hotkey, r.uid, r.address, r.at, r.deadline) for r in result.requests],
    )
    for miner in result.miners:
        _insert_reply(db, challenge.id, miner)
    db.execute("UPDATE challenges SET digest = ? WHERE id = ?", (challenge_digest(db, challenge.id), challenge.id))


def unsettled_answers(result: ChallengeResult) -> list[str]:
    """Return what the judge's provider said in place of each answer that it owes."""
    controls = result.controls
    judged = [controls.ceiling, controls.floor, controls.baseline]
    judged += [miner.judged for miner in result.miners if miner.judged is not None]
    answers = (one.answer for texts in judged for one in texts.answers)
    return [answer.detail for answer in answers if answer.status is AnswerStatus.PROVIDER_FAULT]


def _insert_reply(db: sqlite3.Connection, challenge: str, miner: MinerResult) -> None:
    outcome, verdict = miner.outcome, miner.compliance
    failure = "" if isinstance(outcome, Replied) else _failure(outcome)
    # A lone surrogate is JSON but not UTF-8; canonical form takes it away, and the verdict was on that form.
    raw = outcome.compressed_text.encode(errors="ignore").decode() if isinstance(outcome, Replied) else None
    db.execute(
        "INSERT INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            challenge,
            miner.hotkey,
            verdict.reason.value,
            failure,
            verdict.tokens,
            verdict.budget,
            outcome.seconds,
            raw,
            None if miner.score is None else str(miner.score),
        ),
    )
    if miner.judged is not None:
        _insert_answers(db, challenge, miner.hotkey, miner.judged)


def _insert_answers(db: sqlite3.Connection, challenge: str, party: str, judged: Judged) -> None:
    db.executemany(
        "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                challenge,
                party,
                index,
                one.answer.status.value,
                one.answer.text.encode(errors="ignore").decode(),
                one.answer.detail,
                int(one.supported),
                str(one.f1),
                one.answer.usage.prompt_tokens,
                one.answer.usage.cached_tokens,
                one.answer.usage.completion_tokens,
            )
            for index, one in enumerate(judged.answers)
        ],
    )


def _failure(outcome: Failed) -> str:
    return outcome.reason.value + (f" {outcome.status}" if outcome.status is not None else "")
