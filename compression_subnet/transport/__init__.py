"""Signed HTTP: who said it, which addresses are called, and the client that asks miners."""

from compression_subnet.transport.addresses import AddressFault, address_fault
from compression_subnet.transport.dendrite import Dendrite
from compression_subnet.transport.outcomes import Failed, Failure, Outcome, Replied, Target
from compression_subnet.transport.signing import Caller, Hotkey, RequestRefused, RequestVerifier

__all__ = [
    "AddressFault",
    "Caller",
    "Dendrite",
    "Failed",
    "Failure",
    "Hotkey",
    "Outcome",
    "Replied",
    "RequestRefused",
    "RequestVerifier",
    "Target",
    "address_fault",
]
