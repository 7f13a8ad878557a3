"""Threads that do what would block the event loop, and that nothing has to wait for.

The threads are daemons: ``concurrent.futures`` joins its threads when the interpreter exits, so that a call that
hangs would keep a miner from ending.
"""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeVar

from compression_subnet.errors import CompressorError

__all__ = ["Threads"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Job:
    function: Callable[[], Any]
    future: asyncio.Future[Any]

    def settle(self, result: Any, error: Exception | None) -> None:
        """Give the outcome to whoever still waits for it, from the thread that did it."""

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


class Threads:
    """A fixed number of threads, and a queue before them.

    Args:
        count: threads.
        name: of the threads, with a number after it.
    """

    def __init__(self, count: int, name: str):
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._count = count
        self._closed = False
        for index in range(count):
            threading.Thread(target=self._work, name=f"{name}-{index}", daemon=True).start()

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

    def close(self) -> None:
        """Let the threads end when what they do now is done. Does not wait."""
        self._closed = True
        for _ in range(self._count):
            self._queue.put(None)

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            if job.future.done():
                continue
            error: Exception | None = None
            result: Any = None
            try:
                result = job.function()
            except StopIteration:  # a future cannot carry it
                error = RuntimeError("StopIteration")
            except Exception as raised:
                error = raised
            except BaseException as raised:  # sys.exit in a call must not end the miner
                error = RuntimeError(type(raised).__name__)
            job.settle(result, error)
