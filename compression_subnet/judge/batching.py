"""Micro-batches: many coroutines ask, one thread works, the event loop never waits on it."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Generic, Self, TypeVar

__all__ = ["MicroBatcher", "Overloaded"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class Overloaded(Exception):  # a state, reported to the client as 429
    """The queue is full."""


class MicroBatcher(Generic[Item, Result]):
    """Collects what arrives while the worker is busy into its next batch. Use as an async context manager.

    There is no waiting for a batch to fill: an idle worker takes a lone item at once.
    """

    def __init__(
        self, work: Callable[[Sequence[Item]], Sequence[Result]], *, max_batch: int = 32, max_waiting: int = 1024
    ):
        """Wrap ``work``.

        Args:
            work: one result an item, in their order; called in one thread only.
            max_batch: most items handed over at once.
            max_waiting: most items queued.
        """
        self._work = work
        self._max_batch = max_batch
        self._max_waiting = max_waiting
        self._task: asyncio.Task[None] | None = None
        self._open()

    async def submit(self, item: Item) -> Result:
        """Return the result for ``item``.

        Raises:
            Overloaded: too many items wait already.
            Exception: whatever ``work`` raised on the batch that held the item.
        """
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        try:
            self._queue.put_nowait((item, future))
        except asyncio.QueueFull:
            raise Overloaded from None
        return await future

    def _open(self) -> None:
        self._queue: asyncio.Queue[tuple[Item, asyncio.Future[Result]]] = asyncio.Queue(self._max_waiting)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="micro-batch")

    async def __aenter__(self) -> Self:
        self._open()  # anew, so that it can be used again, in another event loop too
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        while not self._queue.empty():
            self._queue.get_nowait()[1].cancel()
        await asyncio.to_thread(self._thread.shutdown)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = [await self._queue.get()]
            while len(batch) < self._max_batch and not self._queue.empty():
                batch.append(self._queue.get_nowait())
            # A future is done already where its client has gone.
            batch = [(item, future) for item, future in batch if not future.done()]
            if not batch:
                continue
            try:
                results = await loop.run_in_executor(self._thread, self._work, [item for item, _ in batch])
            except asyncio.CancelledError:
                for _, future in batch:
                    future.cancel()
                raise
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), result in zip(batch, results, strict=True):
                if not future.done():
                    future.set_result(result)
