"""The watchdog: ends a process in which nothing goes on, with the stacks of everything, for a supervisor to start anew.

A validator whose one call to a chain never returns looks alive to a supervisor and earns nothing. So this runs in a
thread of its own, which a blocked event loop does not block, and leaves by ``os._exit``: a thread that hangs would keep
``sys.exit`` waiting. Should native code hold the interpreter itself, faulthandler's own thread ends the process.
"""

import asyncio
import faulthandler
import os
import sys
import threading
from collections.abc import Callable, Iterator
from traceback import StackSummary
from types import FrameType, TracebackType
from typing import Final, Self, TextIO

from loguru import logger

from compression_subnet.ops.progress import Progress

__all__ = ["EXIT_STALLED", "Watchdog", "dump_stacks"]

EXIT_STALLED: Final = 3
LOG_SECONDS: Final = 2.0
END_SECONDS: Final = 30.0
MAX_LOOK_SECONDS: Final = 5.0


class Watchdog:
    """Watches ``progress`` while it is used as a context manager, entered where the event loop runs.

    Args:
        progress: what is watched.
        seconds: the longest silence that is legitimate.
        stream: where stacks go; it needs a file descriptor.
        leave: ends the process with a status; does not return.
    """

    def __init__(
        self,
        progress: Progress,
        seconds: float,
        *,
        stream: TextIO | None = None,
        leave: Callable[[int], None] = os._exit,
    ):
        self._progress = progress
        self._seconds = seconds
        self._stream = sys.stderr if stream is None else stream
        self._leave = leave
        self._ended = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def fault(self) -> str:
        """Return why the process should be ended, or nothing; for ``/healthz``, which tells before it is done."""
        silent = self._progress.silent_seconds
        if silent <= self._seconds:
            return ""
        phase = self._progress.phase
        return f"nothing has gone on for {silent:.1f} s while {phase}, where {self._seconds:g} s are in order"

    def __enter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        look = min(MAX_LOOK_SECONDS, self._seconds / 10)
        try:
            while not self._ended.wait(look):
                # Set off only where this very thread gets no turn any more.
                faulthandler.dump_traceback_later(self._seconds + look, exit=True, file=self._stream)
                if reason := self.fault():
                    self._end(reason)
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _end(self, reason: str) -> None:
        faulthandler.dump_traceback_later(END_SECONDS, exit=True, file=self._stream)
        try:
            dump_stacks(self._stream, self._loop)
        finally:
            # Whoever hangs may hold the log's lock: it gets a moment, no more.
            telling = threading.Thread(
                target=logger.critical, args=("{}; leaving for a supervisor to start it anew", reason), daemon=True
            )
            telling.start()
            telling.join(LOG_SECONDS)
            self._leave(EXIT_STALLED)


def dump_stacks(stream: TextIO, loop: asyncio.AbstractEventLoop | None) -> None:
    """Write the stacks of all threads, and of all tasks of ``loop``, to ``stream``."""
    stream.flush()
    faulthandler.dump_traceback(file=stream, all_threads=True)
    if loop is None:
        return
    for task in asyncio.all_tasks(loop):
        print(f"\nTask {task.get_name()}:", file=stream)
        print("".join(StackSummary.extract(_awaiting(task.get_coro())).format()), end="", file=stream)
    stream.flush()


def _awaiting(coroutine: object) -> Iterator[tuple[FrameType, int]]:
    """Yield the frames of a coroutine and of all that it awaits; ``Task.get_stack`` has the first alone."""
    while coroutine is not None:
        frame = getattr(coroutine, "cr_frame", None) or getattr(coroutine, "gi_frame", None)
        if frame is None:
            return
        yield frame, frame.f_lineno
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)
