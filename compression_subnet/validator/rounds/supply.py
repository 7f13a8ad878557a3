"""Where a round's challenges come from: a pool that a background task keeps filled, filtered by the very judge.

Making a challenge takes some calls of the judge, so a round must not wait for it: the pool is topped up while rounds
run, and drawing from a filled pool is one read of a file.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Final, Protocol, Self

from loguru import logger

from compression_subnet.challenge.filters import screen
from compression_subnet.challenge.made import Made
from compression_subnet.challenge.store import ChallengeStore
from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import CompressionSubnetError, InputError
from compression_subnet.judge.types import Answerer

__all__ = ["Supply"]

# Of a corpus that suits its judge most excerpts pass; one of which so few pass is not worth the judge's time.
TRIES_A_CHALLENGE: Final = 6
MAX_BACKOFF_SECONDS: Final = 300.0
_PART: Final = 4


class Builder(Protocol):
    """Makes candidates."""

    def build(self, n_questions: int) -> Challenge | Awaitable[Challenge]:
        """Return the next candidate, with at most so many questions, now or once its text is prepared."""


class Supply:
    """Draws challenges whose questions the judge answers from the text and not without it.

    As a context manager it keeps at least ``ready`` of them in the pool, in the background. Without, or where a draw
    needs more, they are made when drawn.

    Args:
        builder: makes candidates.
        answerer: the judge.
        store: the pool.
        questions: most questions of a challenge.
        min_questions: fewest.
        candidates: questions put to the filter, of which at most ``questions`` are kept.
        parallel: candidates in work at once.
        ready: challenges that are kept ready.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        builder: Builder,
        answerer: Answerer,
        store: ChallengeStore,
        *,
        questions: int,
        min_questions: int,
        candidates: int,
        parallel: int,
        ready: int = 0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._builder = builder
        self._answerer = answerer
        self._store = store
        self._questions = questions
        self._min_questions = min_questions
        self._candidates = candidates
        self._parallel = parallel
        self._ready = ready
        self._sleep = sleep
        self._low = asyncio.Event()
        self._filling = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._unscreened: list[Challenge] = []

    async def __aenter__(self) -> Self:
        if left := self._store.of_other_settings():
            logger.warning("{} challenges in the pool were made by other settings and are left there", left)
        if self._ready:
            self._low.set()
            self._task = asyncio.create_task(self._keep_filled(), name="challenge pool")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def draw(self, n: int) -> list[Challenge]:
        """Return ``n`` challenges, none of which was or will be drawn at another time.

        What is made and not drawn, as when this fails, stays in the pool.

        Raises:
            ProviderFault: the judge, or what writes texts, cannot be reached; nothing is known of the questions.
            InputError: so few candidates pass that the corpus does not suit the judge, or the corpus is used up.
            StoreError: the pool cannot be read or written.
        """
        if n <= 0:
            return []
        if self._task is not None and self._task.done():
            self._task.result()  # it ends by a defect alone, which is not to be passed over
        while not (drawn := self._store.take(n)):
            await self._fill(n)
        self._low.set()
        return drawn

    async def _keep_filled(self) -> None:
        failures = 0
        while True:
            await self._low.wait()
            self._low.clear()
            try:
                # In small parts, so that a draw that is waiting comes in between.
                while (now := self._store.ready()) < self._ready:
                    await self._fill(min(self._ready, now + _PART * self._parallel))
                failures = 0
            except CompressionSubnetError as error:
                failures += 1
                wait = min(MAX_BACKOFF_SECONDS, 2.0**failures)
                logger.warning(
                    "the pool has {} of {} challenges: {}; trying again in {:.0f} s",
                    self._store.ready(),
                    self._ready,
                    error,
                    wait,
                )
                await self._sleep(wait)
                self._low.set()

    async def _fill(self, wanted: int) -> None:
        """Make challenges until the pool has ``wanted``; one task at a time does."""
        async with self._filling:
            await self._refilter(wanted)
            missing = wanted - self._store.ready()
            if missing <= 0:
                return
            made = tries = busy = 0

            async def work() -> None:
                nonlocal made, tries, busy
                # What is in work may do: a text too many would be made else, or asked of a corpus that has no more.
                while made + busy < missing:
                    if tries >= TRIES_A_CHALLENGE * missing:
                        raise InputError(
                            f"of {tries} candidate challenges only {made} have {self._min_questions} questions that "
                            "the judge answers from the text; use another corpus, a stronger judge or fewer questions"
                        )
                    tries += 1
                    busy += 1
                    try:
                        is_made = await self._make()
                    finally:
                        busy -= 1
                    if is_made:
                        made += 1
                        logger.info("challenge {} of {} is ready", made, missing)

            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(min(self._parallel, missing)):
                        group.create_task(work())
            except* Exception as errors:
                # Workers fail for one and the same reason; the first tells it.
                raise errors.exceptions[0] from None
            before, after = self._store.balance()
            logger.info("kinds of question before the filter: {}; kept: {}", before, after)

    async def _make(self) -> bool:
        """Put one candidate through the filter and into the pool; return whether it is there."""
        candidate = self._unscreened.pop() if self._unscreened else await self._build()
        try:
            found = await self._screen(candidate)
        except BaseException:
            # The judge has not told of it, and its text may have cost much.
            self._unscreened.append(candidate)
            raise
        if not found.kept:
            self._store.reject(candidate, found.checks)
            return False
        return self._store.add(found)

    async def _build(self) -> Challenge:
        built = self._builder.build(self._candidates)
        return built if isinstance(built, Challenge) else await built

    async def _refilter(self, wanted: int) -> None:
        """Filter what another profile filtered, until enough is ready (MECHANISM 9)."""
        while self._store.ready() < wanted and (stale := self._store.stale()) is not None:
            found = await self._screen(stale.candidate)
            self._store.refilter(found if found.kept else None, stale.candidate, found.checks)

    async def _screen(self, candidate: Challenge) -> Made:
        found = await screen(candidate, self._answerer, n_questions=self._questions, min_questions=self._min_questions)
        return Made(candidate, found.kept, found.checks)
