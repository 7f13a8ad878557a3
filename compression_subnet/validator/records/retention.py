"""Old rounds leave the record for compressed files beside it, and their room is given back.

A round's file is whole, read back and counted before its rows are deleted, all in one transaction. A process that is
killed in between has the round twice and writes the same file again: nothing is lost, nothing counted double.
"""

import asyncio
import contextlib
import re
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from loguru import logger

from compression_subnet.database import BUSY_SECONDS, free_bytes, transaction, write_error
from compression_subnet.errors import StoreError
from compression_subnet.validator.records.archive import archive_folder, archive_path, round_tables, write_archive
from compression_subnet.validator.records.retention_policy import RetentionPolicy, StoredRound, next_to_archive

__all__ = ["Retained", "Retention"]

VACUUM_PAGES: Final = 2000
"""Pages given back at a time: about 8 MB."""
VACUUM_ROOM: Final = 2.2
"""How many times the bytes in use a file of an earlier release needs, once, to become one that gives pages back."""
STOP_SECONDS: Final = 5.0

_ARCHIVE: Final = re.compile(r"round-\d{8,}\.jsonl\.gz")


@dataclass(frozen=True, slots=True)
class Retained:
    """What was done.

    Attributes:
        archived: numbers of the rounds that left the record.
        deleted: archives that were deleted, being the oldest of too many.
        freed: bytes by which the record became smaller.
    """

    archived: tuple[int, ...]
    deleted: tuple[Path, ...]
    freed: int


class _Stopped(Exception):
    """Retention was told to stop; what was begun is undone."""


class Retention:
    """Keeps the record in the file ``path`` within bounds. Never run it while a round is written.

    Args:
        path: the record.
        policy: what is kept.
        clock: seconds since 1970.
        free_space: bytes that can still be written beside a file.
    """

    def __init__(
        self,
        path: Path,
        policy: RetentionPolicy,
        clock: Callable[[], float] = time.time,
        free_space: Callable[[Path], int] = free_bytes,
    ):
        self._path = path
        self._policy = policy
        self._clock = clock
        self._free_space = free_space
        self._stop = threading.Event()

    async def run(self, progress: Callable[[], None] = lambda: None) -> Retained:
        """Do, in a thread, what is due. Where it is cancelled it stops within seconds, with the record as it should be.

        Args:
            progress: called from that thread, now and then.

        Raises:
            StoreFull: there is no room for an archive.
            StoreError: the record or an archive cannot be read or written.
        """
        self._stop.clear()
        work = asyncio.ensure_future(asyncio.to_thread(self.run_here, progress))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            self._stop.set()
            await asyncio.wait([work], timeout=STOP_SECONDS)
            if work.done() and not work.cancelled():
                work.exception()
            raise

    def run_here(self, progress: Callable[[], None] = lambda: None) -> Retained:
        """Do what is due in this thread; see ``run``."""

        def go_on() -> None:
            progress()
            if self._stop.is_set():
                raise _Stopped

        archived: list[int] = []
        deleted: list[Path] = []
        try:
            size = self._path.stat().st_size
            with closing(sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)) as db:
                # So that a statement that takes minutes is stopped too.
                db.set_progress_handler(lambda: int(self._stop.is_set()), 100_000)
                db.execute("PRAGMA foreign_keys = ON")
                self._sweep_drafts()
                deleted += self._prune()
                with contextlib.suppress(_Stopped):
                    while (one := self._next(db)) is not None:
                        go_on()
                        self._archive(db, one.number, go_on)
                        archived.append(one.number)
                        logger.info("round {} left the record for {}", one.number, archive_folder(self._path))
                    deleted += self._prune()
                    self._give_back(db, go_on)
            freed = max(0, size - self._path.stat().st_size)
        except (sqlite3.Error, StoreError, OSError) as error:
            if self._stop.is_set():
                freed = 0  # a statement that was broken off
            elif isinstance(error, sqlite3.Error):
                raise write_error(error) from error
            elif isinstance(error, OSError):
                raise StoreError(f"the archives of {self._path} cannot be looked after: {error}") from error
            else:
                raise
        return Retained(tuple(archived), tuple(deleted), freed)

    def _next(self, db: sqlite3.Connection) -> StoredRound | None:
        used, unused = _sizes(db)
        free = self._free_space(self._path) + unused
        return next_to_archive(_movable(db), self._policy, self._clock(), used, free)

    def _archive(self, db: sqlite3.Connection, number: int, go_on: Callable[[], None]) -> None:
        folder = archive_folder(self._path)
        archive = write_archive(db, number, folder, go_on)
        tables = round_tables(db)
        with transaction(db):
            db.execute(
                "UPDATE rounds SET archive = ?, cost = (SELECT sum(cost) FROM costs WHERE round = number)"
                " WHERE number = ?",
                (archive_path(folder, number).name, number),
            )
            for table, column in reversed(tables.items()):
                if table == "average_history":
                    continue
                where = (
                    f"{column} IN (SELECT id FROM challenges WHERE round = ?)" if column == "challenge" else "round = ?"
                )
                gone = db.execute(f"DELETE FROM {table} WHERE {where}", (number,)).rowcount
                if gone != archive.counts[table]:
                    raise StoreError(f"round {number} was written to while it was archived; it stays in the record")
            # The averages after a round that left are where the next one's are computed from.
            if archive.counts["average_history"]:
                db.execute("DELETE FROM average_history WHERE round < ?", (number,))

    def _give_back(self, db: sqlite3.Connection, go_on: Callable[[], None]) -> None:
        """Shrink the file to what is in use."""
        if not db.execute("PRAGMA auto_vacuum").fetchone()[0]:
            needed = VACUUM_ROOM * _sizes(db)[0]
            if self._free_space(self._path) < needed:
                logger.warning(
                    "{} is of an earlier release and gives no room back until {:.0f} MB are free once",
                    self._path,
                    needed / 1e6,
                )
                return
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute("VACUUM")
        while db.execute("PRAGMA freelist_count").fetchone()[0]:
            go_on()
            db.execute(f"PRAGMA incremental_vacuum({VACUUM_PAGES})").fetchall()
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def _sweep_drafts(self) -> None:
        for draft in archive_folder(self._path).glob("round-*.jsonl.gz.draft"):
            draft.unlink(missing_ok=True)

    def _prune(self) -> list[Path]:
        """Delete the oldest archives of too many, and return them."""
        files = sorted(p for p in archive_folder(self._path).glob("round-*.jsonl.gz") if _ARCHIVE.fullmatch(p.name))
        sizes = {file: file.stat().st_size for file in files}
        total, deleted = sum(sizes.values()), []
        for file in files:
            if self._policy.archive_bytes is None or total <= self._policy.archive_bytes:
                break
            file.unlink()
            total -= sizes[file]
            deleted.append(file)
            logger.warning("{} was deleted: archives take more than neuron.archive_bytes", file)
        return deleted


def _movable(db: sqlite3.Connection) -> list[StoredRound]:
    """Return the rounds that may leave: those before the last that counted and before the last attempt at weights."""
    rows = db.execute(
        "SELECT number, coalesce(finished, started) FROM rounds"
        " WHERE archive IS NULL AND status != 'running'"
        " AND number < (SELECT max(number) FROM rounds WHERE status = 'counted')"
        " AND number < coalesce((SELECT max(round) FROM weight_settings), number + 1) ORDER BY number"
    )
    return [StoredRound(*row) for row in rows]


def _sizes(db: sqlite3.Connection) -> tuple[int, int]:
    """Return the bytes in use, and those that wait to be used again."""
    names = ("page_count", "freelist_count", "page_size")
    pages, free, page = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in names)
    return (pages - free) * page, free * page
