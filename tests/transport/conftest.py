"""A peer over real sockets that does whatever a test tells it to."""

import asyncio
import contextlib

import pytest
from hostile_peers import MINER, VALIDATOR, read_request

from compression_subnet.chain.port import Axon
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.transport import Dendrite, Target


@pytest.fixture
async def peer():
    """Start a server whose ``behave(asked, writer)`` answers each request; returns the target to ask."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(behave, ip="127.0.0.3", hotkey=MINER.ss58_address):
            tasks = set()

            async def serve(reader, writer):
                tasks.add(asyncio.current_task())
                try:
                    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
                        await behave(await read_request(reader), writer)
                finally:
                    writer.close()
                    with contextlib.suppress(ConnectionError):
                        await writer.wait_closed()

            server = await asyncio.start_server(serve, ip, 0)

            async def end():
                server.close()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await server.wait_closed()

            stack.push_async_callback(end)
            return Target(hotkey, Axon(ip, server.sockets[0].getsockname()[1]))

        yield start


@pytest.fixture
async def dendrite():
    async with Dendrite(VALIDATOR, allow_private=True) as client:
        yield client


@pytest.fixture
def request_of():
    """Make a request about a text."""

    def make(text="Some words to be compressed."):
        return CompressionSynapse.at_level(
            40,
            challenge_id="c-1",
            text=text,
            n_tokens=100,
            tokenizer="o200k_base",
            tokenizer_sha256="a" * 64,
            deadline_seconds=5,
        )

    return make
