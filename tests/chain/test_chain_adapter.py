"""The adapter against the dev chain, over a real websocket, with every outcome of a write."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count

import pytest
import pytest_asyncio
from bittensor.sp_core import Keypair
from chain_proxy import SUBMIT, Proxy, proxied

from compression_subnet.chain import (
    Axon,
    Backoff,
    BittensorChain,
    Committed,
    Hotkey,
    Refused,
    Served,
    TooEarly,
    Unreachable,
    WeightsSet,
    open_chain,
    spec_version,
)
from compression_subnet.chain.dev.client import DevClient, dev_chain
from compression_subnet.errors import ChainError, ChainUnreachable, InputError

pytestmark = pytest.mark.asyncio(loop_scope="module")

RATE_LIMIT, TEMPO, RAO = 5, 20, 10**9
SOON = Backoff(first=0.01, most=0.05)
names = count()


def key(name: str) -> Hotkey:
    return Keypair.create_from_uri(f"//{name}")


@asynccontextmanager
async def chain_of(url: str, hotkey: Hotkey, deadline: float = 5.0, netuid: int = 1) -> AsyncIterator[BittensorChain]:
    chain = await open_chain(url, netuid, hotkey, spec_version=spec_version(), deadline=deadline, backoff=SOON)
    async with chain:
        yield chain


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url() -> AsyncIterator[str]:
    async with dev_chain(tempo=TEMPO, commit_reveal=False, weights_rate_limit=RATE_LIMIT) as address:
        yield address


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def dev(url: str) -> AsyncIterator[DevClient]:
    async with DevClient(url) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def miners(dev: DevClient) -> list[int]:
    """The uids of three miners."""
    return [await dev.register(1, key(f"miner{i}").ss58_address, key("cold").ss58_address) for i in range(3)]


@pytest_asyncio.fixture(loop_scope="module")
async def proxy(url: str) -> AsyncIterator[Proxy]:
    async with proxied(url) as running:
        yield running


async def newcomer(dev: DevClient, stake: int = 1000) -> tuple[Hotkey, int]:
    """Register a validator and let its registration's rate limit pass."""
    hotkey = key(f"validator{next(names)}")
    uid = await dev.register(1, hotkey.ss58_address, key("cold").ss58_address)
    await dev.set_stake(hotkey.ss58_address, 1, stake * RAO)
    await dev.new_block(RATE_LIMIT)
    return hotkey, uid


async def test_reads(url: str, dev: DevClient, miners: list[int]) -> None:
    hotkey, uid = await newcomer(dev)
    async with chain_of(url, hotkey) as chain:
        head = await chain.block()
        graph = await chain.metagraph()
        assert (graph.netuid, graph.block) == (1, head)
        assert [neuron.uid for neuron in graph.neurons] == list(range(len(graph.neurons)))
        mine = graph.by_hotkey(hotkey.ss58_address)
        assert mine is not None and mine.uid == uid and mine.validator_permit and mine.stake == 1000.0
        assert mine.registered_at == mine.last_update <= head
        settings = graph.hyperparameters
        assert (settings.tempo, settings.weights_rate_limit, settings.commit_reveal) == (TEMPO, RATE_LIMIT, False)
        assert await chain.stake_threshold() == 0
        epoch = await chain.next_epoch_block()
        assert head < epoch <= head + TEMPO + 1
        assert abs(await chain.timestamp() - time.time()) < 600, "the chain's clock is a wall clock"


async def test_a_subnet_that_does_not_exist_is_an_error(url: str) -> None:
    async with chain_of(url, key("anybody"), netuid=77) as chain:
        with pytest.raises(ChainError, match="no subnet 77"):
            await chain.metagraph()


async def test_the_chain_gets_exactly_the_integers_that_were_set(url: str, dev: DevClient, miners: list[int]) -> None:
    import bittensor

    hotkey, uid = await newcomer(dev)
    weights = {miners[0]: 43691, miners[1]: 65535, miners[2]: 1, uid: 0}
    async with chain_of(url, hotkey) as chain:
        outcome = await chain.set_weights(weights)
        assert isinstance(outcome, WeightsSet)
        assert outcome.block_hash == await dev.call("chain_getBlockHash", outcome.block)
        total = sum(weights.values())
        assert (await chain.weights())[uid] == {m: weights[m] / total for m in sorted(miners)}
    async with bittensor.Subtensor(url) as client:
        rows = dict(await client.query_map(bittensor.storage.SubtensorModule.Weights, [1]))
    assert dict(rows[uid]) == {m: weights[m] for m in miners}


async def test_too_early_says_when_and_setting_works_from_that_block_on(
    url: str, dev: DevClient, miners: list[int]
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(url, hotkey) as chain:
        first = await chain.set_weights({miners[0]: 65535})
        assert isinstance(first, WeightsSet)
        limit = TooEarly(first.block + RATE_LIMIT, first.block)
        assert await chain.set_weights({miners[1]: 65535}) == limit
        while await dev.new_block() < limit.next_block - 1:
            pass
        assert await chain.set_weights({miners[1]: 65535}) == limit
        await dev.new_block()
        assert isinstance(await chain.set_weights({miners[1]: 65535}), WeightsSet)


async def test_a_stranger_is_refused(url: str, miners: list[int]) -> None:
    async with chain_of(url, key("stranger")) as chain:
        outcome = await chain.set_weights({miners[0]: 65535})
        assert isinstance(outcome, Refused) and "btcli subnets register --netuid 1" in outcome.remedy


async def test_without_a_permit_the_chain_refuses(url: str, dev: DevClient, miners: list[int]) -> None:
    hotkey, _ = await newcomer(dev, stake=0)
    async with chain_of(url, hotkey) as chain:
        outcome = await chain.set_weights({miners[0]: 65535})
        assert isinstance(outcome, Refused) and outcome.reason == "NeuronNoValidatorPermit"
        assert "permit" in outcome.remedy


async def test_under_the_stake_threshold_the_pool_refuses(url: str, dev: DevClient, miners: list[int]) -> None:
    hotkey, _ = await newcomer(dev, stake=10)
    await dev.set_stake_threshold(100 * RAO)
    try:
        async with chain_of(url, hotkey) as chain:
            outcome = await chain.set_weights({miners[0]: 65535})
    finally:
        await dev.set_stake_threshold(0)
    assert isinstance(outcome, Refused) and "stake" in outcome.remedy


@pytest.mark.parametrize(
    ("name", "value", "reason", "remedy"),
    [
        ("weights_version", spec_version() + 1, "IncorrectWeightVersionKey", "upgrade compression-subnet"),
        ("min_allowed_weights", 3, "INVALID_ARGUMENT", "at least 3"),
        ("max_weights_limit", 32768, "MaxWeightExceeded", "max_weight_limit"),
    ],
)
async def test_hyperparameters_that_refuse(
    url: str, dev: DevClient, miners: list[int], name: str, value: int, reason: str, remedy: str
) -> None:
    hotkey, _ = await newcomer(dev)
    before = {"weights_version": 0, "min_allowed_weights": 1, "max_weights_limit": 65535}[name]
    await dev.set_hyperparameter(1, name, value)
    try:
        async with chain_of(url, hotkey) as chain:
            outcome = await chain.set_weights({miners[0]: 65535, miners[1]: 30})
    finally:
        await dev.set_hyperparameter(1, name, before)
    assert isinstance(outcome, Refused) and outcome.reason == reason and remedy in outcome.remedy


async def test_our_version_key_is_sent_and_accepted_where_the_subnet_asks_for_it(
    url: str, dev: DevClient, miners: list[int]
) -> None:
    hotkey, _ = await newcomer(dev)
    await dev.set_hyperparameter(1, "weights_version", spec_version())
    try:
        async with chain_of(url, hotkey) as chain:
            assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)
    finally:
        await dev.set_hyperparameter(1, "weights_version", 0)


async def test_a_uid_that_does_not_exist_is_refused(url: str, dev: DevClient) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(url, hotkey) as chain:
        outcome = await chain.set_weights({60000: 65535})
        assert isinstance(outcome, Refused) and "metagraph" in outcome.remedy


async def test_weights_in_another_form_are_an_error_before_anything_is_sent(proxy: Proxy) -> None:
    async with chain_of(proxy.url, key("anybody")) as chain:
        with pytest.raises(InputError, match="largest weight must be 65535"):
            await chain.set_weights({0: 1})
    assert proxy.requests == []


async def test_commit_reveal(url: str, dev: DevClient, miners: list[int]) -> None:
    hotkey, _ = await newcomer(dev)
    await dev.set_hyperparameter(1, "commit_reveal_weights_enabled", True)
    try:
        async with chain_of(url, hotkey) as chain:
            outcome = await chain.set_weights({miners[0]: 65535, miners[1]: 7})
            assert isinstance(outcome, Committed) and outcome.reveal_round > 0
            assert outcome.block_hash == await dev.call("chain_getBlockHash", outcome.block)
            assert await chain.set_weights({miners[0]: 65535}) == TooEarly(outcome.block + RATE_LIMIT, outcome.block)
    finally:
        await dev.set_hyperparameter(1, "commit_reveal_weights_enabled", False)


@pytest.mark.parametrize("commit_reveal", [False, True])
async def test_a_call_that_took_effect_unseen_is_found_by_the_next_and_not_sent_again(
    dev: DevClient, miners: list[int], proxy: Proxy, commit_reveal: bool
) -> None:
    hotkey, _ = await newcomer(dev)
    await dev.set_hyperparameter(1, "commit_reveal_weights_enabled", commit_reveal)
    try:
        async with chain_of(proxy.url, hotkey, deadline=1.0) as chain:
            proxy.mute_after = SUBMIT
            first = await chain.set_weights({miners[0]: 65535})
            assert isinstance(first, Unreachable) and "no answer within 1 s" in first.detail
            proxy.heal()
            second = await chain.set_weights({miners[0]: 65535})
            assert isinstance(second, Committed if commit_reveal else WeightsSet)
            assert second.block_hash == await dev.call("chain_getBlockHash", second.block)
            assert proxy.requests.count(SUBMIT) == 1
            assert await chain.set_weights({miners[0]: 65535}) == TooEarly(second.block + RATE_LIMIT, second.block)
    finally:
        await dev.set_hyperparameter(1, "commit_reveal_weights_enabled", False)


async def test_the_proof_of_other_weights_is_not_passed_off_as_that_of_these(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey, deadline=1.0) as chain:
        proxy.mute_after = SUBMIT
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[1]: 65535}), TooEarly)


async def test_a_call_that_was_cut_off_is_unreachable_and_found_by_the_next(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey) as chain:
        proxy.drop_after = SUBMIT
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)
        assert proxy.requests.count(SUBMIT) == 1


async def test_a_call_that_was_lost_on_the_way_is_sent_again_by_the_next(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey, deadline=1.0) as chain:
        proxy.swallow = SUBMIT
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)
        assert proxy.requests.count(SUBMIT) == 2


async def test_a_call_that_surfaces_while_it_is_sent_again_is_found(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    held: list[str] = []

    async def hold_the_first(frame: str) -> bool:
        held.append(frame)
        if len(held) == 2:
            await dev.call(SUBMIT.replace("AndWatch", ""), json.loads(held[0])["params"][0])
        return len(held) > 1

    async with chain_of(proxy.url, hotkey, deadline=1.0) as chain:
        proxy.on_submit = hold_the_first
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)
        assert len(held) == 2


async def test_a_rate_limit_that_the_chain_finds_is_too_early_too(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)

    async def tighten(_: str) -> bool:
        await dev.set_hyperparameter(1, "weights_rate_limit", 100)
        return True

    async with chain_of(proxy.url, hotkey) as chain:
        proxy.on_submit = tighten
        try:
            outcome = await chain.set_weights({miners[0]: 65535})
        finally:
            await dev.set_hyperparameter(1, "weights_rate_limit", RATE_LIMIT)
    assert isinstance(outcome, TooEarly) and outcome.last_block is not None
    assert outcome.next_block == outcome.last_block + 100


async def test_a_cancelled_call_ends_at_once_and_leaves_the_chain_usable(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey) as chain:
        proxy.mute_after = SUBMIT
        task = asyncio.create_task(chain.set_weights({miners[0]: 65535}))
        while SUBMIT not in proxy.requests:
            await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.wait({task}, timeout=1)
        assert task.cancelled()
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)
        assert proxy.requests.count(SUBMIT) == 1


async def test_an_answer_that_is_an_error_is_no_silence(dev: DevClient, miners: list[int], proxy: Proxy) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey) as chain:
        await chain.block()
        for proxy.fail in ("chain_getHeader", None):
            for proxy.garble in ("chain_getHeader", None):
                if proxy.fail or proxy.garble:
                    with pytest.raises(ChainError) as caught:
                        await chain.block()
                    assert not isinstance(caught.value, ChainUnreachable)
                    assert isinstance(await chain.set_weights({miners[0]: 65535}), Refused)
        assert SUBMIT not in proxy.requests
        proxy.fail = SUBMIT
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Refused)
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)


async def test_a_block_that_cannot_be_read_leaves_the_fate_open(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey) as chain:
        proxy.garble = "chain_getBlock"
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)
        assert proxy.requests.count(SUBMIT) == 1


async def test_after_calls_for_different_weights_an_update_proves_none_of_them(
    dev: DevClient, miners: list[int], proxy: Proxy
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey, deadline=0.7) as chain:
        proxy.swallow = SUBMIT
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        proxy.heal()
        proxy.mute_after = SUBMIT
        assert isinstance(await chain.set_weights({miners[1]: 65535}), Unreachable)
        proxy.heal()
        assert isinstance(await chain.set_weights({miners[1]: 65535}), TooEarly)


async def test_two_at_a_time_take_turns(url: str, dev: DevClient, miners: list[int]) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(url, hotkey) as chain:
        outcomes = await asyncio.gather(
            chain.set_weights({miners[0]: 65535}), chain.set_weights({miners[1]: 65535}), chain.block()
        )
    assert isinstance(outcomes[0], WeightsSet) and isinstance(outcomes[1], TooEarly)


async def test_axons(dev: DevClient, proxy: Proxy) -> None:
    hotkey, uid = await newcomer(dev, stake=0)
    await dev.set_hyperparameter(1, "serving_rate_limit", 50)
    async with chain_of(proxy.url, hotkey) as chain:
        served = await chain.serve_axon(Axon("127.0.0.2", 8091))
        assert isinstance(served, Served)
        assert (await chain.metagraph()).neurons[uid].axon == Axon("127.0.0.2", 8091)
        assert isinstance(await chain.serve_axon(Axon("127.0.0.2", 8091)), Served)
        assert proxy.requests.count(SUBMIT) == 1, "what is on chain is not sent again"
        early = await chain.serve_axon(Axon("10.0.0.7", 8091))
        assert isinstance(early, TooEarly) and early.last_block is not None
        assert early.next_block == early.last_block + 50
        await dev.new_block(50)
        assert isinstance(await chain.serve_axon(Axon("2001:db8::7", 8091)), Served)
        assert (await chain.metagraph()).neurons[uid].axon == Axon("2001:db8::7", 8091)


@pytest.mark.parametrize(
    ("axon", "reason"),
    [(Axon("127.0.0.1", 8091), "InvalidIpAddress"), (Axon("127.0.0.2", 0), "InvalidPort")],
)
async def test_an_axon_that_nobody_could_reach_is_refused(url: str, dev: DevClient, axon: Axon, reason: str) -> None:
    hotkey, _ = await newcomer(dev, stake=0)
    async with chain_of(url, hotkey) as chain:
        outcome = await chain.serve_axon(axon)
    assert isinstance(outcome, Refused) and outcome.reason == reason and "set axon.external" in outcome.remedy


async def test_a_stranger_cannot_serve(url: str) -> None:
    async with chain_of(url, key("stranger")) as chain:
        outcome = await chain.serve_axon(Axon("127.0.0.2", 8091))
    assert isinstance(outcome, Refused) and "register" in outcome.remedy


async def test_a_read_survives_a_connection_that_is_cut_and_one_that_hangs(proxy: Proxy) -> None:
    async with chain_of(proxy.url, key("anybody"), deadline=1.0) as chain:
        head = await chain.block()
        await proxy.cut()
        assert await chain.block() >= head
        proxy.hung = True
        reading = asyncio.create_task(chain.block())
        await asyncio.sleep(0.3)
        proxy.hung = False  # what was taken while it hung is lost: only another attempt gets an answer
        assert await reading >= head


async def test_a_chain_that_hangs_is_unreachable_at_the_deadline_and_works_once_it_is_back(
    proxy: Proxy, miners: list[int], dev: DevClient
) -> None:
    hotkey, _ = await newcomer(dev)
    async with chain_of(proxy.url, hotkey, deadline=0.5) as chain:
        await chain.block()
        proxy.hung = True
        for read in (chain.block, chain.metagraph, chain.weights, chain.next_epoch_block):
            with pytest.raises(ChainUnreachable, match=r"gave no answer within 0\.5 s"):
                await read()
        assert isinstance(await chain.set_weights({miners[0]: 65535}), Unreachable)
        assert isinstance(await chain.serve_axon(Axon("127.0.0.2", 1)), Unreachable)
        proxy.heal()
        await proxy.cut()
        async with asyncio.timeout(5):
            while True:
                try:
                    assert await chain.block() > 0
                    break
                except ChainUnreachable:
                    pass


async def test_a_slow_chain_is_waited_for(proxy: Proxy, miners: list[int], dev: DevClient) -> None:
    hotkey, _ = await newcomer(dev)
    proxy.delay = 0.03
    async with chain_of(proxy.url, hotkey, deadline=10.0) as chain:
        assert len((await chain.metagraph()).neurons) > 3
        assert isinstance(await chain.set_weights({miners[0]: 65535}), WeightsSet)


async def test_blocks_go_on_through_a_cut_and_a_silence(proxy: Proxy, dev: DevClient) -> None:
    async with chain_of(proxy.url, key("anybody"), deadline=0.4) as chain:
        blocks = chain.blocks()
        async with asyncio.timeout(10):
            head = await anext(blocks)
            assert head > 0
            expected = await dev.new_block()
            assert await anext(blocks) == expected
            await proxy.cut()
            expected = await dev.new_block()
            assert await anext(blocks) == expected
            await asyncio.sleep(1.0)  # a chain that stands still is no reason to end
            expected = await dev.new_block()
            assert await anext(blocks) == expected
            proxy.hung = True
            following = asyncio.ensure_future(anext(blocks))
            await asyncio.sleep(0.1)
            expected = await dev.new_block()
            await asyncio.sleep(1.0)
            proxy.hung = False
            assert await following == expected
        await blocks.aclose()


async def test_what_is_closed_stays_closed(url: str, miners: list[int]) -> None:
    async with chain_of(url, key("anybody")) as chain:
        await chain.block()
    with pytest.raises(ChainError, match="closed"):
        await chain.block()
    with pytest.raises(ChainError, match="closed"):
        async for _ in chain.blocks():
            pass
