"""Who said it: requests signed by ``btauth/1``, replies by a signature over what they answer.

``bittensor.http_auth`` signs requests only. A reply is signed here in the same manner by the miner's hotkey, over
the request's nonce, sender and body, so that a relayed, replayed or swapped reply does not verify, and so that a
kept reply proves who sent it. Bodies and targets are the raw bytes of the wire, before any parsing.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from compression_subnet.chain.wallets import Hotkey
from compression_subnet.errors import TransportError

if TYPE_CHECKING:
    from bittensor.http_auth import NonceStore

__all__ = [
    "REPLY_SIGNATURE_HEADER",
    "Caller",
    "Hotkey",
    "RequestRefused",
    "RequestVerifier",
    "claimed_hotkey",
    "reply_is_signed",
    "sign_reply",
    "sign_request",
]

REPLY_SIGNATURE_HEADER: Final = "X-Compression-Signature"
_REPLY_SCHEME_HEADER: Final = "X-Compression-Crypto"
_REPLY_PROTOCOL: Final = "compression-subnet/reply/1"
_HOTKEY_HEADER: Final = "X-Bittensor-Hotkey"
_NONCE_HEADER: Final = "X-Bittensor-Nonce"


class RequestRefused(TransportError):
    """A request's signature was missing, wrong, stale, replayed or meant for another; the message is for the log."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The proven sender of a request, and the nonce that its signature covers."""

    hotkey: str
    nonce: str


def sign_request(hotkey: Hotkey, *, path: str, body: bytes, receiver: str, nonce: int | None = None) -> dict[str, str]:
    """Return the headers that prove a POST request.

    Args:
        hotkey: the sender's.
        path: the request target exactly as it goes over the wire, percent-encoded, query included.
        body: the raw body.
        receiver: address of the hotkey that the request is for.
        nonce: nanoseconds since the epoch; the present time where None. Each request needs a fresh one.
    """
    from bittensor import http_auth

    return http_auth.sign(hotkey, method="POST", path=path, body=body, receiver_ss58=receiver, nonce_ns=nonce)


def claimed_hotkey(headers: Mapping[str, str]) -> str | None:
    """Return the address that a request says it comes from, unproven, or None."""
    return headers.get(_HOTKEY_HEADER)


class RequestVerifier:
    """Checks requests for one receiver, and remembers nonces so that none is taken twice.

    Args:
        receiver: address of the hotkey that requests must be bound to.
        nonces: where accepted nonces are remembered; in this process where None.
    """

    def __init__(self, receiver: str, nonces: "NonceStore | None" = None):
        from bittensor import http_auth

        self._auth = http_auth
        self._receiver = receiver
        self._nonces = nonces if nonces is not None else http_auth.InMemoryNonceStore()

    def verify(self, headers: Mapping[str, str], body: bytes, *, path: str) -> Caller:
        """Return the sender of a POST request.

        Args:
            headers: as received; names in any case.
            body: the raw body.
            path: the raw request target, query included.

        Raises:
            RequestRefused: the request does not prove its sender, or was not made for us just now.
        """
        try:
            caller = self._auth.verify(
                headers,
                body,
                method="POST",
                path=path,
                self_hotkey_ss58=self._receiver,
                nonce_store=self._nonces,
            )
        except self._auth.AuthError as error:
            raise RequestRefused(type(error).__name__) from None
        return Caller(hotkey=caller.hotkey_ss58, nonce=str(caller.nonce_ns))


def _reply_payload(scheme: str, caller: Caller, miner: str, request_body: bytes, body: bytes) -> bytes:
    # No field can hold a line feed, so that one payload has one reading.
    lines = (
        _REPLY_PROTOCOL,
        scheme,
        caller.nonce,
        caller.hotkey,
        miner,
        hashlib.sha256(request_body).hexdigest(),
        hashlib.sha256(body).hexdigest(),
    )
    return "\n".join(lines).encode()


def sign_reply(hotkey: Hotkey, caller: Caller, *, request_body: bytes, body: bytes) -> dict[str, str]:
    """Return the headers that prove a reply: who answers whom, to what, with what."""
    from bittensor.wallets import format_crypto_type

    scheme = format_crypto_type(hotkey.crypto_type)
    payload = _reply_payload(scheme, caller, hotkey.ss58_address, request_body, body)
    return {REPLY_SIGNATURE_HEADER: "0x" + hotkey.sign(payload).hex(), _REPLY_SCHEME_HEADER: scheme}


def reply_is_signed(
    headers: Mapping[str, str],
    body: bytes,
    *,
    miner: str,
    request_headers: Mapping[str, str],
    request_body: bytes,
) -> bool:
    """Whether ``miner`` signed this reply to this request. Never raises for what the reply holds.

    Args:
        headers: of the reply; looked up by name, so they must ignore case.
        body: of the reply, raw.
        miner: address of the hotkey that was asked.
        request_headers: what ``sign_request`` returned.
        request_body: raw body of the request.
    """
    from bittensor.sp_core import verify
    from bittensor.wallets import format_crypto_type, parse_crypto_type

    caller = Caller(hotkey=request_headers[_HOTKEY_HEADER], nonce=request_headers[_NONCE_HEADER])
    try:
        signature = bytes.fromhex(headers.get(REPLY_SIGNATURE_HEADER, "").removeprefix("0x"))
        crypto_type = parse_crypto_type(headers.get(_REPLY_SCHEME_HEADER, ""))
        payload = _reply_payload(format_crypto_type(crypto_type), caller, miner, request_body, body)
        return bool(verify(payload, signature, miner, crypto_type))
    except ValueError:  # not hexadecimal, an unknown scheme, a wrong length, an address that is none
        return False
