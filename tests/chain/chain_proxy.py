"""A websocket proxy that stands between a client and a chain, and lets the connection go wrong on command."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

SUBMIT = "author_submitAndWatchExtrinsic"


@dataclass
class Proxy:
    """Relays messages; each fault below applies from when it is set."""

    url: str = ""
    delay: float = 0.0
    """Seconds that each answer takes longer."""
    hung: bool = False
    """Take everything, pass on nothing."""
    refusing: bool = False
    """Close each new connection at once."""
    swallow: str | None = None
    """Do not pass on requests of this method."""
    mute_after: str | None = None
    """Pass on a request of this method, and nothing back on its connection from then on."""
    drop_after: str | None = None
    """Pass on a request of this method, and cut its connection once the chain has answered."""
    fail: str | None = None
    """Answer requests of this method with an error."""
    garble: str | None = None
    """Answer requests of this method with what nobody can read."""
    on_submit: Callable[[str], Awaitable[bool]] | None = None
    """Called with each request that submits, before it is passed on; returns whether it shall be."""
    requests: list[str] = field(default_factory=list)
    """Methods of the requests that came, in order."""
    clients: set[ServerConnection] = field(default_factory=set)

    def heal(self) -> None:
        """Take back all faults; connections that are muted stay so."""
        self.delay, self.hung, self.refusing = 0.0, False, False
        self.swallow = self.mute_after = self.drop_after = self.fail = self.garble = self.on_submit = None

    async def cut(self) -> None:
        """Close every connection, without a closing handshake."""
        for client in list(self.clients):
            client.transport.abort()
        await asyncio.sleep(0.01)

    async def handle(self, client: ServerConnection, upstream: str) -> None:
        if self.refusing:
            return
        self.clients.add(client)
        try:
            async with connect(upstream, max_size=None) as chain:
                muted = asyncio.Event()
                doomed = asyncio.Event()
                back = asyncio.create_task(self.relay_back(chain, client, muted, doomed))
                try:
                    await self.relay_out(client, chain, muted, doomed)
                finally:
                    back.cancel()
                    await asyncio.wait({back})
        finally:
            self.clients.discard(client)

    async def relay_out(
        self, client: ServerConnection, chain: ClientConnection, muted: asyncio.Event, doomed: asyncio.Event
    ) -> None:
        with suppress(ConnectionClosed):
            async for frame in client:
                request = json.loads(frame)
                methods = {r["method"] for r in (request if isinstance(request, list) else [request])}
                self.requests.extend(methods)
                if self.hung or self.swallow in methods:
                    continue
                if self.on_submit and SUBMIT in methods and not await self.on_submit(str(frame)):
                    continue
                if self.fail in methods or self.garble in methods:
                    fault = {"error": {"code": -32000, "message": "out of order"}}
                    answer = fault if self.fail in methods else {"result": "0xzz"}
                    await client.send(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}))
                    continue
                if self.mute_after in methods:
                    muted.set()
                if self.drop_after in methods:
                    doomed.set()
                await chain.send(frame)

    async def relay_back(
        self, chain: ClientConnection, client: ServerConnection, muted: asyncio.Event, doomed: asyncio.Event
    ) -> None:
        with suppress(ConnectionClosed):
            async for frame in chain:
                if doomed.is_set():
                    client.transport.abort()
                    return
                if self.delay:
                    await asyncio.sleep(self.delay)
                if not (self.hung or muted.is_set()):
                    await client.send(frame)


@asynccontextmanager
async def proxied(upstream: str) -> AsyncIterator[Proxy]:
    """Run a proxy to the chain at ``upstream``."""
    proxy = Proxy()
    async with serve(lambda client: proxy.handle(client, upstream), "127.0.0.1", 0, max_size=None) as server:
        proxy.url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
        yield proxy
