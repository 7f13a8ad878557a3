"""The validator's record: one SQLite file from which every score and weight can be recomputed.

A challenge's results are written in one transaction, and so are a round's end and the averages that it moves: a
process that is killed at any moment leaves a record in which each is there whole or not at all.
"""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from loguru import logger

from compression_subnet.chain.port import Committed, WeightsOutcome, WeightsSet
from compression_subnet.database import free_bytes, open_database, transaction
from compression_subnet.errors import StoreError, StoreFull
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import Average
from compression_subnet.validator.records.challenge_rows import insert_challenge, unsettled_answers
from compression_subnet.validator.records.quarantine import find_damage, set_aside
from compression_subnet.validator.records.record import AVERAGE_JSON, Record
from compression_subnet.validator.records.schema import MIGRATIONS, RECORD
from compression_subnet.validator.records.terms import RoundTerms, VectorTerms
from compression_subnet.validator.rounds.results import ChallengeResult

__all__ = ["Store"]

MAX_DETAIL: Final = 500
"""Characters of a fault's detail that are kept."""


class Store:
    """A validator's record in the file ``path``, made where there is none. Use it as a context manager.

    A damaged file is set aside under a name with the time, and a new record is begun.

    Args:
        path: the file.
        clock: seconds since 1970.
        free_space: bytes that can still be written beside a file, ``free_bytes`` where the disk itself is asked.

    Attributes:
        read: what is in it.
        path: the file itself, where ``path`` is a link to it.
        set_aside: where the damaged file is now; None where there was none.

    Raises:
        StoreFull: there is no room to make it, or to bring it up to date.
        StoreError: the file is another application's or a newer release's; it is left as it is. Or it cannot be read.
    """

    def __init__(
        self, path: Path, clock: Callable[[], float] = time.time, free_space: Callable[[Path], int] = free_bytes
    ):
        self._clock = clock
        self._free_space = free_space
        self.path = path.resolve()
        damage = find_damage(self.path)
        self.set_aside = set_aside(self.path, clock()) if damage else None
        if damage:
            logger.error(
                "{} is damaged ({}); it is now {}, and a new record is begun: no weights are set until that is warm",
                self.path,
                damage,
                self.set_aside,
            )
        self._db = open_database(self.path, MIGRATIONS, RECORD, returns_space=True)
        self._db.execute("PRAGMA foreign_keys = ON")
        self.read = Record(self._db)
        if damage:
            try:
                self.fault("set_aside", f"{self.set_aside}: {damage}")
            except StoreError:
                self.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def check_space(self, least: int) -> None:
        """Check that there is room for a round.

        Raises:
            StoreFull: fewer than ``least`` bytes can be written.
        """
        free = self._free_space(self.path)
        if free < least:
            raise StoreFull(
                f"the disk of {self.path} has {free / 1e6:.0f} MB left, less than the {least / 1e6:.0f} MB of "
                "neuron.min_free_bytes; free some, or keep less (neuron.keep_bytes, neuron.archive_bytes)"
            )

    def fault(self, kind: str, detail: str, count: int = 1) -> None:
        """Count a fault of the round that began last, by its kind; of the details the latest is kept.

        Raises:
            StoreError: it cannot be written.
        """
        with transaction(self._db):
            self._fault(None, kind, detail, count)

    def begin_round(
        self,
        epoch: int,
        profile: str,
        asked: int,
        prices: Prices | None = None,
        max_cost: float | None = None,
        terms: RoundTerms | None = None,
    ) -> int:
        """Open a round of ``asked`` challenges in ``epoch``, and return its number.

        Without ``terms`` its averages and weights cannot be recomputed later.

        A round that was left running by a process that died is marked as dropped: it moved no average.
        """
        prices = prices or Prices()
        cached = prices.prompt if prices.cached is None else prices.cached
        with transaction(self._db):
            self._db.execute("UPDATE rounds SET status = 'dropped' WHERE status = 'running'")
            cursor = self._db.execute(
                "INSERT INTO rounds (epoch, started, profile, asked, status, max_cost,"
                " price_prompt, price_cached, price_completion) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?)",
                (epoch, self._clock(), profile, asked, max_cost, prices.prompt, cached, prices.completion),
            )
            number = int(cursor.lastrowid or 0)
            if terms is not None:
                rule = terms.rule
                self._db.execute(
                    "INSERT INTO terms (round, netuid, hotkey, spec_version, reuse, forgetting, z, power,"
                    " min_challenges, registered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        number,
                        terms.netuid,
                        terms.hotkey,
                        terms.spec_version,
                        int(terms.reuse),
                        terms.forgetting,
                        float(rule.z),
                        rule.power,
                        rule.min_challenges,
                        json.dumps(dict(terms.registered)),
                    ),
                )
        return number

    def add(self, round_number: int, result: ChallengeResult) -> None:
        """Write one challenge with its controls, requests, replies and answers."""
        with transaction(self._db):
            insert_challenge(self._db, round_number, result)
            if unsettled := unsettled_answers(result):
                self._fault(round_number, AnswerStatus.PROVIDER_FAULT.value, unsettled[-1], len(unsettled))

    def finish_round(self, number: int, averages: Mapping[str, Average] | None, detail: str = "", cut: int = 0) -> None:
        """Close a round: with the averages after it, or as void for the reason in ``detail``.

        ``cut`` of its challenges were not begun, because of what they might have cost. Hotkeys that are absent from
        ``averages`` are deleted: they are registered no more.
        """
        with transaction(self._db):
            self._db.execute(
                "UPDATE rounds SET finished = ?, status = ?, detail = ?, cut = ? WHERE number = ?",
                (self._clock(), "void" if averages is None else "counted", detail, cut, number),
            )
            if averages is not None:
                rows = [(hotkey, AVERAGE_JSON.dump_json(average).decode()) for hotkey, average in averages.items()]
                self._db.execute("DELETE FROM averages")
                self._db.executemany("INSERT INTO averages VALUES (?, ?)", rows)
                self._db.executemany("INSERT INTO average_history VALUES (?, ?, ?)", [(number, *row) for row in rows])

    def record_weights(
        self,
        round_number: int,
        vector: Mapping[str, int],
        outcome: WeightsOutcome | None,
        terms: VectorTerms | None = None,
    ) -> None:
        """Write an attempt to set weights: 16-bit integers by hotkey, and what came of it; None is that none was sent.

        ``terms`` are what the vector was made of, without which it cannot be recomputed.
        """
        proof = outcome if isinstance(outcome, WeightsSet | Committed) else None
        with transaction(self._db):
            self._db.execute(
                "INSERT INTO weight_settings (round, at, vector, outcome, detail, block, registered, burn,"
                " burn_unearned, burn_share, set_block, set_hash, reveal_round)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    round_number,
                    self._clock(),
                    json.dumps(dict(vector), sort_keys=True),
                    type(outcome).__name__ if outcome is not None else "NotSent",
                    repr(outcome) if outcome is not None else "",
                    None if terms is None else terms.block,
                    None if terms is None else json.dumps(dict(terms.registered)),
                    None if terms is None else terms.burn,
                    0 if terms is None else int(terms.burn_unearned),
                    0.0 if terms is None else terms.burn_share,
                    None if proof is None else proof.block,
                    None if proof is None else proof.block_hash,
                    proof.reveal_round if isinstance(proof, Committed) else None,
                ),
            )

    def _fault(self, round_number: int | None, kind: str, detail: str, count: int) -> None:
        now = self._clock()
        self._db.execute(
            "INSERT INTO faults VALUES (coalesce(?, (SELECT max(number) FROM rounds), 0), ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET"
            " detail = excluded.detail, count = count + excluded.count, last = excluded.last",
            (round_number, kind, detail.encode(errors="ignore").decode()[:MAX_DETAIL], count, now, now),
        )
