"""From an HTTP request to a proven, permitted, bounded body; everyone else gets a short constant reply."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from starlette.requests import ClientDisconnect, Request

from compression_subnet.errors import StoreError
from compression_subnet.miner.gate import Gate, Refusal
from compression_subnet.miner.limits import AddressLimiter, RateLimiter
from compression_subnet.miner.log import RefusalLog
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.threads import Threads
from compression_subnet.protocol import MAX_REQUEST_BYTES
from compression_subnet.transport.signing import Caller, RequestRefused, RequestVerifier, claimed_hotkey

__all__ = ["Admission", "Admitted", "Rejected", "Rejection"]


class Rejection(Enum):
    """All that a stranger may learn: an HTTP status and a word. One is used for every question of identity."""

    DISCONNECTED = (400, "incomplete")
    FORBIDDEN = (403, "forbidden")
    TOO_SLOW = (408, "too slow")
    TOO_LARGE = (413, "too large")
    TOO_MANY = (429, "too many requests")
    NOT_READY = (503, "not ready")


_FINED: Final = {one.value[0] for one in (Rejection.FORBIDDEN, Rejection.TOO_SLOW, Rejection.TOO_LARGE)}


class Rejected(Exception):
    """A request that goes no further."""

    def __init__(self, rejection: Rejection):
        super().__init__(rejection)
        self.status, self.message = rejection.value


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request whose sender is proven and may ask."""

    caller: Caller
    body: bytes


class Admission:
    """Lets requests in, or not.

    Args:
        verifier: of signatures, bound to the miner's hotkey.
        gate: knows whom to answer.
        limiter: of proven hotkeys.
        addresses: told of addresses from which nothing good comes.
        metrics: told of refusals.
        threads: in which signatures are verified, for a store of nonces that takes time; None verifies at once.
        body_seconds: time that a body may take to arrive, and a store of nonces to answer.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        verifier: RequestVerifier,
        gate: Gate,
        limiter: RateLimiter,
        addresses: AddressLimiter,
        metrics: MinerMetrics,
        *,
        threads: Threads | None = None,
        body_seconds: float,
        clock: Callable[[], float],
    ):
        self._verifier = verifier
        self._gate = gate
        self._limiter = limiter
        self._addresses = addresses
        self._metrics = metrics
        self._threads = threads
        self._body_seconds = body_seconds
        self._log = RefusalLog(clock)

    async def admit(self, request: Request) -> Admitted:
        """Return the sender and the body of ``request``.

        Raises:
            Rejected: the sender is unproven or not permitted, asks too often, or sends too much or too slowly.
        """
        try:
            return await self._admit(request)
        except Rejected as rejected:
            if rejected.status in _FINED and request.client is not None:
                self._addresses.refused(request.client.host)
            raise

    async def _admit(self, request: Request) -> Admitted:
        # The claim is looked up before anything is read: a stranger then costs a dictionary lookup. The signature
        # proves the same claim below, or the request ends.
        claimed = claimed_hotkey(request.headers)
        if claimed is None:
            raise self._rejected(None, "no hotkey given", Rejection.FORBIDDEN)
        refusal = self._gate.refusal(claimed)
        if refusal is Refusal.NOT_READY:
            raise self._rejected(claimed, refusal, Rejection.NOT_READY)
        if refusal is not None:
            raise self._rejected(claimed, refusal, Rejection.FORBIDDEN)
        try:
            async with asyncio.timeout(self._body_seconds):
                body = await _read(request, MAX_REQUEST_BYTES)
        except TimeoutError:
            raise self._rejected(claimed, "the body came too slowly", Rejection.TOO_SLOW) from None
        except ClientDisconnect:
            raise Rejected(Rejection.DISCONNECTED) from None
        if body is None:
            raise self._rejected(claimed, "the body is too large", Rejection.TOO_LARGE)
        caller = await self._proven(request, claimed, body)
        if not self._limiter.admit(caller.hotkey):
            raise self._rejected(caller.hotkey, "asks too often", Rejection.TOO_MANY)
        return Admitted(caller, body)

    async def _proven(self, request: Request, claimed: str, body: bytes) -> Caller:
        def verified() -> Caller:
            return self._verifier.verify(request.headers, body, path=_target(request))

        try:
            if self._threads is None:
                return verified()
            async with asyncio.timeout(self._body_seconds):
                return await self._threads.run(verified)
        except RequestRefused as error:
            raise self._rejected(claimed, f"not proven to come from there: {error}", Rejection.FORBIDDEN) from None
        except (StoreError, TimeoutError) as error:
            # Nobody is let in unseen. The error's words are ours.
            self._log.note(claimed, str(error) or "the store of nonces took too long")
            self._metrics.refusals.labels("the store of nonces does not answer").inc()
            raise Rejected(Rejection.NOT_READY) from None

    def _rejected(self, claimed: str | None, reason: str, rejection: Rejection) -> Rejected:
        self._log.note(claimed, reason)
        self._metrics.refusals.labels(reason).inc()
        return Rejected(rejection)


async def _read(request: Request, limit: int) -> bytes | None:
    """Return the raw body, or None where it is over ``limit`` bytes; no more than that is kept of it."""
    length = request.headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 12 or int(length) > limit):
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)


def _target(request: Request) -> str:
    """Return the request target as it stood in the request line, which is what was signed."""
    path: bytes = request.scope["raw_path"]
    query: bytes = request.scope["query_string"]
    return (path + (b"?" + query if query else b"")).decode("latin-1")
