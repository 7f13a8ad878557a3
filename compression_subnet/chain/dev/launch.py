"""Putting a node together and running it in the present event loop."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.genesis import SubnetSettings, begin, configure
from compression_subnet.chain.dev.node import Node
from compression_subnet.chain.dev.runtime import runtime_codec
from compression_subnet.chain.dev.server import serve
from compression_subnet.chain.dev.snapshot import load_snapshot
from compression_subnet.errors import ConfigurationError

__all__ = ["open_node", "running_node"]

_MAINNET_SLOT: Final = 12_000
"""Milliseconds between blocks that clients assume where no clock builds them."""


def open_node(block_time: float, settings: SubnetSettings, state: Path | None = None) -> Node:
    """Make a node of a new chain, or of the one that ``state`` holds.

    Args:
        block_time: seconds between blocks; 0 for blocks on demand.
        settings: what to set on subnet 1.
        state: file to keep the chain in.

    Raises:
        ConfigurationError: the file cannot be read or written, or holds no chain of this kind.
    """
    slot = round(block_time * 1_000) or _MAINNET_SLOT
    chain = Chain(runtime_codec(slot), now=lambda: time.time_ns() // 1_000_000)
    if state is not None and load_snapshot(chain, state):
        configure(chain, settings)
    else:
        begin(chain, settings)
    node = Node(chain, block_time, time.monotonic, state)
    node.save()
    return node


@asynccontextmanager
async def running_node(node: Node, host: str, port: int) -> AsyncIterator[tuple[str, asyncio.Task[None]]]:
    """Serve a node and let it build blocks; yields its URL and the task that builds.

    Raises:
        ConfigurationError: the address cannot be listened on.
    """
    async with AsyncExitStack() as stack:
        try:
            actual = await stack.enter_async_context(serve(node, host, port))
        except OSError as error:
            reason = f"cannot listen on {host}:{port}: {error.strerror}"
            raise ConfigurationError(f"{reason}; --port 0 picks a free one") from error
        building = asyncio.create_task(node.run())
        try:
            yield f"ws://{host}:{actual}", building
        finally:
            building.cancel()
            await asyncio.gather(building, return_exceptions=True)
    node.save()
