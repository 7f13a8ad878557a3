"""Setting weights through the unmodified bittensor SDK, over a real websocket."""

import asyncio
from typing import Any

import bittensor as bt
import pytest
from bittensor.sp_core import Keypair
from dev_bench import ALPHA, miner

from compression_subnet.chain.dev import DevClient

ALICE, BOB, EVE = (Keypair.create_from_uri(uri) for uri in ("//Alice", "//Bob", "//Eve"))


async def test_weights_are_set_free_of_fee_and_read_back(sdk: Any, dev: DevClient) -> None:
    await miner(dev, "//m")
    intent = bt.SetWeights(netuid=1, weights={0: 0.25, 1: 0.75})
    plan = await sdk.plan(intent, ALICE)
    assert plan.ok and plan.fee.rao == 0 and not plan.violations
    result = await sdk.execute(intent, ALICE)
    assert result.success and result.fee.rao == 0
    assert ("SubtensorModule", "WeightsSet") in [(event["module_id"], event["event_id"]) for event in result.events]
    assert await sdk.weights.weights(netuid=1) == {0: {0: 0.25, 1: 0.75}}
    assert await sdk.epochs.blocks_since_last_update(netuid=1, uid=0) == 0


async def test_weights_too_soon_or_from_a_stranger_are_stopped_by_the_sdk(sdk: Any) -> None:
    intent = bt.SetWeights(netuid=1, weights={0: 1.0})
    assert (await sdk.execute(intent, ALICE)).success
    with pytest.raises(bt.ChainError) as early:
        await sdk.execute(intent, ALICE)
    assert early.value.code == bt.ErrorCode.RATE_LIMITED
    with pytest.raises(bt.ChainError) as stranger:
        await sdk.execute(intent, EVE)
    assert stranger.value.code == bt.ErrorCode.NOT_REGISTERED


async def test_weights_without_a_permit_or_with_an_old_version_fail_on_chain(sdk: Any, dev: DevClient) -> None:
    await miner(dev, "//m")
    stranger = await miner(dev, "//n")
    await dev.new_block(5)
    without = await sdk.execute(bt.SetWeights(netuid=1, weights={1: 1.0}), stranger)
    assert (without.success, without.error.name, without.error.code) == (
        False,
        "NeuronNoValidatorPermit",
        bt.ErrorCode.NOT_AUTHORIZED,
    )
    await dev.set_hyperparameter(1, "weights_version", 7)
    old = await sdk.execute(bt.SetWeights(netuid=1, weights={1: 1.0}, version_key=6), ALICE)
    assert (old.success, old.error.name) == (False, "IncorrectWeightVersionKey")
    assert (await sdk.execute(bt.SetWeights(netuid=1, weights={1: 1.0}, version_key=7), ALICE)).success


async def test_too_little_stake_is_refused_by_the_pool(sdk: Any, dev: DevClient) -> None:
    await dev.set_stake_threshold(ALPHA)
    result = await sdk.execute(bt.SetWeights(netuid=1, weights={0: 1.0}), ALICE)
    assert (result.success, result.error.name) == (False, "StakeAmountTooLow")
    await dev.set_stake(ALICE.ss58_address, 1, ALPHA)
    assert (await sdk.execute(bt.SetWeights(netuid=1, weights={0: 1.0}), ALICE)).success


async def test_sealed_weights_are_committed_and_revealed_through_the_side_channel(sdk: Any, dev: DevClient) -> None:
    await miner(dev, "//m")
    await dev.set_hyperparameter(1, "commit_reveal_weights_enabled", True)
    result = await sdk.execute(bt.SetWeights(netuid=1, weights={0: 0.25, 1: 0.75}), ALICE)
    assert result.success and result.data["reveal_round"] > 0
    commits = await sdk.weights.timelocked_weight_commits(netuid=1)
    assert [commit["hotkey"] for commit in commits[0]] == [ALICE.ss58_address]
    assert await dev.reveal_weights(1, ALICE.ss58_address, {0: 21_845, 1: 65_535}) == 1
    assert await sdk.weights.weights(netuid=1) == {}
    status = await sdk.epochs.epoch_status(netuid=1)
    await dev.new_block(status["blocks_remaining"])
    assert await sdk.weights.weights(netuid=1) == {0: {0: 0.25, 1: 0.75}}
    assert not any((await sdk.weights.timelocked_weight_commits(netuid=1)).values())


async def test_four_validators_weigh_64_miners_at_once_and_an_epoch_pays_by_it(url: str, dev: DevClient) -> None:
    validators = [await miner(dev, f"//validator{number}", alpha=1_000) for number in range(4)]
    for number in range(60):
        await miner(dev, f"//miner{number}")
    await dev.new_block(5)
    row = {uid: float(1 + uid % 7) for uid in range(5, 65)}

    async def weigh(validator: Keypair) -> bool:
        async with bt.Subtensor(url) as client:
            return bool((await client.execute(bt.SetWeights(netuid=1, weights=row), validator)).success)

    assert await asyncio.gather(*map(weigh, validators)) == [True] * 4
    await dev.new_block(20)
    async with bt.Subtensor(url) as client:
        graph = await client.subnets.metagraph(netuid=1)
    total = sum(row.values())
    for neuron in graph:
        assert neuron.incentive == pytest.approx(row.get(neuron.uid, 0.0) / total, abs=1e-4)
        assert neuron.dividends == pytest.approx(0.25 if 1 <= neuron.uid <= 4 else 0.0, abs=1e-4)
