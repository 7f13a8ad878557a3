"""An SQLite file of ours: opened and brought to the present schema, and written in whole transactions.

Each kind of file carries a mark of its own (SQLite's application id), so that one is not taken for another.
"""

import contextlib
import shutil
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from compression_subnet.errors import StoreError, StoreFull

__all__ = ["BUSY_SECONDS", "file_mark", "free_bytes", "is_full", "open_database", "transaction", "write_error"]

BUSY_SECONDS: Final = 10.0
"""How long a write waits for another process's."""
CACHE_KIB: Final = 512
"""Of SQLite's page cache, for each connection: its default of 2 MB fills over days and looks like a leak until then."""

# A disk that is full is SQLITE_FULL; a quota, a limit on the file's size, and a full disk under the shared-memory file
# are these kinds of SQLITE_IOERR.
_FULL: Final = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE})


def file_mark(what: str) -> int:
    """Return the application id of the files that are a ``what``: a positive 32-bit integer."""
    return zlib.crc32(f"compression-subnet {what}".encode()) & 0x7FFFFFFF


def free_bytes(path: Path) -> int:
    """Return how many bytes can still be written to the disk of ``path``."""
    return shutil.disk_usage(path.parent).free


def open_database(
    path: Path, migrations: Sequence[str], what: str, *, returns_space: bool = False, any_thread: bool = False
) -> sqlite3.Connection:
    """Return a connection to the file, made where there is none, in WAL mode and with all ``migrations`` run.

    Args:
        path: the file.
        migrations: SQL scripts, each of which takes the file from one version to the next.
        what: the file is, for errors.
        returns_space: whether a new file is one from which ``PRAGMA incremental_vacuum`` gives freed pages back.
        any_thread: whether any thread may use the connection, of which the caller lets in one at a time.

    Raises:
        StoreFull: there is no room to make it, or to bring it up to date.
        StoreError: the file is none of ours, is damaged, or comes from a newer release; it is left as it is.
    """
    try:
        db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not any_thread)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}; check the folder and its permissions") from error
    try:
        mark = file_mark(what)
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            if db.execute("PRAGMA application_id").fetchone()[0] != mark:
                raise StoreError(f"{path} is no {what} of ours; move it away, or name another file")
        else:
            if returns_space:
                db.execute("PRAGMA auto_vacuum = INCREMENTAL")
            db.execute(f"PRAGMA application_id = {mark}")
        db.execute(f"PRAGMA cache_size = -{CACHE_KIB}").close()
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations):
            raise StoreError(f"{path} was written by a newer release (schema {version}); upgrade, or name another file")
        with closing(db.execute("PRAGMA journal_mode = WAL")):
            pass
        for number in range(version, len(migrations)):
            db.executescript(f"BEGIN;\n{migrations[number]}\nPRAGMA user_version = {number + 1};\nCOMMIT;")
    except sqlite3.Error as error:
        db.close()
        if is_full(error):
            raise StoreFull(f"{path} cannot be written: {error}; free space on its disk") from error
        raise StoreError(f"{path} is no usable {what}: {error}; move it away, or name another file") from error
    except StoreError:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run what is within as one transaction: all of it or, where it raises, none of it.

    Raises:
        StoreFull: there is no room on the disk.
        StoreError: SQLite failed otherwise (a locked file, a disk that is broken).
    """
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except sqlite3.Error as error:
        raise write_error(error) from error
    finally:
        if db.in_transaction:
            # What cannot be undone now is undone when the file is next opened: it was never committed.
            with contextlib.suppress(sqlite3.Error):
                db.execute("ROLLBACK")


def write_error(error: sqlite3.Error) -> StoreError:
    """Return the error of ours that SQLite's stands for, where a write failed."""
    if is_full(error):
        return StoreFull(f"the file cannot be written: {error}; free space on its disk, or raise the limit on files")
    if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return StoreError(f"the file is damaged: {error}; check its disk, and start again: a start checks all of it")
    return StoreError(f"the file cannot be written: {error}; check its disk, or end the other process")


def is_full(error: sqlite3.Error) -> bool:
    """Whether it is a write that there was no room for."""
    code = getattr(error, "sqlite_errorcode", None)  # absent where Python's own module raised
    return code in _FULL
