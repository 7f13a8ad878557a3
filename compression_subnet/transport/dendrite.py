"""The validator's side of the wire: asks miners, and lets nothing that they do hurt.

A miner may refuse, hang, trickle, flood, lie about lengths or send anything at all; each comes back as a value. One
deadline is over the whole of an exchange, since a limit on each read lets a byte every few seconds pass for ever.
"""

import asyncio
import random
import ssl
import time
from collections.abc import Awaitable, Callable, Sequence
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Final, Self

import anyio
import httpx2
from pydantic import ValidationError

from compression_subnet.errors import TransportError
from compression_subnet.protocol import (
    COMPRESS_PATH,
    MAX_REQUEST_BYTES,
    CompressionReply,
    CompressionSynapse,
    max_reply_bytes,
    max_reply_characters,
)
from compression_subnet.transport.addresses import address_fault, url_host
from compression_subnet.transport.outcomes import Failed, Failure, Outcome, Replied, Target
from compression_subnet.transport.signing import Hotkey, reply_is_signed, sign_request

__all__ = ["MAX_JITTER_SHARE", "Dendrite", "most_jitter"]

MAX_JITTER_SHARE: Final = 0.25
"""Of the deadline: most that a request waits before it is sent, so that jitter cannot come to rule a round's length."""


def most_jitter(jitter: float, deadline: float) -> float:
    """Return the longest wait, in seconds, before one request: ``jitter``, but no more than a share of the deadline."""
    return min(jitter, MAX_JITTER_SHARE * deadline)


class _Fault(Exception):
    """An exchange that ends here, and why."""

    def __init__(self, reason: Failure, status: int | None = None):
        super().__init__(reason)
        self.reason = reason
        self.status = status


class Dendrite:
    """Asks miners over signed HTTP, with one client for its life. Use it as an async context manager.

    Args:
        hotkey: signs the requests.
        allow_private: whether miners may have private addresses (a subnet on one machine).
        max_connections: most exchanges at a time; those beyond wait, and their clock does not run yet.
        clock: monotonic, in seconds.
    """

    def __init__(
        self,
        hotkey: Hotkey,
        *,
        allow_private: bool = False,
        max_connections: int = 64,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._hotkey = hotkey
        self._allow_private = allow_private
        self._clock = clock
        self._slots = asyncio.Semaphore(max_connections)
        self._client = httpx2.AsyncClient(
            trust_env=False,
            verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),  # never used: spares loading authorities, 20 ms
            follow_redirects=False,
            timeout=None,  # the deadline is over the whole, in `ask`
            # A kept connection may be closed by the miner at the moment of its next use: a zero of our making.
            limits=httpx2.Limits(max_connections=max_connections, max_keepalive_connections=0),
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=())),
            headers={
                "accept": "application/json",
                "accept-encoding": "identity",
                "connection": "close",
                "content-type": "application/json",
                "user-agent": "compression-subnet",
            },
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close every connection; nothing can be asked afterwards."""
        await self._client.aclose()

    async def ask(self, target: Target, request: CompressionSynapse, deadline: float) -> Outcome:
        """Send ``request`` to one miner and return what came of it, ``deadline`` seconds later at most.

        Raises:
            TransportError: the request itself cannot be sent to anyone (it is over ``MAX_REQUEST_BYTES``).
        """
        return await self._ask(target, request, _encoded(request), deadline)

    async def ask_all(
        self,
        targets: Sequence[Target],
        request: CompressionSynapse,
        deadline: float,
        *,
        concurrency: int,
        rng: random.Random,
        jitter: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> dict[str, Outcome]:
        """Send ``request`` to every miner, in random order so that none is always last, and return all outcomes.

        Args:
            targets: with distinct hotkeys.
            request: the same for all.
            deadline: seconds for each, from when its turn comes.
            concurrency: most exchanges at a time.
            rng: decides the order, and each request's wait.
            jitter: most seconds that a request waits when its turn has come, before its deadline runs; see
                ``most_jitter``. Requests would else leave in bursts, by which miners know a validator's rhythm.
            sleep: waits so many seconds.

        Returns:
            The outcome by hotkey, in the order of ``targets``.

        Raises:
            TransportError: as ``ask``, or a hotkey occurs twice.
        """
        if len({target.hotkey for target in targets}) != len(targets):
            raise TransportError("a hotkey occurs twice among the miners to ask")
        body = _encoded(request)
        most = most_jitter(jitter, deadline)
        queue = iter(rng.sample(targets, len(targets)))
        outcomes: dict[str, Outcome] = {}

        async def work() -> None:
            for target in queue:
                if most > 0:
                    await sleep(rng.uniform(0, most))
                outcomes[target.hotkey] = await self._ask(target, request, body, deadline)

        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(targets))):
                group.create_task(work())
        return {target.hotkey: outcomes[target.hotkey] for target in targets}

    async def _ask(self, target: Target, request: CompressionSynapse, body: bytes, deadline: float) -> Outcome:
        axon = target.axon
        if axon is None or address_fault(axon.ip, axon.port, allow_private=self._allow_private) is not None:
            return Failed(Failure.ADDRESS_REFUSED, 0.0)
        url = f"http://{url_host(axon.ip, axon.port)}{COMPRESS_PATH}"
        async with self._slots:
            start = self._clock()
            try:
                # Not asyncio's timeout: from that one the client does not shield its clean-up, and where a deadline
                # falls into it, it keeps the exchange for ever.
                with anyio.fail_after(deadline):
                    signed = sign_request(self._hotkey, path=COMPRESS_PATH, body=body, receiver=target.hotkey)
                    headers, raw = await self._exchange(url, signed, body, max_reply_bytes(request.text))
                seconds = self._clock() - start
            except TimeoutError:
                return Failed(Failure.TIMEOUT, self._clock() - start)
            except _Fault as fault:
                return Failed(fault.reason, self._clock() - start, fault.status)
        if not reply_is_signed(headers, raw, miner=target.hotkey, request_headers=signed, request_body=body):
            return Failed(Failure.BAD_SIGNATURE, seconds)
        try:
            # Decodes UTF-8 and bounds nesting by itself, in time linear in the body.
            text = CompressionReply.model_validate_json(raw).compressed_text
        except ValidationError:
            return Failed(Failure.MALFORMED, seconds)
        if len(text) > max_reply_characters(request.text):
            return Failed(Failure.TOO_LARGE, seconds)
        return Replied(compressed_text=text, seconds=seconds, size=len(raw))

    async def _exchange(
        self, url: str, signed: dict[str, str], body: bytes, limit: int
    ) -> tuple[httpx2.Headers, bytes]:
        """Return headers and raw body of a reply with status 200, not encoded, of at most ``limit`` bytes."""
        try:
            async with self._client.stream("POST", url, content=body, headers=signed) as response:
                if response.status_code != httpx2.codes.OK:
                    raise _Fault(Failure.STATUS, response.status_code)
                if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
                    raise _Fault(Failure.MALFORMED)
                raw = bytearray()
                async for chunk in response.aiter_raw():
                    raw += chunk
                    if len(raw) > limit:
                        raise _Fault(Failure.TOO_LARGE)
                return response.headers, bytes(raw)
        except httpx2.RemoteProtocolError:
            raise _Fault(Failure.MALFORMED) from None
        except (httpx2.TransportError, OSError):
            raise _Fault(Failure.UNREACHABLE) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
            # What the client makes of a hostile header: a Location that is no URL, bytes that are no text.
            raise _Fault(Failure.MALFORMED) from None


def _encoded(request: CompressionSynapse) -> bytes:
    body = request.model_dump_json().encode()
    if len(body) > MAX_REQUEST_BYTES:
        raise TransportError(f"a request of {len(body)} bytes; miners take {MAX_REQUEST_BYTES}: shorten the text")
    return body
