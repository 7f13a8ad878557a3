"""Answers that were paid for once: identical texts and questions are not asked again, within a round and after it.

For miners' replies alone. Controls and canaries say whether the judge works now, and an answer of yesterday does not.
"""

import asyncio
import contextlib
import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self
from weakref import WeakValueDictionary

from loguru import logger

from compression_subnet.database import open_database, transaction, write_error
from compression_subnet.errors import StoreError, StoreFull
from compression_subnet.judge.types import Answer, Answerer, AnswerStatus, Usage

__all__ = ["AnswerCache", "CachedAnswerer", "JournaledAnswerer"]

MIGRATIONS: Final = (
    """
    CREATE TABLE answers (
        key        BLOB PRIMARY KEY,
        at         REAL NOT NULL,
        body       TEXT NOT NULL,
        prompt     INTEGER NOT NULL,
        cached     INTEGER NOT NULL,
        completion INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    """,
)
KEEP_SECONDS: Final = 14 * 24 * 3600.0
"""How long an answer is kept: texts are new in every round, so an older one is hardly ever of use."""


class AnswerCache:
    """Settled answers in a small SQLite file of its own, made where there is none. Use as a context manager.

    It holds hashes of texts and questions, and answers. Deleting the file costs money and nothing else, which is why
    it is no part of the validator's record.

    Raises:
        StoreError: the file is no cache of ours, or cannot be written; the message names the fix.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.time):
        self._path = path
        self._clock = clock
        self._db = open_database(path, MIGRATIONS, "cache of answers")
        # The last answers may be lost with the power: they are asked again.
        self._db.execute("PRAGMA synchronous = NORMAL")
        # Where the disk is full they stay until there is room: a validator starts all the same, to set weights.
        with contextlib.suppress(StoreFull), transaction(self._db):
            self._db.execute("DELETE FROM answers WHERE at < ?", (clock() - KEEP_SECONDS,))

    def find(self, key: bytes) -> Answer | None:
        """Return the answer under ``key``, with no usage since it cost nothing; None where there is none.

        Raises:
            StoreError: the file cannot be read.
        """
        try:
            row = self._db.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} cannot be read: {error}") from error
        if row is None:
            return None
        status, text, detail = json.loads(row[0])
        return Answer(AnswerStatus(status), text, detail)

    def keep(self, key: bytes, answer: Answer) -> None:
        """Keep a settled answer under ``key``.

        Raises:
            ValueError: the answer is a provider's fault, which settles nothing.
            StoreError: the file cannot be written.
        """
        if answer.status is AnswerStatus.PROVIDER_FAULT:
            raise ValueError("a provider's fault is no answer")
        body = json.dumps([answer.status.value, answer.text, answer.detail])
        usage = answer.usage
        row = (key, self._clock(), body, usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens)
        try:
            self._db.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)", row)
        except sqlite3.Error as error:
            raise write_error(error) from error

    def spent(self) -> Usage:
        """Return the tokens that all answers in the file cost when they were asked."""
        columns = "coalesce(sum(prompt), 0), coalesce(sum(cached), 0), coalesce(sum(completion), 0)"
        return Usage(*self._db.execute(f"SELECT {columns} FROM answers").fetchone())

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class CachedAnswerer:
    """An ``Answerer`` that asks another one only what the cache does not hold.

    Args:
        answerer: the judge.
        cache: where answers are kept.
        profile: hash of everything that they depend on; another profile's are not found.
    """

    def __init__(self, answerer: Answerer, cache: AnswerCache, profile: str):
        self._answerer = answerer
        self._cache = cache
        self._profile = profile
        self._texts: WeakValueDictionary[bytes, asyncio.Lock] = WeakValueDictionary()

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return one answer a question, in their order; only the first of equal ones has its usage."""
        keys = [self._key(text, question) for question in questions]
        lock = self._texts.setdefault(self._key(text, ""), asyncio.Lock())
        # Whoever comes with the same text meanwhile waits, and then finds the answers.
        async with lock:
            found = {key: answer for key in keys if (answer := self._find(key)) is not None}
            missing = {key: q for key, q in zip(keys, questions, strict=True) if key not in found}
            fresh: dict[bytes, Answer] = {}
            if missing:
                asked = await self._answerer.answer(text, list(missing.values()))
                fresh = dict(zip(missing, asked, strict=True))
                for key, answer in fresh.items():
                    if answer.status is not AnswerStatus.PROVIDER_FAULT:
                        self._keep(key, answer)
        answers = []
        for key in keys:
            answer = found.get(key) or fresh[key]
            answers.append(answer)
            if key in fresh:
                found[key] = Answer(answer.status, answer.text, answer.detail)
        return answers

    # A full disk costs money and must not cost the round: without its cache, the judge is asked.
    def _find(self, key: bytes) -> Answer | None:
        try:
            return self._cache.find(key)
        except StoreError as error:
            logger.warning("an answer is asked anew: {}", error)
            return None

    def _keep(self, key: bytes, answer: Answer) -> None:
        try:
            self._cache.keep(key, answer)
        except StoreError as error:
            logger.warning("an answer will be asked anew: {}", error)

    def _key(self, text: str, question: str) -> bytes:
        digest = hashlib.sha256(self._profile.encode())
        for part in (text, question):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.digest()


class JournaledAnswerer:
    """An ``Answerer`` that goes on with a run that was broken off: what was answered before is not asked again.

    The journal belongs to one run over given texts, whose controls are of that run too; hence it is no
    ``CachedAnswerer``, and must not stand in for one.

    Args:
        answerer: the judge.
        journal: the run's own file.
        profile: as for ``CachedAnswerer``.
    """

    def __init__(self, answerer: Answerer, journal: AnswerCache, profile: str):
        self._answerer = CachedAnswerer(answerer, journal, profile)

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return one answer a question, in their order."""
        return await self._answerer.answer(text, questions)
