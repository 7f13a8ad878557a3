"""What is recorded of a round beside its challenges: its header, its terms, its averages, its vectors of weights."""

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from compression_subnet.scoring import WeightRule
from compression_subnet.validator.records.terms import RoundTerms, VectorTerms

__all__ = ["RecordedRound", "RecordedVector", "averages_after", "round_before", "rounds_in", "vectors_of"]


@dataclass(frozen=True, slots=True)
class RecordedRound:
    """A round's header.

    Attributes:
        number: from 1, without gaps.
        epoch: of the subnet.
        started: seconds since 1970.
        finished: likewise; None where it is not.
        profile: hash of what its scores depend on.
        asked: how many challenges it has, those that were cut included.
        cut: how many were not begun.
        status: running, counted, void or dropped.
        detail: why it is void.
        archive: name of the file that its challenges were moved to, beside the record; None where they are here.
        terms: None in a round that an earlier release recorded.
    """

    number: int
    epoch: int
    started: float
    finished: float | None
    profile: str
    asked: int
    cut: int
    status: str
    detail: str
    archive: str | None
    terms: RoundTerms | None


@dataclass(frozen=True, slots=True)
class RecordedVector:
    """An attempt to set weights.

    Attributes:
        id: in the order of time.
        at: seconds since 1970.
        weights: 16-bit weights by hotkey; empty where there was nothing to set.
        outcome: name of what came of it; ``NotSent`` where it was not sent.
        detail: that outcome in full.
        terms: what the vector was made of; None where none was made, or an earlier release recorded it.
        block: that holds the call, where the chain confirmed it.
        block_hash: of that block.
        reveal_round: drand's, where the weights were committed.
    """

    id: int
    at: float
    weights: Mapping[str, int]
    outcome: str
    detail: str
    terms: VectorTerms | None
    block: int | None
    block_hash: str | None
    reveal_round: int | None


def rounds_in(db: sqlite3.Connection) -> list[RecordedRound]:
    """Return the headers of all rounds, the oldest first.

    Raises:
        ValueError: a value cannot be read.
    """
    rows = db.execute(
        "SELECT number, epoch, started, finished, profile, asked, cut, status, detail, archive,"
        " netuid, hotkey, spec_version, reuse, forgetting, z, power, min_challenges, registered"
        " FROM rounds LEFT JOIN terms ON terms.round = number ORDER BY number"
    ).fetchall()
    return [
        RecordedRound(*[*row[:10], _terms(*row[10:]) if row[10] is not None else None])  # ten columns of the header
        for row in rows
    ]


def round_before(rounds: Sequence[RecordedRound], number: int) -> RecordedRound | None:
    """Return the last round before ``number`` that moved averages, None where there is none among ``rounds``."""
    return max((r for r in rounds if r.number < number and r.status == "counted"), key=lambda r: r.number, default=None)


def averages_after(db: sqlite3.Connection, number: int) -> dict[str, str]:
    """Return the averages after a round by hotkey, as JSON."""
    return dict(db.execute("SELECT hotkey, body FROM average_history WHERE round = ? ORDER BY hotkey", (number,)))


def vectors_of(db: sqlite3.Connection, number: int) -> list[RecordedVector]:
    """Return the attempts to set a round's weights, in the order of time.

    Raises:
        ValueError: a value cannot be read.
    """
    rows = db.execute(
        "SELECT id, at, vector, outcome, detail, block, registered, burn, burn_unearned, burn_share,"
        " set_block, set_hash, reveal_round FROM weight_settings WHERE round = ? ORDER BY id",
        (number,),
    ).fetchall()
    return [
        RecordedVector(
            id,
            at,
            _counts(vector),
            outcome,
            detail,
            None if block is None or registered is None else _vector_terms(block, registered, burn, unearned, share),
            *proof,
        )
        for id, at, vector, outcome, detail, block, registered, burn, unearned, share, *proof in rows
    ]


def _terms(
    netuid: int,
    hotkey: str,
    spec_version: int,
    reuse: int,
    forgetting: float,
    z: float,
    power: int,
    min_challenges: int,
    registered: str,
) -> RoundTerms:
    rule = WeightRule(z, power, min_challenges)
    return RoundTerms(netuid, hotkey, spec_version, bool(reuse), forgetting, rule, _counts(registered))


def _vector_terms(block: int, registered: str, burn: str | None, burn_unearned: int, burn_share: float) -> VectorTerms:
    terms = VectorTerms(block, _counts(registered), burn, bool(burn_unearned), burn_share)
    if burn is not None and burn not in terms.registered:
        raise ValueError(f"weight is burned to {burn[:48]!r}, which is not registered")
    return terms


def _counts(text: str) -> dict[str, int]:
    found = json.loads(text)
    if not isinstance(found, dict) or not all(type(value) is int for value in found.values()):
        raise ValueError(f"{text[:40]!r} is no map of hotkeys to integers")
    return found
