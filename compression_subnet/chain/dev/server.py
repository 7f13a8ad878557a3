"""The websocket server: connections in, replies and notifications out."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websocket
from websockets.exceptions import ConnectionClosed

from compression_subnet.chain.dev.errors import RpcFailure
from compression_subnet.chain.dev.faults import Drop, Fault, Hang, RefuseRequests, Slow
from compression_subnet.chain.dev.node import DEV_PREFIX, Node
from compression_subnet.chain.dev.rpc import Session, method_of

__all__ = ["serve"]

_LARGEST_BACKLOG: Final = 10_000
"""Messages that wait for a client that does not read; beyond it, the client is cut off."""

_PING: Final = 60.0
"""Seconds between pings, and for each answer: a client that is gone without a word is noticed in two minutes."""


class _Connection:
    """One client: reads requests in order, and has one task that writes."""

    def __init__(self, socket: ServerConnection, node: Node):
        self._socket = socket
        self._node = node
        self._outgoing: asyncio.Queue[str] = asyncio.Queue(_LARGEST_BACKLOG)
        self._session = Session(self._notify)

    async def run(self) -> None:
        """Serve the client until it leaves."""
        writer = asyncio.create_task(self._write())
        try:
            async for frame in self._socket:
                await self._receive(frame)
        except ConnectionClosed:
            pass
        finally:
            self._node.cutters.discard(self._abort)
            self._session.close()
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writer

    async def _receive(self, frame: str | bytes) -> None:
        dispatcher = self._node.dispatcher
        try:
            content = dispatcher.read(frame)
        except RpcFailure as failure:
            self._send(dispatcher.failure(None, failure))
            return
        requests = content if isinstance(content, list) and content else [content]
        replies = []
        for request in requests:
            fault = self._fault(method_of(request))
            if isinstance(fault, Drop):
                self._abort()
                return
            if isinstance(fault, Hang):
                return
            if isinstance(fault, Slow):
                await asyncio.sleep(fault.delay)
            replies.append(self._reply(request, fault))
        self._send(replies if content and isinstance(content, list) else replies[0])
        follow_ups, self._session.after_reply = self._session.after_reply, []
        for follow_up in follow_ups:
            follow_up()
        self._node.after_request()

    def _fault(self, method: str) -> Fault | None:
        if method.startswith(DEV_PREFIX):
            return None
        self._node.cutters.add(self._abort)
        return self._node.faults.for_request(method)

    def _reply(self, request: Any, fault: Fault | None) -> dict[str, Any]:
        if isinstance(fault, RefuseRequests):
            return self._node.dispatcher.failure(request.get("id"), RpcFailure(fault.code, fault.message))
        reply = self._node.dispatcher.reply(self._session, request)
        self._node.after_call(method_of(request))
        return reply

    def _notify(self, message: dict[str, Any]) -> None:
        if not self._node.faults.silent():
            self._send(message)

    def _send(self, message: Any) -> None:
        try:
            self._outgoing.put_nowait(json.dumps(message))
        except asyncio.QueueFull:
            self._abort()

    def _abort(self) -> None:
        self._socket.transport.abort()

    async def _write(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                await self._socket.send(await self._outgoing.get())


@asynccontextmanager
async def serve(node: Node, host: str, port: int) -> AsyncIterator[int]:
    """Serve ``node`` until the context ends; yields the port, which port 0 leaves to the system.

    Raises:
        OSError: the address cannot be listened on.
    """

    async def handle(socket: ServerConnection) -> None:
        await _Connection(socket, node).run()

    async with serve_websocket(handle, host, port, max_size=None, ping_interval=_PING, ping_timeout=_PING) as server:
        yield int(next(iter(server.sockets)).getsockname()[1])
