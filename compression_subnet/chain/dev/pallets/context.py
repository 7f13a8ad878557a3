"""What a call sees of the chain that runs it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from compression_subnet.chain.dev.state import Storage

__all__ = ["CallContext", "Event", "Handler"]


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a pallet; ``attributes`` is a dict, or a tuple where the event's fields are unnamed."""

    pallet: str
    name: str
    attributes: Any


@dataclass(frozen=True, slots=True)
class CallContext:
    """The state, the number of the block being built, and the events that were emitted so far."""

    storage: Storage
    block: int
    events: list[Event] = field(default_factory=list)

    def emit(self, pallet: str, name: str, attributes: Any) -> None:
        """Record an event."""
        self.events.append(Event(pallet, name, attributes))


Handler = Callable[..., None]
"""A function that carries out one call: ``(context, signer, **arguments)``.

It raises ``DispatchFailure`` where the call fails; all that it changed is then undone.
"""
