"""An SQLite file of ours: opened and brought to the present schema, and written in whole transactions.

Each kind of file carries a mark of its own (SQLite's application id), so that one is not taken for another.
"""

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from compression_subnet.errors import StoreError

__all__ = ["open_database", "transaction"]


def open_database(path: Path, migrations: Sequence[str], what: str) -> sqlite3.Connection:
    """Return a connection to the file, made where there is none, in WAL mode and with all ``migrations`` run.

    Args:
        path: the file.
        migrations: SQL scripts, each of which takes the file from one version to the next.
        what: the file is, for errors.

    Raises:
        StoreError: the file is none of ours, is damaged, or comes from a newer release; it is left as it is.
    """
    try:
        db = sqlite3.connect(path, timeout=10, isolation_level=None)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}; check the folder and its permissions") from error
    try:
        mark = zlib.crc32(f"compression-subnet {what}".encode()) & 0x7FFFFFFF
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            if db.execute("PRAGMA application_id").fetchone()[0] != mark:
                raise StoreError(f"{path} is no {what} of ours; move it away, or name another file")
        else:
            db.execute(f"PRAGMA application_id = {mark}")
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if version > len(migrations):
            raise StoreError(f"{path} was written by a newer release (schema {version}); upgrade, or name another file")
        with closing(db.execute("PRAGMA journal_mode = WAL")):
            pass
        for number in range(version, len(migrations)):
            db.executescript(f"BEGIN;\n{migrations[number]}\nPRAGMA user_version = {number + 1};\nCOMMIT;")
    except sqlite3.Error as error:
        db.close()
        raise StoreError(f"{path} is no usable {what}: {error}; move it away, or name another file") from error
    except StoreError:
        db.close()
        raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Run what is within as one transaction: all of it or, where it raises, none of it.

    Raises:
        StoreError: SQLite failed (a full disk, a locked file).
    """
    try:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"the file cannot be written: {error}; free space, or end the other process") from error
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
