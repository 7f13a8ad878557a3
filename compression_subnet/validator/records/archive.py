"""Rounds of a record as files of compressed JSON Lines, and a record made of such files again.

The first line tells the format, the record's schema, the round, and the columns of each table; then there is a row a
line, as a list of the table's name and its values; the last line has the number of rows of each table and the SHA-256
of all lines before it. The same round always gives the same bytes.
"""

import contextlib
import gzip
import hashlib
import json
import os
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from compression_subnet.database import open_database, transaction
from compression_subnet.errors import StoreError, StoreFull
from compression_subnet.validator.records.schema import MIGRATIONS, RECORD

__all__ = ["Archive", "archive_folder", "archive_path", "read_archive", "restore", "round_tables", "write_archive"]

FORMAT: Final = "compression-subnet rounds 1"
COMPRESSION: Final = 6
"""gzip's own default: level 9 takes three times as long for 1 % less."""


@dataclass(frozen=True, slots=True)
class Archive:
    """What a file holds, all of it checked.

    Attributes:
        number: of its round.
        schema: of the record that it is from.
        columns: of each table, in the order of a row's values.
        counts: rows of each table.
        sha256: of its lines, in hexadecimal.
    """

    number: int
    schema: int
    columns: Mapping[str, Sequence[str]]
    counts: Mapping[str, int]
    sha256: str


def archive_folder(record: Path) -> Path:
    """Return the folder for the archives of the record in the file ``record``."""
    return record.with_name(f"{record.stem}-archive")


def archive_path(folder: Path, number: int) -> Path:
    """Return the file for a round."""
    return folder / f"round-{number:08}.jsonl.gz"


def round_tables(db: sqlite3.Connection) -> dict[str, str]:
    """Return, for each table with rows of a round, the column that tells which: ``round``, or ``challenge``.

    Parents come before their children.
    """
    columns: dict[str, set[str]] = {}
    for table, column in db.execute(
        "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'"
        " ORDER BY t.rowid"
    ):
        columns.setdefault(table, set()).add(column)
    of_round = {table: "round" for table in columns if "round" in columns[table]}
    return {**of_round, **{t: "challenge" for t in columns if "challenge" in columns[t] and t not in of_round}}


def write_archive(
    db: sqlite3.Connection,
    number: int,
    folder: Path,
    go_on: Callable[[], None] = lambda: None,
    *,
    without: Collection[str] = (),
) -> Archive:
    """Write a round to its file in ``folder``, read that back, and return what it holds.

    It is written under another name, synced and renamed: under its own name it is whole.

    Args:
        db: a record.
        number: of the round, which nobody is writing to.
        folder: made where there is none.
        go_on: called now and then; may raise, which leaves nothing behind.
        without: tables that are left out.

    Raises:
        StoreFull: there is no room for it.
        StoreError: it cannot be written, or does not read back as it was written.
    """
    path = archive_path(folder, number)
    draft = path.with_name(f"{path.name}.draft")
    try:
        folder.mkdir(exist_ok=True)
        with draft.open("wb") as file:
            digest = _write(db, number, file, go_on, without)
            file.flush()
            os.fsync(file.fileno())
        archive = read_archive(draft)
        if archive.sha256 != digest or archive.number != number:
            raise StoreError(f"{draft} does not read back as it was written; check the disk")
        draft.replace(path)
        _sync_folder(folder)
        _sync_folder(folder.parent)
    except OSError as error:
        raise StoreFull(f"{path} cannot be written: {error}; free space, or check the folder") from error
    except sqlite3.Error as error:
        raise StoreError(f"round {number} cannot be read: {error}") from error
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
    return archive


def read_archive(path: Path) -> Archive:
    """Return what a file holds, after checking all of it.

    Raises:
        StoreError: it is no archive, is cut off or altered, or is of a newer release.
    """
    for line in _lines(path):
        if isinstance(line, Archive):
            return line
    raise StoreError(f"{path} is cut off: its last line is missing")


def restore(archives: Sequence[Path], path: Path) -> list[int]:
    """Make a record, in a new file, of archived rounds, and return their numbers; ``rescore`` works on it.

    Its averages are those after the last of them that counted.

    Raises:
        StoreError: ``path`` is there already, or an archive is unusable, or a round is in two of them.
    """
    if path.exists():
        raise StoreError(f"{path} is there already; name a new file")
    found = sorted(((read_archive(source), source) for source in archives), key=lambda pair: pair[0].number)
    oldest = min((archive.schema for archive, _ in found), default=len(MIGRATIONS))
    newest = max((archive.schema for archive, _ in found), default=len(MIGRATIONS))
    try:
        for version in range(oldest, newest + 1):
            # Rows go in under the schema that they are from, and are brought up to date as any record is.
            with closing(open_database(path, MIGRATIONS[:version], RECORD, returns_space=True)) as db:
                for archive, source in found:
                    if archive.schema == version:
                        _insert(db, archive, source)
        with closing(open_database(path, MIGRATIONS, RECORD)) as db, transaction(db):
            db.execute(
                "INSERT INTO averages SELECT hotkey, body FROM average_history"
                " WHERE round = (SELECT max(number) FROM rounds WHERE status = 'counted')"
            )
    except BaseException:
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        raise
    return [archive.number for archive, _ in found]


def _insert(db: sqlite3.Connection, archive: Archive, source: Path) -> None:
    inserts = {
        table: f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        for table, columns in archive.columns.items()
        if set(columns) <= set(_columns(db, table))
    }
    if len(inserts) < len(archive.columns):
        raise StoreError(f"{source} names tables that its schema {archive.schema} does not have")
    with transaction(db):
        for line in _lines(source):
            if not isinstance(line, Archive):
                db.execute(inserts[line[0]], line[1:])


def _write(db: sqlite3.Connection, number: int, file: Any, go_on: Callable[[], None], without: Collection[str]) -> str:
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=COMPRESSION, fileobj=file, mtime=0) as packed:

        def write(line: Any) -> None:
            data = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(data)
            packed.write(data)

        tables = {table: column for table, column in round_tables(db).items() if table not in without}
        # Without a rowid, rows come in the order of their key anyway.
        keyed = {row[0] for row in db.execute("SELECT name FROM pragma_table_list WHERE wr")}
        columns = {table: _columns(db, table) for table in ("rounds", *tables)}
        schema = db.execute("PRAGMA user_version").fetchone()[0]
        write({"format": FORMAT, "schema": schema, "round": number, "columns": columns})
        challenges = [
            row[0] for row in db.execute("SELECT id FROM challenges WHERE round = ? ORDER BY rowid", (number,))
        ]
        parts = [("rounds", "number", number), *((t, c, number) for t, c in tables.items() if c == "round")]
        parts += [(t, c, one) for one in challenges for t, c in tables.items() if c == "challenge"]
        for table, column, key in parts:
            go_on()
            order = "" if table in keyed else " ORDER BY rowid"
            for row in db.execute(f"SELECT * FROM {table} WHERE {column} = ?{order}", (key,)):
                write([table, *row])
                counts[table] += 1
        lines = digest.hexdigest()
        write({"counts": {table: counts[table] for table in columns}, "sha256": lines})
    return lines


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[0] for row in db.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))]


def _lines(path: Path) -> Iterator[list[Any] | Archive]:
    """Yield the rows of a file, and at its end what it holds."""
    digest = hashlib.sha256()
    counts: Counter[str] = Counter()
    try:
        with gzip.open(path) as file:
            first = next(file, b"")
            digest.update(first)
            head = json.loads(first)
            if head["format"] != FORMAT or head["schema"] > len(MIGRATIONS):
                raise StoreError(f"{path} is of another release: {head['format']}, schema {head['schema']}")
            for line in file:
                row = json.loads(line)
                if isinstance(row, dict):
                    known = {table: counts[table] for table in head["columns"]}
                    if row != {"counts": known, "sha256": digest.hexdigest()} or next(file, None) is not None:
                        raise StoreError(f"{path} was altered: its rows are not those that were written")
                    yield Archive(head["round"], head["schema"], head["columns"], row["counts"], row["sha256"])
                    return
                digest.update(line)
                counts[row[0]] += 1
                yield row
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError(f"{path} cannot be read as an archive: {error!r}") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
