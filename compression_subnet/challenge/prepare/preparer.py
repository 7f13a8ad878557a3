"""Preparing articles ahead, in the background: a fault of one article is counted, a provider that is down is spared."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

from loguru import logger

from compression_subnet.challenge.prepare.draft import ArticleStep, Draft, Origin
from compression_subnet.errors import (
    CompressionSubnetError,
    ContentFault,
    InputError,
    JudgeError,
    ProviderFault,
    StoreError,
)

__all__ = ["Preparer"]

MAX_BACKOFF_SECONDS: Final = 300.0
# So many articles refused in a row are not chance: a model that cannot do it must not be paid for trying for ever.
REFUSED_IN_A_ROW: Final = 8
_FEWEST: Final = 2


class Shelf(Protocol):
    """Keeps what is prepared."""

    def waiting(self) -> int:
        """Return how many articles wait."""

    def put(self, draft: Draft) -> bool:
        """Keep an article; False where its source's text was used before."""

    def open(self) -> list[Draft]:
        """Return all that wait, which are open then."""

    def retire(self) -> None:
        """Forget what is open."""


@dataclass(frozen=True, slots=True)
class _Begun:
    draft: Draft
    steps_done: int


class Preparer:
    """Keeps articles prepared ahead while it is used as a context manager.

    Args:
        origin: where they begin.
        steps: what is done to each, in this order.
        shelf: where they wait.
        ahead: how many are kept waiting.
        parallel: how many are in work at once.
        article_seconds: for one article, wall clock, over all steps.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        origin: Origin,
        steps: Sequence[ArticleStep],
        shelf: Shelf,
        *,
        ahead: int = 8,
        parallel: int = 2,
        article_seconds: float = 1800.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._origin = origin
        self._steps = tuple(steps)
        self._shelf = shelf
        self._ahead = ahead
        self._parallel = parallel
        self._seconds = article_seconds
        self._sleep = sleep
        self._changed = asyncio.Condition()
        self._begun: list[_Begun] = []
        self._faults: Counter[str] = Counter()
        self._busy = self._failures = self._refused = 0
        self._trouble: CompressionSubnetError | None = None
        self._defect: Exception | None = None
        self._exhausted = False
        self._task: asyncio.Task[None] | None = None

    @property
    def faults(self) -> dict[str, int]:
        """Every fault so far, and how often."""
        return dict(self._faults)

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name="articles")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def batch(self, least: int) -> list[Draft]:
        """Return what waits, once that is ``least`` articles, or what is left where no more will come.

        Raises:
            ProviderFault: a provider is down at present.
            StoreError: the shelf cannot be written at present.
            InputError: none of many articles could be used, or all have been.
        """
        async with self._changed:
            while self._shelf.waiting() < least and not self._is_over():
                if self._defect is not None:
                    raise self._defect  # not to be passed over
                if self._trouble is not None:
                    raise self._trouble
                await self._changed.wait()
            # A single one has no other for its noise, and waits until the source has more.
            if self._shelf.waiting() < min(least, _FEWEST):
                raise InputError("all articles of the source have been used once; add articles, or name another")
            drafts = self._shelf.open()
            self._changed.notify_all()
        return drafts

    def retire(self) -> None:
        """Forget the articles of earlier batches: all that could be made of them was."""
        self._shelf.retire()

    def _is_over(self) -> bool:
        return self._exhausted and not self._busy and not self._begun

    async def _run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._parallel):
                    group.create_task(self._work())
        except* Exception as errors:
            self._defect = errors.exceptions[0]
            await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _work(self) -> None:
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._shelf.waiting() + self._busy < self._ahead)
                self._busy += 1
            trouble: CompressionSubnetError | None = None
            try:
                if not await self._prepare():
                    return
                self._failures = self._refused = 0
            except (ProviderFault, StoreError) as fault:
                trouble = fault
            except (InputError, ContentFault, JudgeError) as fault:
                self._count(fault)
                self._refused += 1
                if self._refused >= REFUSED_IN_A_ROW:
                    often = self._faults.most_common(1)[0][0]
                    trouble = InputError(f"of {self._refused} articles in a row none can be used, most often: {often}")
            finally:
                self._busy -= 1
                self._trouble = trouble
                await self._tell()
            if trouble is not None:
                await self._back_off(trouble)

    async def _prepare(self) -> bool:
        """Prepare one article and put it on the shelf; return whether there was one."""
        draft, done = None, 0
        try:
            async with asyncio.timeout(self._seconds):
                if self._begun:
                    begun = self._begun.pop()
                    draft, done = begun.draft, begun.steps_done
                elif (draft := await self._origin.next()) is None:
                    self._exhausted = True
                    return False
                for step in self._steps[done:]:
                    draft = await step(draft)
                    done += 1
        except TimeoutError:
            raise InputError(f"an article took more than {self._seconds:g} s") from None
        except ProviderFault:
            if draft is not None:
                # What was done need not be done again.
                self._begun.append(_Begun(draft, done))
            raise
        if not self._shelf.put(draft):
            raise InputError("the source's text was used before")
        # Seeds and counts are in the pool, beside the article.
        logger.info("article {} is prepared: {}", draft.article.id, ", ".join(draft.provenance) or "as it is")
        return True

    async def _back_off(self, trouble: CompressionSubnetError) -> None:
        self._failures += 1
        wait = min(MAX_BACKOFF_SECONDS, 2.0**self._failures)
        if isinstance(trouble, ProviderFault):
            self._count(trouble)
        logger.warning(
            "{} of {} articles are prepared: {}; trying again in {:.0f} s",
            self._shelf.waiting(), self._ahead, trouble, wait,
        )  # fmt: skip
        await self._sleep(wait)

    def _count(self, fault: CompressionSubnetError) -> None:
        self._faults[f"{type(fault).__name__}: {fault}"] += 1
        if not isinstance(fault, ProviderFault):
            logger.warning("an article cannot be used: {}", fault)
