"""The pallets' calls: what each does to the state, in the order of checks of the live chain."""

from compression_subnet.chain.dev.pallets.context import CallContext, Event, Handler
from compression_subnet.chain.dev.pallets.table import CALLS, FREE_CALLS

__all__ = ["CALLS", "FREE_CALLS", "CallContext", "Event", "Handler"]
