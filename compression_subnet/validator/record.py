"""Reading a validator's record, also while the validator writes it."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from compression_subnet.errors import StoreError
from compression_subnet.scoring import Average
from compression_subnet.validator.schema import MIGRATIONS

__all__ = ["AVERAGE_JSON", "Record", "open_record"]

AVERAGE_JSON: Final = TypeAdapter(Average)


class Record:
    """What is in an open record."""

    def __init__(self, db: sqlite3.Connection):
        self._db = db

    def averages(self) -> dict[str, Average]:
        """Return the averages of all hotkeys, as of the last round that counted."""
        rows = self._db.execute("SELECT hotkey, body FROM averages ORDER BY hotkey").fetchall()
        return {hotkey: AVERAGE_JSON.validate_json(body) for hotkey, body in rows}

    def last_weights(self) -> dict[str, int]:
        """Return the vector of the last attempt, by hotkey; empty where there was none."""
        row = self._db.execute("SELECT vector FROM weight_settings ORDER BY id DESC LIMIT 1").fetchone()
        return json.loads(row[0]) if row else {}

    def reasons(self) -> dict[str, dict[str, int]]:
        """Return how often each hotkey's replies got each verdict, over the whole record."""
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


@contextmanager
def open_record(path: Path) -> Iterator[Record]:
    """Open the record in the file ``path`` for reading alone, for as long as the context lasts.

    Raises:
        StoreError: there is no such file, it is no record of ours, or it is of another release.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version != len(MIGRATIONS):
                raise StoreError(f"{path} has schema {version}, and this release reads {len(MIGRATIONS)}")
            yield Record(db)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read: {error}") from error
