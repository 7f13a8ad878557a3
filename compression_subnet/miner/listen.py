"""An HTTP server that slow strangers cannot fill: one request a connection, each part of it under a deadline."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from compression_subnet.errors import TransportError
from compression_subnet.listening import SignalFreeServer
from compression_subnet.miner.limits import AddressLimiter
from compression_subnet.protocol import MAX_DEADLINE_SECONDS

__all__ = ["serving"]

_HEADER_SECONDS = 5.0


class _BoundedProtocol(H11Protocol):
    """Closes a connection whose request head does not come, any that outlives every deadline, and too many of a peer.

    Uvicorn itself bounds only the time between two requests.
    """

    limiter: AddressLimiter
    _peer: str | None = None

    _head_timer: asyncio.TimerHandle | None = None
    _life_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self._peer = str(peer[0]) if peer else ""
        if not self.limiter.opened(self._peer):
            transport.abort()
            return
        self._head_timer = self.loop.call_later(_HEADER_SECONDS, self._close_headless)
        self._life_timer = self.loop.call_later(MAX_DEADLINE_SECONDS + _HEADER_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head_timer, self._life_timer):
            if timer is not None:
                timer.cancel()
        if self._peer is not None:
            self.limiter.closed(self._peer)
        super().connection_lost(exc)

    def _close_headless(self) -> None:
        if self.cycle is None:
            self.limiter.refused(self._peer or "")
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        self.limiter.refused(self._peer or "")
        super().send_400_response(msg)


@contextlib.asynccontextmanager
async def serving(
    app: FastAPI, sock: socket.socket, limiter: AddressLimiter, *, max_connections: int, shutdown_seconds: float
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve ``app`` on ``sock`` while the context lasts, and then close both.

    Args:
        app: the application.
        sock: bound; it is this function's now.
        limiter: of connections; those that it does not let stay are cut off without a word.
        max_connections: those beyond are answered 503.
        shutdown_seconds: time that requests under way have to finish at the end.

    Yields:
        The server's task, once it listens; it ends early only by failing.

    Raises:
        TransportError: the server did not start.
    """
    server = SignalFreeServer(
        uvicorn.Config(
            app,
            http=type("LimitedProtocol", (_BoundedProtocol,), {"limiter": limiter}),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # its warnings are of strangers' making
            access_log=False,
            server_header=False,
            headers=[("connection", "close")],
            limit_concurrency=max_connections,
            timeout_graceful_shutdown=max(1, round(shutdown_seconds)),
        )
    )
    task = asyncio.create_task(server.serve(sockets=[sock]), name="miner http")
    try:
        while not server.started:
            if task.done():
                raise TransportError("the HTTP server did not start") from task.exception()
            await asyncio.sleep(0.01)
        yield task
    finally:
        server.should_exit = True
        try:
            await asyncio.wait({task})
        finally:
            sock.close()
