"""What the record must say: followed round by round, each recomputed from the record, none ever changed again."""

import asyncio
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.record import AVERAGE_JSON, Record
from compression_subnet.validator.records.round_rows import RecordedRound, averages_after, rounds_in, vectors_of
from compression_subnet.validator.records.terms import VectorTerms
from compression_subnet.validator.rescoring.replay import replay_round
from compression_subnet.validator.rescoring.rescore import rescore
from compression_subnet.validator.rewarding.rewards import copies_in, earned_by
from compression_subnet.validator.rewarding.warmth import WarmRule, warmth_of
from compression_subnet.validator.rewarding.weighting import weight_vector

__all__ = [
    "Ledger",
    "Made",
    "Seen",
    "expected_vectors",
    "follow",
    "last_counted",
    "reading",
    "statuses",
]

_HEADER_BYTES: Final = 100
FINAL: Final = frozenset({"counted", "void", "dropped"})


@dataclass(frozen=True, slots=True)
class Made:
    """A vector of weights as the record has it, by uid at the time; with the block that the chain gave for it."""

    round: int
    block: int | None
    by_uid: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Ledger:
    """What was read and recomputed so far.

    Attributes:
        rounds: status by number, of those that are over.
        counted: the last round that moved averages; 0 before any.
        averages: bodies by hotkey after it, as recorded then.
    """

    rounds: Mapping[int, str] = field(default_factory=dict)
    counted: int = 0
    averages: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """A look at the record: the ledger after it, the vectors of the rounds that are new in it, and what is wrong."""

    ledger: Ledger
    made: tuple[Made, ...]
    problems: tuple[str, ...]


def follow(path: Path, ledger: Ledger, closed: bool) -> Seen:
    """Read on in the record, and recompute what is new.

    Args:
        path: the record; its validator may be writing it.
        ledger: after the last look.
        closed: whether no process has it open, so that its pages can be checked too.
    """
    try:
        return _followed(path, ledger, closed)
    except (sqlite3.Error, ValueError, CompressionSubnetError) as error:
        return Seen(ledger, (), (f"the record cannot be read: {type(error).__name__}: {error}",))


def _followed(path: Path, ledger: Ledger, closed: bool) -> Seen:
    problems: list[str] = []
    made: list[Made] = []
    with reading(path) as record:
        if closed and (verdict := record.db.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            problems.append(f"integrity_check says: {verdict}")
        rounds = rounds_in(record.db)
        if changed := list(_past(record, rounds, ledger)):
            problems += changed
            ledger = _adopted(record, rounds)  # told once
        for one in rounds:
            if one.status not in FINAL or one.number in ledger.rounds:
                continue
            found = asyncio.run(rescore(record, get_tokenizer(), one.number))
            if found.difference is not None:
                problems.append(f"rescore finds {found.difference}")
            ledger = replace(ledger, rounds={**ledger.rounds, one.number: one.status})
            if one.status == "counted":
                ledger = replace(ledger, counted=one.number, averages=averages_after(record.db, one.number))
        # Of all rounds: that of an old one may have been set just now.
        made += _vectors(record, rounds)
        present = dict(record.db.execute("SELECT hotkey, body FROM averages"))
        if present != ledger.averages:
            problems.append(f"the averages are not those after round {ledger.counted}, the last that counted")
    return Seen(ledger, tuple(made), tuple(problems))


def expected_vectors(path: Path, number: int, holders: tuple[Mapping[int, str], ...]) -> list[dict[int, int]]:
    """Return the vectors that a round's averages make, by uid, for each set of holders of the uids."""
    with reading(path) as record:
        one = next(r for r in rounds_in(record.db) if r.number == number)
        if one.terms is None:
            return []
        averages = {h: AVERAGE_JSON.validate_json(body) for h, body in averages_after(record.db, number).items()}
        copies = copies_in(asyncio.run(replay_round(record, number, get_tokenizer())).challenges)
        earned = earned_by(averages, one.terms.rule, copies)
    found = []
    for held in holders:
        uids = {hotkey: uid for uid, hotkey in held.items()}
        found.append({uids[h]: w for h, w in weight_vector(earned, VectorTerms(0, uids)).items()})
    return found


def is_warm(path: Path, number: int, serving: frozenset[str], now_serving: frozenset[str]) -> bool:
    """Whether weights may be made of a round's averages.

    Args:
        path: the record.
        number: of the round.
        serving: hotkeys that ever published an address; those that were registered when the round began count.
        now_serving: those that serve now, which count where no round could be written.
    """
    with reading(path) as record:
        rounds = rounds_in(record.db)
        one = next(r for r in rounds if r.number == number)
        averages = {h: AVERAGE_JSON.validate_json(body) for h, body in averages_after(record.db, number).items()}
    if one.terms is None:
        return False
    rule = WarmRule()
    lately = sum(r.status == "counted" and one.epoch - rule.stale_epochs < r.epoch for r in rounds)
    then = serving & one.terms.registered.keys() - {one.terms.hotkey}
    least = one.terms.rule.min_challenges
    return any(warmth_of(averages, some, one.epoch, lately, least, rule).warm for some in (then, now_serving))


def last_counted(path: Path) -> int:
    """Return the last round that moved averages; 0 where there is none, or no record."""
    return max((number for number, status in statuses(path).items() if status == "counted"), default=0)


def statuses(path: Path) -> dict[int, str]:
    """Return the status of every round by its number; nothing where the record cannot be read."""
    # Of an empty file SQLite deletes the log, even where it opens it for reading alone.
    if not path.exists() or path.stat().st_size < _HEADER_BYTES:
        return {}
    try:
        with reading(path) as record:
            return dict(record.db.execute("SELECT number, status FROM rounds"))
    except sqlite3.Error:
        return {}


@contextmanager
def reading(path: Path) -> Iterator[Record]:
    """Open the record at one moment of its life, however long the reading takes."""
    with closing(
        sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10, isolation_level=None)
    ) as db:
        db.execute("BEGIN")
        yield Record(db)


def _past(record: Record, rounds: list[RecordedRound], ledger: Ledger) -> Iterator[str]:
    """Yield what has changed of rounds that were over."""
    now = {one.number: one.status for one in rounds}
    for number, status in ledger.rounds.items():
        if now.get(number) != status:
            yield f"round {number} was {status} and is now {now.get(number, 'gone')}"
    if ledger.counted and averages_after(record.db, ledger.counted) != ledger.averages:
        yield f"the averages after round {ledger.counted} have changed"
    running = [one.number for one in rounds if one.status == "running"]
    if running not in ([], [max(now, default=0)]):
        yield f"rounds {running} are running, and the last is {max(now, default=0)}"


def _adopted(record: Record, rounds: list[RecordedRound]) -> Ledger:
    counted = max((one.number for one in rounds if one.status == "counted"), default=0)
    over = {one.number: one.status for one in rounds if one.status in FINAL}
    return Ledger(over, counted, averages_after(record.db, counted))


def _vectors(record: Record, rounds: list[RecordedRound]) -> Iterator[Made]:
    for one in rounds:
        for vector in vectors_of(record.db, one.number):
            if vector.terms is not None and vector.outcome == "WeightsSet":
                uids = vector.terms.registered
                yield Made(one.number, vector.block, {uids[hotkey]: w for hotkey, w in vector.weights.items()})
