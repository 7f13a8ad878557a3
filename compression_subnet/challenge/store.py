"""Challenges made ahead, in one SQLite file: each is drawn once, and none comes back.

What was used is remembered for ever, as 64-bit hashes of the sentences of base texts and of noise sentences. All that
belongs together is written in one transaction, so a process that is killed at any moment leaves a file in which each
challenge is there whole or not at all, and is drawn or is not.
"""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from pydantic import TypeAdapter

from compression_subnet.challenge.filters import Checks
from compression_subnet.challenge.hashes import sentence_hash
from compression_subnet.challenge.made import Made, Recipe
from compression_subnet.challenge.schema import MIGRATIONS
from compression_subnet.challenge.shelf import ArticleShelf
from compression_subnet.challenge.types import Challenge
from compression_subnet.database import open_database, transaction
from compression_subnet.errors import StoreError
from compression_subnet.text.sentences import split_sentences

__all__ = ["ChallengeStore", "read_balance"]

_CHALLENGE: Final = TypeAdapter(Challenge)
_CHECKS: Final = TypeAdapter(Checks)


class ChallengeStore:
    """A pool of challenges in the file ``path``, made where there is none. Use it as a context manager.

    Args:
        path: the file.
        recipe: of the challenges that are to be drawn.
        reuse: whether base texts and noise may be used again: for demos and tests.
        clock: seconds since the epoch.

    Raises:
        StoreError: the file is no pool, is damaged, or comes from a newer release; it is left as it is.
    """

    def __init__(self, path: Path, recipe: Recipe, *, reuse: bool = False, clock: Callable[[], float] = time.time):
        self._recipe = recipe
        self._reuse = reuse
        self._clock = clock
        self._db = open_database(path, MIGRATIONS, "pool of challenges")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def shelf(self) -> ArticleShelf:
        """Return the articles in this file that wait to become challenges of the recipe's settings."""
        return ArticleShelf(self._db, self._recipe.settings, self._clock)

    def ready(self) -> int:
        """Return how many challenges of the recipe wait to be drawn."""
        return self._count("status = 'ready' AND settings = ? AND profile = ?", *self._key)

    def of_other_settings(self) -> int:
        """Return how many wait that were made by other settings; they are drawn when those come back."""
        return self._count("status = 'ready' AND settings != ?", self._recipe.settings)

    def as_base(self, sentence: str) -> bool:
        """Whether the sentence stood in the base text of a challenge made so far."""
        return self._is_used("used_base", sentence)

    def as_noise(self, sentence: str) -> bool:
        """Whether the sentence was noise in a challenge made so far."""
        return self._is_used("used_noise", sentence)

    def add(self, made: Made) -> bool:
        """Write a challenge that is ready; return False, and write nothing, where its base text or noise was used.

        Raises:
            StoreError: the file cannot be written.
        """
        return self._insert(made, "ready")

    def reject(self, candidate: Challenge, checks: Checks) -> None:
        """Write a candidate too few of whose questions passed: its texts were shown to the judge, so they are used.

        Raises:
            StoreError: the file cannot be written.
        """
        self._insert(Made(candidate, (), checks), "rejected")

    def take(self, n: int) -> list[Challenge]:
        """Return the ``n`` challenges made first, marked as drawn; none at all where there are fewer.

        Raises:
            StoreError: the file cannot be read or written.
        """
        with transaction(self._db):
            rows = self._db.execute(
                "SELECT number, body, kept, checks FROM challenges"
                " WHERE status = 'ready' AND settings = ? AND profile = ? ORDER BY number LIMIT ?",
                (*self._key, n),
            ).fetchall()
            if len(rows) < n:
                return []
            # The record has what was drawn before; the latest is kept, for a process that dies before it records.
            self._db.execute("UPDATE challenges SET body = '' WHERE status = 'drawn' AND body != ''")
            self._db.executemany(
                "UPDATE challenges SET status = 'drawn', drawn = ? WHERE number = ?",
                [(self._clock(), row[0]) for row in rows],
            )
        return [_made(*row[1:]).challenge for row in rows]

    def stale(self) -> Made | None:
        """Return a waiting challenge whose questions another profile filtered, the one made first, or None."""
        row = self._db.execute(
            "SELECT body, kept, checks FROM challenges"
            " WHERE status = 'ready' AND settings = ? AND profile != ? ORDER BY number LIMIT 1",
            self._key,
        ).fetchone()
        return _made(*row) if row else None

    def refilter(self, made: Made | None, candidate: Challenge, checks: Checks) -> None:
        """Write what the recipe's profile found of a stale challenge; None takes it out of the pool.

        Raises:
            StoreError: the file cannot be written.
        """
        with transaction(self._db):
            self._db.execute(
                "UPDATE challenges SET profile = ?, checks = ?, kept = ?, status = ?, body = ? WHERE id = ?",
                (
                    self._recipe.profile,
                    _CHECKS.dump_json(checks).decode(),
                    json.dumps(made.kept if made else []),
                    "ready" if made else "rejected",
                    _CHALLENGE.dump_json(candidate).decode() if made else "",
                    candidate.id,
                ),
            )

    def balance(self) -> tuple[dict[str, int], dict[str, int]]:
        """Return how many questions of each kind the recipe's candidates had, and how many were kept."""
        rows = self._db.execute("SELECT checks FROM challenges WHERE settings = ? AND profile = ?", self._key)
        return _balance(row[0] for row in rows)

    @property
    def _key(self) -> tuple[str, str]:
        return self._recipe.settings, self._recipe.profile

    def _insert(self, made: Made, status: str) -> bool:
        candidate = made.candidate
        text = candidate.base_text
        base = {sentence_hash(text[start:end]) for start, end in split_sentences(text)}
        noise = {sentence_hash(span.of(candidate.text)) for span in candidate.noise}
        with transaction(self._db):
            if not self._reuse and self._repeats(base, noise):
                return False
            self._db.execute(
                "INSERT INTO challenges (id, seed, source, settings, profile, checks, kept, body, made, status)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    candidate.id,
                    candidate.seed,
                    candidate.source,
                    *self._key,
                    _CHECKS.dump_json(made.checks).decode(),
                    json.dumps(made.kept),
                    _CHALLENGE.dump_json(candidate).decode() if status == "ready" else "",
                    self._clock(),
                    status,
                ),
            )
            self._db.executemany("INSERT OR IGNORE INTO used_base VALUES (?)", [(h,) for h in sorted(base)])
            self._db.executemany("INSERT OR IGNORE INTO used_noise VALUES (?)", [(h,) for h in sorted(noise)])
        return True

    def _repeats(self, base: set[int], noise: set[int]) -> bool:
        """Whether most base sentences, or any noise sentence, were used."""
        used = sum(self._has("used_base", h) for h in base)
        return 2 * used > len(base) or any(self._has("used_noise", h) for h in noise)

    def _is_used(self, table: str, sentence: str) -> bool:
        return not self._reuse and self._has(table, sentence_hash(sentence))

    def _has(self, table: str, value: int) -> bool:
        return self._db.execute(f"SELECT 1 FROM {table} WHERE hash = ?", (value,)).fetchone() is not None

    def _count(self, condition: str, *values: str) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM challenges WHERE {condition}", values).fetchone()[0])


def read_balance(path: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Return ``ChallengeStore.balance`` over all challenges of the pool in a file, also while it is in use.

    Raises:
        StoreError: the file is no pool.
    """
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as db:
            return _balance(row[0] for row in db.execute("SELECT checks FROM challenges"))
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be read as a pool: {error}; name the file of challenge.pool") from error


def _balance(checks: Iterable[str]) -> tuple[dict[str, int], dict[str, int]]:
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    for text in checks:
        found = _CHECKS.validate_json(text)
        before.update(found.before)
        after.update(found.after)
    return dict(before), dict(after)


def _made(body: str, kept: str, checks: str) -> Made:
    return Made(_CHALLENGE.validate_json(body), tuple(json.loads(kept)), _CHECKS.validate_json(checks))
