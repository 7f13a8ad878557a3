"""Reading a validator's record, also while the validator writes it."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import StoreError
from compression_subnet.judge.types import Answer, AnswerStatus, Usage
from compression_subnet.scoring import Average
from compression_subnet.transport.outcomes import Failed, Failure, Outcome, Replied
from compression_subnet.validator.records.schema import MIGRATIONS

__all__ = ["AVERAGE_JSON", "CHALLENGE_JSON", "Record", "RecordedChallenge", "open_record"]

AVERAGE_JSON: Final = TypeAdapter(Average)
CHALLENGE_JSON: Final = TypeAdapter(Challenge)


@dataclass(frozen=True, slots=True)
class RecordedChallenge:
    """A challenge of a round, as it was recorded.

    Attributes:
        challenge: what was asked.
        level: at which level, in per cent.
        baseline_text: head truncation of it.
        outcomes: what came from each hotkey.
        answers: by party (hotkeys, and ``control:ceiling``, ``control:floor``, ``control:baseline``), in the order of
            the questions; a party that was not judged is absent.
        scores: F by hotkey, as it was counted; None where the challenge was left unscored for it.
    """

    challenge: Challenge
    level: int
    baseline_text: str
    outcomes: Mapping[str, Outcome]
    answers: Mapping[str, tuple[Answer, ...]]
    scores: Mapping[str, Fraction | None]


class Record:
    """What is in an open record."""

    def __init__(self, db: sqlite3.Connection):
        self._db = db

    @property
    def db(self) -> sqlite3.Connection:
        """The connection, for those who read rows as they stand."""
        return self._db

    def averages(self) -> dict[str, Average]:
        """Return the averages of all hotkeys, as of the last round that counted."""
        rows = self._db.execute("SELECT hotkey, body FROM averages ORDER BY hotkey").fetchall()
        return {hotkey: AVERAGE_JSON.validate_json(body) for hotkey, body in rows}

    def last_counted(self) -> tuple[int, int] | None:
        """Return number and epoch of the last round that counted; None before any."""
        row = self._db.execute(
            "SELECT number, epoch FROM rounds WHERE status = 'counted' ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return (row[0], row[1]) if row else None

    def counted_since(self, epoch: int) -> int:
        """Return how many rounds of ``epoch`` and later ones counted."""
        query = "SELECT count(*) FROM rounds WHERE status = 'counted' AND epoch >= ?"
        return int(self._db.execute(query, (epoch,)).fetchone()[0])

    def scored_replies(self, round_number: int, level: int) -> Iterator[tuple[str, str, str]]:
        """Yield challenge, hotkey and raw reply, of those at a level of a round whose F is not 0."""
        yield from self._db.execute(
            "SELECT challenge, hotkey, raw FROM replies JOIN challenges ON id = challenge"
            " WHERE round = ? AND level = ? AND raw IS NOT NULL AND score IS NOT NULL AND score != '0'",
            (round_number, level),
        )

    def last_weights(self) -> dict[str, int]:
        """Return the vector of the last attempt, by hotkey; empty where there was none."""
        row = self._db.execute("SELECT vector FROM weight_settings ORDER BY id DESC LIMIT 1").fetchone()
        return json.loads(row[0]) if row else {}

    def reasons(self) -> dict[str, dict[str, int]]:
        """Return how often each hotkey's replies got each verdict, over the rounds that are not archived."""
        rows = self._db.execute(
            "SELECT hotkey, reason, count(*) FROM replies GROUP BY hotkey, reason ORDER BY hotkey, reason"
        ).fetchall()
        found: dict[str, dict[str, int]] = {}
        for hotkey, reason, count in rows:
            found.setdefault(hotkey, {})[reason] = count
        return found

    def progress(self) -> tuple[int, int]:
        """Return how many challenges of the last round are recorded, and how many it has; (0, 0) before any."""
        row = self._db.execute(
            "SELECT (SELECT count(*) FROM challenges WHERE round = number), asked"
            " FROM rounds ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return (row[0], row[1]) if row else (0, 0)

    def costs(self, round_number: int) -> dict[str, tuple[Usage, float]]:
        """Return the tokens that each party's answers cost in a round, and the money at that round's prices.

        Parties are hotkeys, and ``control:ceiling``, ``control:floor`` and ``control:baseline``.
        """
        rows = self._db.execute(
            "SELECT party, prompt_tokens, cached_tokens, completion_tokens, cost FROM costs WHERE round = ?"
            " ORDER BY party",
            (round_number,),
        ).fetchall()
        return {party: (Usage(*tokens), cost) for party, *tokens, cost in rows}

    def challenges(self, round_number: int) -> Iterator[RecordedChallenge]:
        """Yield the challenges of a round, in the order in which they were finished."""
        rows = self._db.execute(
            "SELECT id, level, body FROM challenges WHERE round = ? ORDER BY rowid", (round_number,)
        ).fetchall()
        for id, level, body in rows:
            baseline = self._db.execute(
                "SELECT text FROM controls WHERE challenge = ? AND kind = 'baseline'", (id,)
            ).fetchone()
            replies = self._db.execute(
                "SELECT hotkey, failure, seconds, raw, score FROM replies WHERE challenge = ? ORDER BY rowid", (id,)
            ).fetchall()
            yield RecordedChallenge(
                challenge=CHALLENGE_JSON.validate_json(body),
                level=level,
                baseline_text=baseline[0] if baseline else "",
                outcomes={hotkey: _outcome(raw, failure, seconds) for hotkey, failure, seconds, raw, _ in replies},
                answers=self._answers(id),
                scores={hotkey: None if score is None else Fraction(score) for hotkey, *_, score in replies},
            )

    def _answers(self, challenge: str) -> dict[str, tuple[Answer, ...]]:
        rows = self._db.execute(
            "SELECT party, status, text, detail, prompt_tokens, cached_tokens, completion_tokens FROM answers"
            " WHERE challenge = ? ORDER BY party, question",
            (challenge,),
        ).fetchall()
        found: dict[str, tuple[Answer, ...]] = {}
        for party, status, text, detail, *tokens in rows:
            found[party] = (*found.get(party, ()), Answer(AnswerStatus(status), text, detail, Usage(*tokens)))
        return found


def _outcome(raw: str | None, failure: str, seconds: float) -> Outcome:
    if raw is not None:
        return Replied(raw, seconds, len(raw.encode()))
    reason, _, status = failure.partition(" ")
    return Failed(Failure(reason), seconds, int(status) if status else None)


@contextmanager
def open_record(path: Path) -> Iterator[Record]:
    """Open the record in the file ``path`` for reading alone, for as long as the context lasts.

    Raises:
        StoreError: there is no such file, it is no record of ours, or it is of another release.
    """
    if path.is_file() and not path.stat().st_size:
        raise StoreError(f"{path} is empty")  # SQLite would delete its log, which may be all that is left
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version != len(MIGRATIONS):
                raise StoreError(f"{path} has schema {version}, and this release reads {len(MIGRATIONS)}")
            yield Record(db)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
