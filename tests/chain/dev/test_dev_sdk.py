"""The unmodified bittensor SDK against the dev chain, over a real websocket."""

import asyncio
import contextlib
import sys
from typing import Any

import bittensor as bt
import pytest
from bittensor.sp_core import Keypair
from dev_bench import ALPHA, miner

from compression_subnet.chain.dev import DevClient, dev_chain

ALICE, BOB, EVE = (Keypair.create_from_uri(uri) for uri in ("//Alice", "//Bob", "//Eve"))


def burned_register(hotkey: Keypair) -> Any:
    return bt.calls.SubtensorModule.burned_register(netuid=1, hotkey=hotkey.ss58_address)


async def test_it_connects_and_reads_blocks(sdk: Any, dev: DevClient) -> None:
    number = await dev.new_block(3)
    assert await sdk.block() == number == await sdk.finalized_block()
    assert await sdk.spec_version() == 446
    assert await sdk.block_time() == 12.0 and not await sdk.is_fast_blocks()
    info = await sdk.block_info()
    assert info.number == number
    assert [extrinsic["call"]["call_module"] for extrinsic in info.extrinsics] == ["Timestamp"]
    assert info.timestamp == await sdk.timestamp()


async def test_registration_by_a_signed_call(sdk: Any) -> None:
    result = await sdk.submit_call(burned_register(BOB), BOB, signer="coldkey")
    assert result.success and result.fee.rao == 124_414
    assert await sdk.neurons.uid(hotkey_ss58=BOB.ss58_address, netuid=1) == 1
    again = await sdk.submit_call(burned_register(BOB), BOB, signer="coldkey")
    assert not again.success and again.error.name == "HotKeyAlreadyRegisteredInSubNet"


async def test_an_axon_is_published_unless_it_is_127_0_0_1(sdk: Any, dev: DevClient) -> None:
    await dev.register(1, BOB.ss58_address, BOB.ss58_address)
    refused = await sdk.execute(bt.ServeAxon(netuid=1, ip="127.0.0.1", port=8091), BOB)
    assert not refused.success and refused.error.name == "InvalidIpAddress"
    served = await sdk.execute(bt.ServeAxon(netuid=1, ip="127.0.0.2", port=8091), BOB)
    assert served.success and served.fee.rao == 0
    assert (await sdk.subnets.metagraph(netuid=1)).neuron(1).axon == "127.0.0.2:8091"
    too_soon = await sdk.execute(bt.ServeAxon(netuid=1, ip="10.0.0.1", port=1), BOB)
    assert not too_soon.success and too_soon.error.name == "ServingRateLimitExceeded"
    await dev.new_block(50)
    assert (await sdk.execute(bt.ServeAxon(netuid=1, ip="2001:db8::5", port=9), BOB)).success
    assert (await sdk.subnets.metagraph(netuid=1)).neuron(1).axon == "[2001:db8::5]:9"


async def test_the_metagraph_shows_stake_permits_and_owner(sdk: Any, dev: DevClient) -> None:
    await miner(dev, "//v", alpha=1_000)
    await dev.set_stake(ALICE.ss58_address, 0, 100 * ALPHA)
    await dev.new_block()
    graph = await sdk.subnets.metagraph(netuid=1)
    assert (graph.owner_hotkey, graph.owner_coldkey) == (ALICE.ss58_address, ALICE.ss58_address)
    assert [neuron.validator_permit for neuron in graph] == [True, True]
    assert graph.neuron(1).total_stake.alpha == 1_000
    assert graph.neuron(0).tao_stake.tao == 100
    assert graph.neuron(0).total_stake.alpha == pytest.approx(5.2677, abs=1e-3)
    assert graph.block == await sdk.block()
    assert await sdk.subnets.metagraph(netuid=7) is None


async def test_the_past_can_be_read(sdk: Any, dev: DevClient) -> None:
    before = await dev.new_block()
    await dev.new_block()
    await miner(dev, "//m")
    await dev.new_block(3)
    assert len(await sdk.subnets.metagraph(netuid=1, block=before)) == 1
    assert len(await sdk.subnets.metagraph(netuid=1)) == 2
    snapshot = await sdk.at(before)
    assert await snapshot.query(bt.storage.SubtensorModule.SubnetworkN, [1]) == 1


async def test_hyperparameters_of_a_new_subnet(sdk: Any, dev: DevClient) -> None:
    read = await sdk.subnets.subnet_hyperparameters(netuid=1)
    expected = {
        "tempo": 20,
        "weights_rate_limit": 5,
        "min_allowed_weights": 1,
        "max_weights_limit": 65_535,
        "commit_reveal_weights_enabled": False,
        "commit_reveal_period": 1,
        "weights_version": 0,
        "serving_rate_limit": 50,
        "immunity_period": 5_000,
        "max_allowed_uids": 256,
        "max_validators": 64,
        "kappa": 32_767,
        "activity_cutoff": 277,
        "alpha_sigmoid_steepness": 1_000,
        "yuma_version": 3,
    }
    assert {name: read[name] for name in expected} == expected
    await dev.set_hyperparameter(1, "weights_version", 1_000)
    await dev.set_hyperparameter(1, "MinAllowedWeights", 3)
    await dev.set_hyperparameter(1, "commit_reveal_weights_enabled", True)
    await dev.new_block()
    read = await sdk.subnets.subnet_hyperparameters(netuid=1)
    assert (read["weights_version"], read["min_allowed_weights"]) == (1_000, 3)
    assert await sdk.subnets.commit_reveal_enabled(netuid=1)
    assert await sdk.subnets.subnet_hyperparameters(netuid=7) is None


async def test_a_signature_that_was_tampered_with_is_refused(sdk: Any) -> None:
    call = await sdk.compose(burned_register(BOB))
    unsigned = await sdk.prepare_call(call, address=BOB.ss58_address)
    signature = bytearray(BOB.sign(unsigned.payload))
    signature[5] ^= 1
    result = await sdk.submit_signature(unsigned, bytes(signature))
    assert not result.success and "signature" in result.message


async def test_epochs_are_announced_and_can_be_waited_for(sdk: Any, dev: DevClient) -> None:
    announced = await sdk.epochs.next_epoch_start_block(netuid=1)
    assert announced == 20
    assert await sdk.epochs.blocks_until_next_epoch(netuid=1) == 20 - await sdk.block()
    waiting = asyncio.create_task(sdk.wait_for_epoch(1, timeout=20))
    while not waiting.done():
        await dev.new_block()
        await asyncio.sleep(0.01)
    assert waiting.result().block == announced
    status = await sdk.epochs.epoch_status(netuid=1)
    assert (status["epoch_index"], status["last_epoch_block"], status["next_epoch_start_block"]) == (1, 20, 40)


async def test_new_heads_arrive_in_order(sdk: Any, dev: DevClient) -> None:
    seen: list[int] = []

    async def watch() -> None:
        async with contextlib.aclosing(sdk.blocks()) as headers:
            async for header in headers:
                seen.append(header.number)
                if len(seen) == 4:
                    return

    watching = asyncio.create_task(watch())
    while not seen:
        await asyncio.sleep(0.01)
    await dev.new_block(3)
    await asyncio.wait_for(watching, 10)
    assert seen == list(range(seen[0], seen[0] + 4))


async def test_every_neuron_can_be_read(sdk: Any, dev: DevClient) -> None:
    await miner(dev, "//m", alpha=3)
    await sdk.execute(bt.SetWeights(netuid=1, weights={1: 1.0}), ALICE)
    lite = await sdk.read("neurons", netuid=1)
    assert [(neuron.uid, neuron.active, neuron.total_stake.alpha) for neuron in lite] == [(0, True, 0), (1, True, 3)]
    full = await sdk.read("neurons", netuid=1, lite=False)
    assert full[0].raw["weights"] == [(1, 65_535)]
    assert await sdk.read("netuids_for_hotkey", hotkey_ss58=ALICE.ss58_address) == [1]


async def test_the_blocking_client_works_too(url: str, dev: DevClient) -> None:
    # In a process of its own: the SDK leaves its private event loop open, which is an error here.
    number = await dev.new_block()
    code = f"import bittensor as bt; c = bt.Subtensor({url!r}); print(c.block, len(c.subnets.metagraph(netuid=1)))"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    output, _ = await process.communicate()
    assert output.split() == [str(number).encode(), b"1"]


async def test_what_btcli_shows_of_subnets_can_be_read(sdk: Any) -> None:
    assert await sdk.read("alpha_prices") == {0: 1.0, 1: 1.0}
    assert (await sdk.read("alpha_price", netuid=1))["price_rao"] == ALPHA
    assert (await sdk.read("subnet_registration_cost")).tao == 1_000
    assert [subnet.netuid for subnet in await sdk.subnets.all()] == [0, 1]
    assert await sdk.read("subnet_names") == {} == await sdk.read("subnet_tao_flows")
    assert await sdk.read("subnet_identity", netuid=1) is None
    assert await sdk.query(bt.storage.SubtensorModule.NetworkRegisteredAt, [1]) == 0
    from bittensor.cli.hyperparams_view import fetch_hyperparameters

    shown = await fetch_hyperparameters(sdk, 1)
    assert shown is not None and shown["activity_cutoff_factor"] == 13_889


async def test_a_restarted_chain_is_the_same_chain(tmp_path: Any) -> None:
    state = tmp_path / "state"
    async with dev_chain(commit_reveal=False, state=state) as url, bt.Subtensor(url) as client:
        assert (await client.execute(bt.SetWeights(netuid=1, weights={0: 1.0}), ALICE)).success
    async with dev_chain(state=state) as url, bt.Subtensor(url) as client:
        assert await client.weights.weights(netuid=1) == {0: {0: 1.0}}
        assert len(await client.subnets.metagraph(netuid=1)) == 1
