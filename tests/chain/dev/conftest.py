"""Fixtures of the dev chain's tests."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from dev_bench import Bench, local_chain, make_bench

from compression_subnet.chain.dev import DevClient


@pytest.fixture
def bench() -> Bench:
    """A chain that takes plain weights, at any rate."""
    return make_bench(commit_reveal=False, weights_rate_limit=0)


@pytest.fixture
async def url() -> AsyncIterator[str]:
    """A chain that takes plain weights every five blocks, with an epoch every 20."""
    async with local_chain(commit_reveal=False, weights_rate_limit=5, tempo=20) as address:
        yield address


@pytest.fixture
async def dev(url: str) -> AsyncIterator[DevClient]:
    """The development methods of that chain."""
    async with DevClient(url) as client:
        yield client


@pytest.fixture
async def sdk(url: str) -> AsyncIterator[Any]:
    """The unmodified SDK, connected."""
    import bittensor as bt  # slow to load, and most of these tests do without

    client = bt.Subtensor(url)
    yield await client.__aenter__()
    # On Python 3.11 a frame that arrives while the SDK closes can swallow its cancellation; a second one gets through.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(client.__aexit__(None, None, None), 2.0)
