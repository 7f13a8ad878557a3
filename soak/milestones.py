"""What the validator has got to in an epoch, told by those whom it asks."""

import asyncio
from collections import Counter
from typing import Final

from soak.plan import Phase

__all__ = ["Milestones"]

COUNTED: Final = frozenset({Phase.ASKING, Phase.JUDGING})
PATIENCE: Final = 8.0
"""Seconds after which a fault begins in any case: another one may keep its phase from coming."""


class Milestones:
    """Counts what happens in each phase of an epoch."""

    def __init__(self) -> None:
        self._counts: Counter[Phase] = Counter()
        self._changed = asyncio.Event()

    def begin(self) -> None:
        """Begin an epoch."""
        self._counts.clear()

    def hit(self, phase: Phase) -> None:
        """Count one more."""
        self._counts[phase] += 1
        self._changed.set()

    def reached(self, phase: Phase) -> bool:
        """Whether anything has happened in that phase."""
        return self._counts[phase] > 0

    async def wait(self, phase: Phase, after: int) -> None:
        """Wait until ``after`` requests are counted in a phase, or, in one that counts none, so many milliseconds."""
        if phase is Phase.START:
            await asyncio.sleep(after / 1000)
            return
        least = after + 1 if phase in COUNTED else 1
        try:
            async with asyncio.timeout(PATIENCE):
                while self._counts[phase] < least:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return
        if phase not in COUNTED:
            await asyncio.sleep(after / 1000)
