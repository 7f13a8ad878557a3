"""Articles prepared ahead, in the pool's file: each is used up once, and no source's text is prepared twice.

Of every text that existed before, the sentences as the source had them are remembered for ever, beside its id: a
rewritten text has their skeletons, and whoever met those twice would know them.
"""

import json
import sqlite3
from collections.abc import Callable, Sequence

from pydantic import TypeAdapter

from compression_subnet.challenge.hashes import sentence_hash
from compression_subnet.challenge.prepare.draft import Draft
from compression_subnet.database import transaction
from compression_subnet.text.sentences import split_sentences

__all__ = ["ArticleShelf"]

_DRAFT = TypeAdapter(Draft)


class ArticleShelf:
    """The prepared articles of one recipe.

    Args:
        db: the pool's file.
        settings: hash of the settings that they were prepared by.
        clock: seconds since the epoch.

    Raises:
        StoreError: the file cannot be written.
    """

    def __init__(self, db: sqlite3.Connection, settings: str, clock: Callable[[], float]):
        self._db = db
        self._settings = settings
        self._clock = clock
        # What a process had open when it ended waits again; what it used of it is known from the challenges.
        self._mark("open", "waiting")

    def waiting(self) -> int:
        """Return how many articles wait."""
        row = self._db.execute(
            "SELECT count(*) FROM articles WHERE settings = ? AND status = 'waiting'", (self._settings,)
        ).fetchone()
        return int(row[0])

    def is_used(self, origin: str, text: str) -> bool:
        """Whether an article of this origin, or most sentences of its text, were prepared or asked before."""
        hashes = _sentences(text)
        used = sum(self._has(h) for h in hashes)
        return self._has(sentence_hash(origin)) or 2 * used > len(hashes)

    def put(self, draft: Draft) -> bool:
        """Write an article that is prepared; return False, and write nothing, where its source's text was used.

        Raises:
            StoreError: the file cannot be written.
        """
        with transaction(self._db):
            if draft.existed is not None and self.is_used(draft.origin, draft.existed):
                return False
            self._db.execute(
                "INSERT INTO articles (id, settings, origin, provenance, body, made, status)"
                " VALUES (?, ?, ?, ?, ?, ?, 'waiting')",
                (
                    draft.article.id,
                    self._settings,
                    draft.origin,
                    json.dumps(draft.provenance, sort_keys=True),
                    _DRAFT.dump_json(draft).decode(),
                    self._clock(),
                ),
            )
            if draft.existed is not None:
                hashes = {sentence_hash(draft.origin), *_sentences(draft.existed)}
                self._db.executemany("INSERT OR IGNORE INTO used_source VALUES (?)", [(h,) for h in sorted(hashes)])
        return True

    def open(self) -> list[Draft]:
        """Return all that wait, in the order of their making; they are open from now on.

        Raises:
            StoreError: the file cannot be written.
        """
        rows = self._db.execute(
            "SELECT body FROM articles WHERE settings = ? AND status = 'waiting' ORDER BY number", (self._settings,)
        ).fetchall()
        self._mark("waiting", "open")
        return [_DRAFT.validate_json(row[0]) for row in rows]

    def retire(self) -> None:
        """Mark what is open as spent; its provenance stays, its text goes.

        Raises:
            StoreError: the file cannot be written.
        """
        with transaction(self._db):
            self._db.execute(
                "UPDATE articles SET status = 'spent', body = '' WHERE settings = ? AND status = 'open'",
                (self._settings,),
            )

    def _mark(self, status: str, new: str) -> None:
        with transaction(self._db):
            self._db.execute(
                "UPDATE articles SET status = ? WHERE settings = ? AND status = ?", (new, self._settings, status)
            )

    def _has(self, value: int) -> bool:
        # A text that was asked as it is has shown its skeletons too.
        return any(
            self._db.execute(f"SELECT 1 FROM {table} WHERE hash = ?", (value,)).fetchone() is not None
            for table in ("used_source", "used_base")
        )


def _sentences(text: str) -> Sequence[int]:
    return sorted({sentence_hash(text[start:end]) for start, end in split_sentences(text)})
