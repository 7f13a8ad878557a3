"""Progress of a neuron, told by its parts and watched from another thread."""

import time
from collections.abc import Callable

__all__ = ["Progress"]


class Progress:
    """When something last went on, and in which phase.

    A part that works in the background tells its own phase's name: that counts only while the neuron is in that
    phase, so that a background task which goes on for ever cannot hide a main loop that does not.

    Writes are single assignments, which another thread sees whole.

    Args:
        clock: monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._state = ("starting", clock())

    @property
    def phase(self) -> str:
        """What the neuron is about."""
        return self._state[0]

    @property
    def silent_seconds(self) -> float:
        """How long nothing has gone on."""
        return self._clock() - self._state[1]

    def enter(self, phase: str) -> None:
        """Say that the neuron is about something else now, which is progress."""
        self._state = (phase, self._clock())

    def beat(self, phase: str | None = None) -> None:
        """Say that something went on; where ``phase`` is given, only if the neuron is in it."""
        now = self._state[0]
        if phase is None or phase == now:
            self._state = (now, self._clock())
