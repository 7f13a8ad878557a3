"""What must be well for a neuron to do its work, each under a short name, and what is wrong with those that are not."""

import threading

__all__ = ["Conditions"]


class Conditions:
    """Named conditions; all that were declared count as well until something is said against them.

    Set by the neuron and read by the server's thread, so everything is under one lock.

    Args:
        unknown: names of those that are not well until they are said to be.
    """

    def __init__(self, *unknown: str):
        self._lock = threading.Lock()
        self._faults = dict.fromkeys(unknown, "not known yet")

    def well(self, name: str) -> None:
        """Say that ``name`` is as it should be."""
        with self._lock:
            self._faults[name] = ""

    def ill(self, name: str, reason: str) -> None:
        """Say what is wrong with ``name``: words of ours, never a stranger's text."""
        with self._lock:
            self._faults[name] = reason or "not well"

    @property
    def faults(self) -> dict[str, str]:
        """What is wrong, by name; an empty text is a condition that is well."""
        with self._lock:
            return dict(self._faults)

    @property
    def ready(self) -> bool:
        """Whether all are well."""
        return not any(self.faults.values())
