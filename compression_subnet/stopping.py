"""Being told to stop: work is cancelled, gets a bounded time to close, and a second signal ends the process at once."""

import asyncio
import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from types import FrameType, TracebackType
from typing import Any, Final, Self, TypeVar

from loguru import logger

__all__ = ["CLOSING_SECONDS", "EXIT_ABANDONED", "Stopping"]

T = TypeVar("T")

CLOSING_SECONDS: Final = 10.0
EXIT_ABANDONED: Final = 4
"""Told to stop, and something would not close in time. Nothing is lost: the record is a file of transactions."""
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Stopping:
    """Handles SIGTERM and SIGINT while it is used as a context manager, in the main thread, around the event loop.

    The first signal cancels the work. With ``closing_seconds`` a second one ends the process there and then, with
    status 128 + its number, and so does ``EXIT_ABANDONED`` when the context lasts longer than that after the first:
    closing a connection may wait for a peer that hangs, and the interpreter for a thread that does.

    The handlers are the interpreter's, not the event loop's, so that they run while that is blocked; and they are set
    here, since Python's own are missing where a shell started the process in the background with SIGINT ignored.

    Args:
        closing_seconds: None lets closing take as long as it takes, and further signals do nothing.
        leave: ends the process with a status; does not return.
    """

    def __init__(self, closing_seconds: float | None, *, leave: Callable[[int], None] = os._exit):
        self._seconds = closing_seconds
        self._leave = leave
        self._told = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Future[Any] | None = None
        self._timer: threading.Timer | None = None
        self._former: dict[int, Any] = {}

    async def run(self, work: Coroutine[Any, Any, T]) -> T | None:
        """Return what ``work`` returns, or None where a signal cancelled it."""
        self._loop = asyncio.get_running_loop()
        self._task = task = asyncio.ensure_future(work)
        if self._told:
            task.cancel()
        try:
            return await task
        except asyncio.CancelledError:
            if not self._told:
                raise
            return None

    def __enter__(self) -> Self:
        for number in _SIGNALS:
            self._former[number] = signal.signal(number, self._stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        # May interrupt anything, a log's lock held included: so nothing is logged here.
        if self._told:
            if self._seconds is not None:
                self._leave(128 + number)
            return
        self._told = True
        if self._seconds is not None:
            self._timer = threading.Timer(self._seconds, self._abandon)
            self._timer.daemon = True
            self._timer.start()
        if self._loop is not None and self._task is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._task.cancel)

    def _abandon(self) -> None:
        faulthandler.dump_traceback(file=sys.__stderr__ or 2, all_threads=True)
        said = "not everything was closed within {:g} s; leaving it"
        telling = threading.Thread(target=logger.error, args=(said, self._seconds), daemon=True)
        telling.start()
        telling.join(1.0)
        self._leave(EXIT_ABANDONED)
