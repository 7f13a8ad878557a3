"""Threads that do what would block the event loop, and that nothing has to wait for.

The threads are daemons: ``concurrent.futures`` joins its threads when the interpreter exits, so that a compressor
that hangs would keep a miner from ending. They live as long as the pool, since torch sets up anew in each thread.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from compression_subnet.errors import CompressorError

__all__ = ["Workers"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Job:
    function: Callable[[], Any]
    future: asyncio.Future[Any]

    def settle(self, result: Any, error: Exception | None) -> None:
        """Give the outcome to whoever still waits for it, from the worker's thread."""

        def give() -> None:
            if self.future.done():
                return
            if error is None:
                self.future.set_result(result)
            else:
                self.future.set_exception(error)

        try:
            self.future.get_loop().call_soon_threadsafe(give)
        except RuntimeError:
            return  # the loop is closed: nobody waits


class Workers:
    """A fixed number of threads, and a queue before them.

    Args:
        count: threads.
        clock: monotonic, in seconds; called from the threads too.
    """

    def __init__(self, count: int, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._since: dict[int, float] = {}
        self._count = count
        self._closed = False
        for index in range(count):
            threading.Thread(target=self._work, args=(index,), name=f"compress-{index}", daemon=True).start()

    async def run(self, function: Callable[[], _T]) -> _T:
        """Return what ``function`` returns in one of the threads, or raise what it raises.

        A caller that is cancelled leaves at once: a job that waits is dropped, one that runs goes on unheard.

        Raises:
            CompressorError: the pool is closed.
        """
        if self._closed:
            raise CompressorError("the miner is shutting down")
        job = _Job(function, asyncio.get_running_loop().create_future())
        self._queue.put(job)
        result: _T = await job.future
        return result

    def blocked_seconds(self) -> float:
        """Return for how long no thread has been free: 0 where one is."""
        since = list(self._since.values())
        return self._clock() - max(since) if len(since) == self._count else 0.0

    def close(self) -> None:
        """Let the threads end when what they do now is done. Does not wait."""
        self._closed = True
        for _ in range(self._count):
            self._queue.put(None)

    def _work(self, index: int) -> None:
        while (job := self._queue.get()) is not None:
            if job.future.done():
                continue
            self._since[index] = self._clock()
            error: Exception | None = None
            result: Any = None
            try:
                result = job.function()
            except StopIteration:  # a future cannot carry it
                error = RuntimeError("StopIteration")
            except Exception as raised:
                error = raised
            except BaseException as raised:  # sys.exit in a compressor must not end the miner
                error = RuntimeError(type(raised).__name__)
            self._since.pop(index)
            job.settle(result, error)
