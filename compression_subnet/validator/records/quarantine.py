"""A damaged record is told from a sound one before anything is written, and is set aside, never overwritten.

What another application wrote, or a newer release, is not damaged: it is somebody's, and opening it refuses it.
"""

import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from compression_subnet.database import BUSY_SECONDS, file_mark, is_full
from compression_subnet.errors import StoreError, StoreFull
from compression_subnet.validator.records.archive import archive_folder
from compression_subnet.validator.records.record import AVERAGE_JSON
from compression_subnet.validator.records.schema import MIGRATIONS, RECORD
from compression_subnet.validator.records.wal import logged_pages, wal_damage

__all__ = ["find_damage", "set_aside"]

MAGIC: Final = b"SQLite format 3\0"
HEADER_BYTES: Final = 100
PAGE_BYTES: Final = slice(16, 18)
"""Where the size of a page stands in the header, 1 for 65,536."""
MARK_BYTES: Final = slice(68, 72)
"""Where the application id stands in the header (https://www.sqlite.org/fileformat2.html#the_database_header)."""
SIDECARS: Final = ("-wal", "-shm", "-journal")
HISTORY_VERSION: Final = 3
"""The schema from which on averages are kept twice."""


def find_damage(path: Path) -> str | None:
    """Return what is wrong with the record in the file ``path``, or None; not a byte of it is changed.

    All pages are read (``PRAGMA quick_check``), and all averages: as fast as the disk, a minute for 30 GB.

    Raises:
        StoreFull: there is no room for what SQLite needs to open it.
        StoreError: it cannot be read at all: a folder, permissions, a broken disk, another process's lock.
    """
    try:
        fault = _in_header(path)
        if fault or not path.exists() or _foreign(path):
            return fault
        if fault := wal_damage(_sidecar(path, "-wal")) or _in_length(path):
            return fault
        with closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        ) as db:
            return _in_database(db)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error}; check the file and its permissions") from error
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return str(error)
        if _sidecar(path, "-journal").exists():
            return None  # a first start that was killed: opening it for writing rolls it back
        if is_full(error):
            raise StoreFull(f"{path} cannot be opened: {error}; free space on its disk") from error
        raise StoreError(
            f"{path} cannot be read: {error}; check its disk, and that no other process holds it"
        ) from error


def set_aside(path: Path, now: float) -> Path:
    """Rename a damaged record, with its log and its archives, so that a new one can be begun; return its new path.

    A new record counts its rounds from 1 again: its archives would replace those of the old one.

    Args:
        path: the record.
        now: seconds since 1970; it goes into the name.

    Raises:
        StoreError: it cannot be renamed.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    names = (f"{path.name}.damaged-{stamp}{suffix}" for suffix in ("", *(f"-{n}" for n in range(1, 1000))))
    archives = archive_folder(path)
    aside = next((p for p in map(path.with_name, names) if not any(q.exists() for q in _of(p, archives, path))), None)
    try:
        if aside is None:
            raise FileExistsError("there are a thousand of this second already")
        # Archives first: without them a start finds the record still damaged, and goes on here. Then the record itself:
        # a log alone is found to be damage, a record without its log would pass as an older.
        for source, target in zip(_of(path, archives, path), _of(aside, archives, path), strict=True):
            if source.exists():
                source.rename(target)
        _sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"{path} is damaged and cannot be set aside: {error}; move it away") from error
    return aside


def _of(name: Path, archives: Path, path: Path) -> list[Path]:
    """Return what the record ``path`` with its folder of archives consists of where it is called ``name``."""
    mark = name.name.removeprefix(path.name)
    return [archives.with_name(archives.name + mark), name, *(_sidecar(name, suffix) for suffix in SIDECARS)]


def _in_header(path: Path) -> str | None:
    if not path.exists():
        # SQLite would delete it.
        log = _sidecar(path, "-wal")
        return "it is gone, and its log is left" if log.exists() and log.stat().st_size else None
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if not header:
        return "it is empty"
    if not header.startswith(MAGIC):
        return "it is no SQLite file"
    return "it ends within its header" if len(header) < HEADER_BYTES else None


def _in_length(path: Path) -> str | None:
    """Return that the last page is cut short, which SQLite reads as zeros and takes for sound.

    A process that is killed while it copies the log into the file leaves such a page too: the log holds it then. And
    a file that was never in this mode of writing has a journal beside it, which puts it right.
    """
    with path.open("rb") as file:
        size = int.from_bytes(file.read(HEADER_BYTES)[PAGE_BYTES], "big")
    page_bytes = 65536 if size == 1 else size
    if page_bytes == 0 or path.stat().st_size % page_bytes == 0 or _sidecar(path, "-journal").exists():
        return None
    last = path.stat().st_size // page_bytes + 1
    return None if last in logged_pages(_sidecar(path, "-wal")) else f"it ends within its page {last}"


def _foreign(path: Path) -> bool:
    with path.open("rb") as file:
        mark = file.read(HEADER_BYTES)[MARK_BYTES]
    return int.from_bytes(mark, "big") != file_mark(RECORD)


def _in_database(db: sqlite3.Connection) -> str | None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > len(MIGRATIONS):
        return None
    verdict = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if verdict != "ok":
        return f"quick_check says: {verdict}"
    missing = _names(version) - set(db.execute("SELECT type, name FROM sqlite_master"))
    if missing:
        return f"it lacks the {' '.join(min(missing))}"
    return _in_averages(db, version) if version else None


def _names(version: int) -> set[tuple[str, str]]:
    """Return kind and name of everything that a record of a version has."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for script in MIGRATIONS[:version]:
            db.executescript(script)
        return set(db.execute("SELECT type, name FROM sqlite_master"))


def _in_averages(db: sqlite3.Connection, version: int) -> str | None:
    for hotkey, body in db.execute("SELECT hotkey, body FROM averages"):
        try:
            AVERAGE_JSON.validate_json(body)
        except ValidationError:
            return f"the average of {hotkey!r} is unreadable"
    if version < HISTORY_VERSION:
        return None
    # Pages carry no checksum: a digit that is another one now passes SQLite's check, but not two copies of it.
    history = (
        "SELECT hotkey, body FROM average_history"
        " WHERE round = (SELECT max(number) FROM rounds WHERE status = 'counted')"
    )
    averages = "SELECT hotkey, body FROM averages"
    for first, second in ((averages, history), (history, averages)):
        differing = db.execute(f"SELECT hotkey FROM ({first} EXCEPT {second}) LIMIT 1").fetchone()
        if differing:
            return f"the average of {differing[0]!r} is not what its last round left"
    return None


def _sidecar(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
