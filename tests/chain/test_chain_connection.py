"""The owner of the connection, first with a fake one, then with the SDK against servers that misbehave."""

import asyncio
import gc
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import pytest
from websockets.asyncio.server import ServerConnection, serve

from compression_subnet.chain.calls import Caller
from compression_subnet.chain.connection import Backoff, Connection
from compression_subnet.errors import ChainError, ChainUnreachable, ConfigurationError

SOON = Backoff(first=0.001, most=0.002)


class Lost(Exception):
    """What the fake connection raises when its peer has gone."""


class Fake:
    """A connection that counts what is open, and hangs or breaks on command."""

    open = 0

    def __init__(self) -> None:
        Fake.open += 1
        self.hanging = False
        self.released = asyncio.Event()

    async def close(self) -> None:
        Fake.open -= 1
        self.released.set()

    async def ask(self) -> int:
        if self.hanging:
            await self.stubborn()
        return 7

    async def stubborn(self) -> None:
        """Wait for an answer that never comes, in its clean-up too, as the SDK's watch of an extrinsic does."""
        try:
            await self.released.wait()
        finally:
            await self.released.wait()

    async def broken(self) -> None:
        raise Lost


class Dialler:
    """Opens fake connections; fails as often as it is told to."""

    def __init__(self) -> None:
        self.made: list[Fake] = []
        self.failures = 0
        self.attempts = 0

    async def __call__(self) -> Fake:
        self.attempts += 1
        if self.attempts <= self.failures:
            raise OSError("refused")
        self.made.append(Fake())
        return self.made[-1]


@pytest.fixture
async def dialler() -> AsyncIterator[Dialler]:
    Fake.open = 0
    yield Dialler()
    assert Fake.open == 0, "nothing stays open"
    assert asyncio.all_tasks() == {asyncio.current_task()}, "no task is left"


@asynccontextmanager
async def owned(dialler: Dialler, patience: float = 0.2) -> AsyncIterator[Connection[Fake]]:
    connection = Connection(dialler, Fake.ask, lambda error: isinstance(error, Lost), patience, SOON)
    try:
        yield connection
    finally:
        await connection.close()


async def test_it_opens_when_first_asked_and_stays_open(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        assert dialler.attempts == 0
        assert [await connection.call(Fake.ask, 1) for _ in range(3)] == [7, 7, 7]
        assert len(dialler.made) == 1


async def test_many_callers_share_one_connection(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        assert await asyncio.gather(*(connection.call(Fake.ask, 1) for _ in range(50))) == [7] * 50
        assert len(dialler.made) == 1


async def test_it_keeps_trying_to_open_while_somebody_waits(dialler: Dialler) -> None:
    dialler.failures = 5
    async with owned(dialler) as connection:
        assert await connection.call(Fake.ask, 5) == 7
        assert (dialler.attempts, connection.last_error) == (6, "refused")


async def test_it_stops_trying_when_nobody_waits_any_more(dialler: Dialler) -> None:
    dialler.failures = 10**9
    async with owned(dialler) as connection:
        with pytest.raises(TimeoutError):
            await connection.call(Fake.ask, 0.05)
        await asyncio.sleep(0.05)
        seen = dialler.attempts
        await asyncio.sleep(0.05)
        assert dialler.attempts == seen > 1


async def test_a_call_ends_at_its_deadline_even_where_it_ignores_its_cancellation(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        with pytest.raises(TimeoutError):
            await connection.call(Fake.stubborn, 0.05)


async def test_one_slow_call_does_not_cost_the_others_their_connection(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        with pytest.raises(TimeoutError):
            await connection.call(Fake.stubborn, 0.05)
        await asyncio.sleep(0.05)
        assert await connection.call(Fake.ask, 1) == 7
        assert len(dialler.made) == 1


async def test_a_half_dead_connection_is_replaced(dialler: Dialler) -> None:
    async with owned(dialler, patience=0.05) as connection:
        await connection.call(Fake.ask, 1)
        dialler.made[0].hanging = True
        with pytest.raises(TimeoutError):
            await connection.call(Fake.ask, 0.05)
        await asyncio.sleep(0.1)
        assert await connection.call(Fake.ask, 1) == 7
        assert (len(dialler.made), Fake.open) == (2, 1)


async def test_a_strict_call_that_does_not_end_has_it_replaced_at_once(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        with pytest.raises(TimeoutError):
            await connection.call(Fake.stubborn, 0.05, strict=True)
        await asyncio.sleep(0)
        await connection.call(Fake.ask, 1)
        assert len(dialler.made) == 2


async def test_a_lost_connection_is_replaced_and_the_error_reaches_the_caller(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        with pytest.raises(Lost):
            await connection.call(Fake.broken, 1)
        await asyncio.sleep(0.01)
        assert await connection.call(Fake.ask, 1) == 7
        assert len(dialler.made) == 2


async def test_a_cancelled_call_ends_at_once(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        await connection.call(Fake.ask, 1)
        task = asyncio.create_task(connection.call(Fake.stubborn))
        await asyncio.sleep(0.01)
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=1)
        assert done and task.cancelled()


async def test_after_closing_every_call_is_an_error_and_waiting_ones_end(dialler: Dialler) -> None:
    dialler.failures = 10**9
    async with owned(dialler) as connection:
        waiting = asyncio.create_task(connection.call(Fake.ask, 5))
        await asyncio.sleep(0.02)
    with pytest.raises(ChainError, match="closed"):
        await waiting
    with pytest.raises(ChainError, match="closed"):
        await connection.call(Fake.ask, 5)


async def test_a_thousand_losses_leave_one_connection_open(dialler: Dialler) -> None:
    async with owned(dialler) as connection:
        caller = Caller(connection, "fake", 30.0, lambda error: isinstance(error, Lost))  # type: ignore[arg-type]
        for _ in range(1000):
            with pytest.raises(Lost):
                await connection.call(Fake.broken, 5)
        assert await caller.read(Fake.ask) == 7  # type: ignore[arg-type]
        assert connection.opened == 1001
        assert Fake.open == 1


def descriptors() -> int:
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


Handler = Callable[[ServerConnection], Awaitable[None]]


async def drop(socket: ServerConnection) -> None:
    """Accept, and close at the first question."""
    with suppress(Exception):
        await socket.recv()


async def ignore(socket: ServerConnection) -> None:
    """Accept, listen, never answer."""
    with suppress(Exception):
        async for _ in socket:
            pass


async def babble(socket: ServerConnection) -> None:
    """Answer with what is no JSON, then with JSON that is no answer."""
    with suppress(Exception):
        async for _ in socket:
            await socket.send("}{")
            await socket.send('{"jsonrpc": "2.0", "id": 999999, "result": null}')
            await socket.send("[1, 2")


@asynccontextmanager
async def server(handler: Handler) -> AsyncIterator[str]:
    async with serve(handler, "127.0.0.1", 0) as running:
        yield f"ws://127.0.0.1:{next(iter(running.sockets)).getsockname()[1]}"


@asynccontextmanager
async def silent_listener() -> AsyncIterator[str]:
    """A port that takes a TCP connection and says nothing, not even the end of the handshake."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"ws://127.0.0.1:{listening.getsockname()[1]}"


@asynccontextmanager
async def closed_port() -> AsyncIterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    yield f"ws://127.0.0.1:{port}"


def sdk_caller(url: str, deadline: float) -> Caller:
    from compression_subnet.chain import sdk

    connection = Connection(
        lambda: sdk.open_client(url, deadline), lambda client: client.block(), sdk.transport_failed, deadline / 2, SOON
    )
    return Caller(connection, url, deadline, sdk.transport_failed)


@pytest.mark.parametrize(
    "peer", [lambda: server(drop), lambda: server(ignore), lambda: server(babble), silent_listener, closed_port]
)
async def test_a_peer_that_is_no_chain_is_unreachable_and_costs_nothing(peer: Callable) -> None:  # type: ignore[type-arg]
    tasks = asyncio.all_tasks()
    async with peer() as url:
        caller = sdk_caller(url, 0.4)
        before = descriptors()
        with pytest.raises(ChainUnreachable, match=r"gave no answer within 0\.4 s"):
            await caller.read(lambda client: client.block())
        await caller.connection.close()
        await asyncio.sleep(0.05)  # the server's side of the sockets closes
        assert descriptors() <= before
    assert asyncio.all_tasks() <= tasks


async def test_a_thousand_reconnects_leak_no_socket_and_no_task() -> None:
    met = asyncio.Event()
    connections = 0

    async def drop_and_count(peer: ServerConnection) -> None:
        nonlocal connections
        connections += 1
        if connections >= 1000:
            met.set()
        await drop(peer)

    tasks = asyncio.all_tasks()
    async with server(drop_and_count) as url:
        caller = sdk_caller(url, 30)
        reading = asyncio.create_task(caller.read(lambda client: client.block()))
        while connections < 20:
            await asyncio.sleep(0.01)
        before, running = descriptors(), len(asyncio.all_tasks())
        async with asyncio.timeout(60):
            await met.wait()
        assert descriptors() <= before + 3, "two ends and perhaps one that is just closing"
        assert len(asyncio.all_tasks()) <= running + 6
        reading.cancel()
        await asyncio.wait({reading})
        await caller.connection.close()
    assert asyncio.all_tasks() <= tasks


async def test_cancelling_while_it_connects_leaves_nothing_behind() -> None:
    from compression_subnet.chain import sdk

    tasks = asyncio.all_tasks()
    async with server(ignore) as url:
        before = descriptors()
        for _ in range(10):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.03):
                    await sdk.open_client(url, 10)
        await asyncio.sleep(0.05)
        assert descriptors() <= before
    assert asyncio.all_tasks() <= tasks


def test_an_unknown_network_is_an_error_that_lists_the_known() -> None:
    from compression_subnet.chain import sdk

    with pytest.raises(ConfigurationError, match="finney"):
        sdk.resolve("nowhere")
    assert sdk.resolve("ws://127.0.0.1:1") == "ws://127.0.0.1:1"


def test_what_the_sdk_file_reaches_into_is_still_there() -> None:
    import inspect

    import bittensor
    from bittensor._transport import SubstrateConnection

    assert list(inspect.signature(bittensor.RpcSubstrate._interface).parameters) == ["self", "endpoint", "fallbacks"]
    assert list(inspect.signature(bittensor.RpcSubstrate._failed_submit).parameters) == [
        "self", "error", "signer_address"
    ]  # fmt: skip
    wanted = {"ss58_format", "fallback_urls", "max_retries", "response_timeout", "connect_factory"}
    assert wanted <= set(inspect.signature(SubstrateConnection).parameters)
