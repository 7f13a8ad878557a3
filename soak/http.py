"""A server of raw HTTP/1.1: its handlers write bytes, so that they can also break the protocol."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

__all__ = ["Handler", "Request", "response", "serving"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came: path, headers with lower-case names, raw body."""

    path: str
    headers: Mapping[str, str]
    body: bytes


Handler = Callable[[Request], Awaitable[bytes | None]]
"""Returns the bytes to send; None closes the connection without a word."""


def response(body: bytes, *, status: str = "200 OK", headers: Mapping[str, str] | None = None) -> bytes:
    """Return a whole response of JSON."""
    fields = {"content-type": "application/json", "content-length": str(len(body)), **(headers or {})}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


@asynccontextmanager
async def serving(handle: Handler, host: str, port: int = 0) -> AsyncIterator[int]:
    """Serve until the context ends, and yield the port; requests that are still in work are dropped then."""
    open_now: set[asyncio.Task[None]] = set()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        open_now.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while (sent := await handle(await _read(reader))) is not None:
                    writer.write(sent)
                    await writer.drain()
        finally:
            open_now.discard(task)
            writer.close()

    server = await asyncio.start_server(converse, host, port, limit=1 << 20)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task in list(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.rstrip("\r\n").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(line.split(" ")[1], headers, body)
