"""Misbehaviour on demand: what a client of a real node meets sooner or later.

| kind | arguments | does |
| --- | --- | --- |
| drop | seconds=0 | cuts every connection off; for that long, also each new one at its first request |
| hang | seconds, methods=all | takes requests and never answers them; sends nothing |
| slow | seconds, delay | answers each request after that many seconds |
| refuse | seconds, methods=all, code=-32000, message="refused by a fault" | answers with an error |
| pool | seconds, number | refuses each extrinsic with that custom error number (1010, "Custom error: N") |
| jump | blocks | builds that many blocks at once; subscribers hear of the last alone |
| swap_hotkey | netuid, uid, hotkey | lets another hotkey of the same coldkey hold a uid |
| shrink | netuid, count | removes the highest uids |
| grow | netuid, count | registers new hotkeys |
| clear | | ends every fault |

Connections that have only asked for development methods are spared, and so are development methods.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from compression_subnet.chain.dev.errors import custom_refusal

__all__ = ["Drop", "Fault", "FaultPlan", "Hang", "RefuseExtrinsics", "RefuseRequests", "Slow"]

_DEFAULT_CODE: Final = -32000


@dataclass(frozen=True, slots=True)
class Drop:
    """Cut connections off."""


@dataclass(frozen=True, slots=True)
class Hang:
    """Never answer."""

    methods: frozenset[str] = frozenset()
    """Methods that it touches; all, where empty."""


@dataclass(frozen=True, slots=True)
class Slow:
    """Answer late."""

    delay: float
    """Seconds."""


@dataclass(frozen=True, slots=True)
class RefuseRequests:
    """Answer with an error."""

    methods: frozenset[str] = frozenset()
    code: int = _DEFAULT_CODE
    message: str = "refused by a fault"


@dataclass(frozen=True, slots=True)
class RefuseExtrinsics:
    """Refuse every extrinsic with a custom error."""

    number: int


Fault = Drop | Hang | Slow | RefuseRequests | RefuseExtrinsics


@dataclass(slots=True)
class FaultPlan:
    """The faults in force, each until its time. ``clock`` returns seconds."""

    clock: Callable[[], float]
    _until: list[tuple[float, Fault]] = field(default_factory=list)

    def add(self, fault: Fault, seconds: float) -> None:
        """Let a fault be for that long."""
        self._until.append((self.clock() + seconds, fault))

    def clear(self) -> None:
        """End every fault."""
        self._until.clear()

    def for_request(self, method: str) -> Fault | None:
        """Return the first fault that touches a request, or None."""
        for fault in self._active():
            touches = not isinstance(fault, Hang | RefuseRequests) or not fault.methods or method in fault.methods
            if touches and not isinstance(fault, RefuseExtrinsics):
                return fault
        return None

    def silent(self) -> bool:
        """Say whether nothing at all is sent at present."""
        return any(isinstance(fault, Hang) and not fault.methods for fault in self._active())

    def admit(self) -> None:
        """Let an extrinsic through to the pool, or not.

        Raises:
            PoolRefusal: a fault refuses it.
        """
        for fault in self._active():
            if isinstance(fault, RefuseExtrinsics):
                raise custom_refusal(fault.number)

    def _active(self) -> list[Fault]:
        now = self.clock()
        self._until = [(until, fault) for until, fault in self._until if until > now]
        return [fault for _, fault in self._until]
