"""What happens to the adapter in the long run: the chain dies and comes back, epochs come and go."""

import asyncio
import socket
from collections import Counter

import pytest
from bittensor.sp_core import Keypair

from compression_subnet.chain import (
    Axon,
    Backoff,
    BittensorChain,
    Served,
    TooEarly,
    Unreachable,
    WeightsSet,
    open_chain,
    position,
    spec_version,
    when_to_set,
)
from compression_subnet.chain.dev.client import DevClient, dev_chain
from compression_subnet.errors import ChainUnreachable

SOON = Backoff(first=0.02, most=0.1)
RAO = 10**9


def key(name: str) -> Keypair:
    return Keypair.create_from_uri(f"//{name}")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


async def opened(url: str, hotkey: Keypair, deadline: float) -> BittensorChain:
    return await open_chain(url, 1, hotkey, spec_version=spec_version(), deadline=deadline, backoff=SOON)


async def enrol(url: str, hotkey: Keypair) -> int:
    async with DevClient(url) as dev:
        uid = await dev.register(1, hotkey.ss58_address, key("cold").ss58_address)
        await dev.set_stake(hotkey.ss58_address, 1, 1000 * RAO)
        return uid


async def test_the_chain_is_killed_in_the_middle_of_calls_and_comes_back() -> None:
    port, hotkey = free_port(), key("survivor")
    options = {"port": port, "commit_reveal": False, "weights_rate_limit": 0}
    chain = await opened(f"ws://127.0.0.1:{port}", hotkey, deadline=20)
    async with chain:
        async with dev_chain(block_time=60, **options) as url:  # type: ignore[arg-type]
            await enrol(url, hotkey)
            heads = chain.blocks()
            await anext(heads)
            setting = asyncio.create_task(chain.set_weights({0: 65535}))
            async with DevClient(url) as dev:
                while not (await dev.calls()).get("author_submitAndWatchExtrinsic"):
                    await asyncio.sleep(0.01)
        assert isinstance(await setting, Unreachable), "sent, in no block, and the chain is gone"
        reading = asyncio.create_task(chain.metagraph())
        await asyncio.sleep(0.1)
        assert not reading.done()
        async with dev_chain(block_time=0, **options) as url:  # type: ignore[arg-type]
            await reading
            uid = await enrol(url, hotkey)
            async with DevClient(url) as dev:
                head = await dev.new_block(50)
            async with asyncio.timeout(20):
                assert isinstance(await chain.set_weights({0: 65535}), WeightsSet)
                assert (await chain.weights())[uid] == {0: 1.0}
                while await anext(heads) <= head:
                    pass
        await heads.aclose()


async def test_a_dead_chain_is_unreachable_for_every_call() -> None:
    chain = await opened(f"ws://127.0.0.1:{free_port()}", key("nobody"), deadline=0.3)
    async with chain:
        with pytest.raises(ChainUnreachable):
            await chain.metagraph()
        assert isinstance(await chain.set_weights({0: 65535}), Unreachable)


async def test_four_validators_and_64_miners_for_ten_epochs() -> None:
    tempo, epochs, margin, limit = 6, 10, 3, 4
    validators = [key(f"v{i}") for i in range(4)]
    async with dev_chain(block_time=0.25, tempo=tempo, commit_reveal=False, weights_rate_limit=limit) as url:
        async with DevClient(url) as dev:
            for hotkey in validators:
                await dev.register(1, hotkey.ss58_address, key("cold").ss58_address)
                await dev.set_stake(hotkey.ss58_address, 1, 1000 * RAO)
            miners = [await dev.register(1, key(f"m{i}").ss58_address, key("cold").ss58_address) for i in range(64)]
            start = await dev.new_block()
        end = start + (epochs + 1) * tempo + 2

        async def mine(number: int) -> None:
            async with await opened(url, key(f"m{number}"), deadline=30) as chain:
                assert isinstance(await chain.serve_axon(Axon(f"127.0.0.{number + 2}", 8091)), Served)

        async def validate(number: int) -> Counter[int]:
            """Return how many times weights were set for the epoch that ran at each block."""
            done: Counter[int] = Counter()
            hotkey = validators[number]
            async with await opened(url, hotkey, deadline=10) as chain:
                async for head in chain.blocks():
                    if head >= end:
                        return done
                    next_epoch = await chain.next_epoch_block()
                    decision = when_to_set(position(await chain.metagraph(), hotkey.ss58_address, next_epoch), margin)
                    if decision.action != "set":
                        continue
                    outcome = await chain.set_weights(
                        {
                            uid: 65535 - (100 * number + uid * 97) % 60000 if uid != miners[0] else 65535
                            for uid in miners
                        }
                    )
                    assert isinstance(outcome, WeightsSet | TooEarly), outcome
                    if isinstance(outcome, WeightsSet):
                        done[next_epoch] += 1
            raise AssertionError("the stream of blocks ended")

        async with asyncio.timeout(70):
            *counts, _ = await asyncio.gather(*(validate(i) for i in range(4)), asyncio.gather(*map(mine, range(64))))
        for done in counts:
            assert max(done.values()) == 1, "at most once an epoch"
            assert len(done) >= epochs - 1, "an epoch in which the machine was too slow may be missed, no more"
        async with await opened(url, validators[0], deadline=10) as chain:
            graph = await chain.metagraph()
            rows = await chain.weights()
            assert {neuron.axon.ip for neuron in graph.neurons if neuron.axon} == {
                f"127.0.0.{i + 2}" for i in range(64)
            }
            for hotkey in validators:
                mine_ = graph.by_hotkey(hotkey.ss58_address)
                assert mine_ is not None and set(rows[mine_.uid]) == set(miners)
                assert sum(rows[mine_.uid].values()) == pytest.approx(1)
