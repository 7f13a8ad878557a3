"""Faults on demand, and what a client sees of them."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from dev_bench import local_chain
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from compression_subnet.chain.dev import DevClient
from compression_subnet.errors import ChainError, ChainUnreachable

BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"
EVE = "5HGjWAeFDfFCWPsjFQdVV2Msvz2XtMktvgocEZcCj68kUMaw"
HEADER = "chain_getHeader"


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with local_chain() as address:
        yield address


@pytest.fixture
async def dev(url: str) -> AsyncIterator[DevClient]:
    async with DevClient(url) as client:
        yield client


@pytest.fixture
async def client(url: str) -> AsyncIterator[DevClient]:
    async with DevClient(url) as other:
        yield other


async def assert_no_answer(client: DevClient, method: str = HEADER, *parameters: Any) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client.call(method, *parameters), 0.3)


async def head(client: DevClient) -> int:
    return int((await client.call(HEADER))["number"], 16)


async def count(dev: DevClient, netuid: int = 1) -> int:
    rows = await dev.call("state_call", "NeuronInfoRuntimeApi_get_neurons_lite", f"0x{netuid:02x}00")
    return int(rows[2:4], 16) >> 2


async def test_a_drop_cuts_clients_off_and_spares_the_developer(url: str, dev: DevClient, client: DevClient) -> None:
    assert await head(client) == 1
    await dev.fault("drop")
    with pytest.raises(ChainUnreachable):
        await client.call(HEADER)
    async with DevClient(url) as again:
        assert await head(again) == 1
    assert await dev.new_block() == 2


async def test_a_lasting_drop_takes_new_connections_at_their_first_request(url: str, dev: DevClient) -> None:
    await dev.fault("drop", {"seconds": 60})
    async with DevClient(url) as client:
        with pytest.raises(ChainUnreachable):
            await client.call(HEADER)
    await dev.fault("clear")
    async with DevClient(url) as client:
        assert await head(client) == 1


async def test_a_hang_takes_requests_and_never_answers(dev: DevClient, client: DevClient) -> None:
    await dev.fault("hang", {"seconds": 60})
    await assert_no_answer(client)
    await dev.fault("clear")
    assert await head(client) == 1


async def test_a_hang_of_some_methods_leaves_the_others(dev: DevClient, client: DevClient) -> None:
    await dev.fault("hang", {"seconds": 60, "methods": ["state_call"]})
    assert await head(client) == 1
    await assert_no_answer(client, "state_call", "Metadata_metadata_at_version", "0x0f000000")


async def test_subscribers_of_a_chain_that_hangs_hear_nothing(url: str, dev: DevClient) -> None:
    async with connect(url) as socket:
        await socket.send('{"jsonrpc": "2.0", "id": 1, "method": "chain_subscribeNewHeads", "params": []}')
        await socket.recv()
        await socket.recv()
        await dev.fault("hang", {"seconds": 60})
        await dev.new_block()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(socket.recv(), 0.2)
        await dev.fault("clear")
        await dev.new_block()
        assert '"0x3"' in str(await asyncio.wait_for(socket.recv(), 5))


async def test_a_slow_chain_answers_in_the_end(dev: DevClient, client: DevClient) -> None:
    await dev.fault("slow", {"seconds": 60, "delay": 0.5})
    await assert_no_answer(client)
    await dev.fault("clear")
    assert await head(client) == 1


async def test_requests_are_refused_with_the_error_asked_for(dev: DevClient, client: DevClient) -> None:
    await dev.fault("refuse", {"seconds": 60, "code": -32005, "message": "too many requests"})
    with pytest.raises(ChainError, match="too many requests"):
        await client.call(HEADER)


async def test_extrinsics_are_refused_with_the_number_asked_for(dev: DevClient, client: DevClient) -> None:
    await dev.fault("pool", {"seconds": 60, "number": 19})
    with pytest.raises(ChainError, match="Custom error: 19"):
        await client.call("author_submitExtrinsic", "0x00")
    assert await head(client) == 1


async def test_a_jump_builds_every_block_and_announces_the_last(url: str, dev: DevClient) -> None:
    async with connect(url) as socket:
        await socket.send('{"jsonrpc": "2.0", "id": 1, "method": "chain_subscribeNewHeads", "params": []}')
        await socket.recv()
        await socket.recv()
        await dev.fault("jump", {"blocks": 100})
        assert f'"{hex(101)}"' in str(await asyncio.wait_for(socket.recv(), 5))
    assert await dev.call("chain_getBlockHash", 57) is not None


async def test_the_metagraph_is_reorganised(dev: DevClient) -> None:
    uid = await dev.register(1, BOB, BOB)
    await dev.fault("swap_hotkey", {"netuid": 1, "uid": uid, "hotkey": EVE})
    with pytest.raises(ChainError, match="HotKeyAlreadyRegisteredInSubNet"):
        await dev.register(1, EVE, EVE)
    await dev.fault("grow", {"netuid": 1, "count": 5})
    assert await count(dev) == 7
    await dev.fault("shrink", {"netuid": 1, "count": 6})
    assert await count(dev) == 1
    assert await dev.register(1, EVE, EVE) == 1


async def test_a_call_that_is_not_answered_in_time_is_unreachable(url: str, dev: DevClient) -> None:
    await dev.fault("hang", {"seconds": 60})
    async with DevClient(url, deadline=0.1) as hasty:
        with pytest.raises(ChainUnreachable, match="not answered within"):
            await hasty.call(HEADER)


@pytest.mark.parametrize(
    ("kind", "arguments", "said"),
    [
        ("melt", {}, "there are drop, hang"),
        ("hang", {}, "seconds"),
        ("slow", {"seconds": 1}, "delay"),
        ("jump", {"blocks": 0}, "positive"),
        ("shrink", {"netuid": 1, "count": 9}, "has 1 neurons"),
        ("grow", {"netuid": 5, "count": 1}, "does not exist"),
        ("swap_hotkey", {"netuid": 1, "uid": 9, "hotkey": BOB}, "no uid 9"),
    ],
)
async def test_an_unusable_fault_is_named(dev: DevClient, kind: str, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(ChainError, match=said):
        await dev.fault(kind, arguments)


@pytest.mark.parametrize(
    ("method", "parameters", "said"),
    [
        ("dev_register", [1, "not an address", BOB], "dev_register"),
        ("dev_register", [1], "missing"),
        ("dev_setHyperparameter", [1, "no_such_name", 1], "known: rho"),
        ("dev_setHyperparameter", [1, "tempo", 2**20], "dev_setHyperparameter"),
        ("dev_setHyperparameter", [9, "tempo", 1], "subnet 9 does not exist"),
        ("dev_newBlock", [0], "positive"),
        ("dev_revealWeights", [1, BOB, [0], [1]], "no commitment"),
        ("no_such_method", [], "Method not found"),
        ("state_getStorage", ["0xzz"], "hexadecimal"),
        ("state_getStorage", ["0x00", "0x" + "11" * 32], "State already discarded"),
        ("state_getKeysPaged", ["0x", 0], "1000"),
        ("state_call", ["No_such_api", "0x"], "is not found"),
        ("state_call", ["SubnetInfoRuntimeApi_get_metagraph", "0x01"], "bad input data"),
    ],
)
async def test_an_unusable_request_is_answered_with_what_is_wrong(
    dev: DevClient, method: str, parameters: list[Any], said: str
) -> None:
    with pytest.raises(ChainError, match=said):
        await dev.call(method, *parameters)
    assert await dev.new_block() == 2


async def test_an_answer_is_never_older_than_the_state(dev: DevClient) -> None:
    assert await count(dev) == 1
    await dev.register(1, BOB, BOB)
    assert await count(dev) == 2
    before = await dev.call("chain_getBlockHash")
    await dev.new_block()
    await dev.fault("shrink", {"netuid": 1, "count": 1})
    assert await count(dev) == 1
    rows = await dev.call("state_call", "NeuronInfoRuntimeApi_get_neurons_lite", "0x0100", before)
    assert int(rows[2:4], 16) >> 2 == 2


async def test_a_call_that_fails_half_way_changes_nothing(dev: DevClient) -> None:
    with pytest.raises(ChainError):
        await dev.register(1, BOB, "not an address")
    assert await count(dev) == 1
    assert await dev.register(1, BOB, BOB) == 1


async def test_the_runtimes_version_is_told_once(url: str) -> None:
    async with connect(url) as socket:
        await socket.send('{"jsonrpc": "2.0", "id": 1, "method": "state_subscribeRuntimeVersion"}')
        assert '"result": "dev1"' in str(await socket.recv())
        assert '"specVersion": 446' in str(await asyncio.wait_for(socket.recv(), 5))


async def test_frames_that_are_not_requests_are_answered_and_survived(url: str) -> None:
    async with connect(url) as socket:
        for frame, code in (("{", -32700), ("[1]", -32600), ('{"id": 1}', -32600), ("null", -32600), ("[]", -32600)):
            await socket.send(frame)
            assert str(code) in str(await asyncio.wait_for(socket.recv(), 5)), frame
        await socket.send('[{"id": 1, "method": "system_chain"}, {"id": 2, "method": "chain_getHeader"}]')
        assert '"id": 2' in str(await asyncio.wait_for(socket.recv(), 5))


async def test_a_client_that_never_reads_is_cut_off_and_costs_nobody_else(
    url: str, dev: DevClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compression_subnet.chain.dev.server._LARGEST_BACKLOG", 100)
    async with connect(url, max_queue=1) as socket:
        await socket.send('{"jsonrpc": "2.0", "id": 1, "method": "chain_subscribeNewHeads", "params": []}')
        assert await dev.new_block(200) == 201
        with pytest.raises(ConnectionClosed):
            while True:
                await asyncio.wait_for(socket.recv(), 10)
