"""What comes of asking a miner: a reply, or a reason why there is none. Values, never exceptions."""

from dataclasses import dataclass
from enum import StrEnum

from compression_subnet.chain.port import Axon

__all__ = ["Failed", "Failure", "Outcome", "Replied", "Target"]


@dataclass(frozen=True, slots=True)
class Target:
    """Whom to ask.

    Attributes:
        hotkey: that must sign the reply.
        axon: where the chain says it is; None is nowhere.
        uid: under which it is registered, for the record; None where that is not known.
    """

    hotkey: str
    axon: Axon | None
    uid: int | None = None


class Failure(StrEnum):
    """Why there is no reply."""

    ADDRESS_REFUSED = "address_refused"
    """There is no address, or one that is not called; nothing was sent."""
    UNREACHABLE = "unreachable"
    """No connection, or one that broke."""
    TIMEOUT = "timeout"
    """The deadline passed."""
    STATUS = "status"
    """An HTTP status other than 200."""
    TOO_LARGE = "too_large"
    """Beyond the caps of ``protocol``; the rest was not read."""
    BAD_SIGNATURE = "bad_signature"
    """Not signed by the hotkey that was asked, or not for this request."""
    MALFORMED = "malformed"
    """Not HTTP, encoded, not UTF-8, not JSON, or not a ``CompressionReply``."""


@dataclass(frozen=True, slots=True)
class Replied:
    """The miner answered, in time and signed.

    Attributes:
        compressed_text: as sent; whether it complies is not judged here.
        seconds: from before the connection to the last byte.
        size: bytes of the body.
    """

    compressed_text: str
    seconds: float
    size: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The miner did not answer as it should.

    Attributes:
        reason: of our naming; nothing that the miner sent is in here but the status.
        seconds: how long it took to fail.
        status: the HTTP status where that is the reason.
    """

    reason: Failure
    seconds: float
    status: int | None = None


Outcome = Replied | Failed
