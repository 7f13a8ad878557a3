"""How many calls an endpoint takes at once, found out as TCP finds its window: additive increase, halved on refusal."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["AdaptiveLimit"]


class AdaptiveLimit:
    """Bounds what is under way at once: ``most`` at first, less while there are refusals, at least 1."""

    def __init__(self, most: int):
        self._most = most
        self._limit = float(most)
        self._slots = asyncio.Semaphore(most)
        self._made = most
        """Slots that exist: in the semaphore, or held."""
        self._refused_at = float("-inf")

    @property
    def limit(self) -> int:
        """How many may be under way now."""
        return int(self._limit)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a slot and hold it for as long as the context lasts."""
        await self._slots.acquire()
        try:
            yield
        finally:
            if self._made > self.limit:
                self._made -= 1
            else:
                self._slots.release()

    def succeeded(self) -> None:
        """Widen: by one for every ``limit`` successes."""
        self._limit = min(float(self._most), self._limit + 1 / self._limit)
        while self._made < self.limit:
            self._made += 1
            self._slots.release()

    def refused(self, began: float, now: float) -> None:
        """Halve: once for all refusals of calls that began before the last time, since those tell nothing new.

        Args:
            began: when the refused call began, on a clock that only goes forward.
            now: the time on that clock.
        """
        if began > self._refused_at:
            self._limit = max(1.0, self._limit / 2)
            self._refused_at = now
