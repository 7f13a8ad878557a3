"""An HTTP server that slow strangers cannot fill: one request a connection, each part of it under a deadline."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from ipaddress import ip_address

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from compression_subnet.errors import ConfigurationError, TransportError
from compression_subnet.protocol import MAX_DEADLINE_SECONDS

__all__ = ["bound_socket", "serving"]

_HEADER_SECONDS = 5.0


class _BoundedProtocol(H11Protocol):
    """Closes a connection whose request head does not come, and any that outlives every deadline.

    Uvicorn itself bounds only the time between two requests.
    """

    _head_timer: asyncio.TimerHandle | None = None
    _life_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(_HEADER_SECONDS, self._close_headless)
        self._life_timer = self.loop.call_later(MAX_DEADLINE_SECONDS + _HEADER_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head_timer, self._life_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def _close_headless(self) -> None:
        if self.cycle is None:
            self.transport.abort()


class _Server(uvicorn.Server):
    """Leaves signals to the miner, which has more to close than this server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def bound_socket(ip: str, port: int) -> socket.socket:
    """Return a TCP socket bound to ``ip`` and ``port`` (0: any), which does not listen yet.

    Raises:
        ConfigurationError: ``ip`` is no address of this machine, or the port is taken.
    """
    try:
        family = socket.AF_INET6 if ip_address(ip).version == 6 else socket.AF_INET
    except ValueError:
        raise ConfigurationError(f"axon ip {ip!r} is not an IP address") from None
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((ip, port))
    except OSError as error:
        sock.close()
        raise ConfigurationError(f"cannot listen on {ip} port {port}: {error.strerror}; choose another") from error
    return sock


@contextlib.asynccontextmanager
async def serving(
    app: FastAPI, sock: socket.socket, *, max_connections: int, shutdown_seconds: float
) -> AsyncIterator[asyncio.Task[None]]:
    """Serve ``app`` on ``sock`` while the context lasts, and then close both.

    Args:
        app: the application.
        sock: bound; it is this function's now.
        max_connections: those beyond are answered 503.
        shutdown_seconds: time that requests under way have to finish at the end.

    Yields:
        The server's task, once it listens; it ends early only by failing.

    Raises:
        TransportError: the server did not start.
    """
    server = _Server(
        uvicorn.Config(
            app,
            http=_BoundedProtocol,
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
