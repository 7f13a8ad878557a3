import asyncio

import pytest
from loguru import logger
from miner_chain import FakeChain, neuron

from compression_subnet.chain.port import Axon, Refused, Served, TooEarly, Unreachable
from compression_subnet.errors import ChainUnreachable
from compression_subnet.miner.follower import Follower
from compression_subnet.miner.gate import MetagraphGate, Refusal
from compression_subnet.ops import Conditions

HERE = Axon("8.8.8.8", 8091)


@pytest.fixture
def lines():
    found = []
    number = logger.add(found.append, format="{level}|{message}", colorize=False)
    yield found
    logger.remove(number)


class Enough(Exception):
    pass


def follower(chain, steps, seconds=60.0, axon=HERE):
    """A follower that stops after some steps, and the pauses it made."""
    pauses = []

    async def sleep(pause):
        pauses.append(pause)
        if len(pauses) == steps:
            raise Enough

    gate = MetagraphGate(min_stake=0, require_permit=True)
    return Follower(chain, gate, "me", axon, Conditions(), seconds=seconds, sleep=sleep), pauses, gate


async def follow(made):
    with pytest.raises(Enough):
        await made.follow()


async def test_the_address_is_published_once_and_then_only_watched(lines):
    chain = FakeChain(neuron(0, "v"), neuron(1, "me"), hotkey="me")
    made, pauses, gate = follower(chain, 4)
    await follow(made)
    assert chain.served == [HERE]
    assert pauses == [60.0] * 4
    assert gate.refusal("v") is None
    assert len(lines) == 2  # published, and found


async def test_an_address_that_is_there_already_is_not_published_again():
    chain = FakeChain(neuron(1, "me", axon=Axon("2a00:0::1", 1)), hotkey="me")
    made, _, _ = follower(chain, 2, axon=Axon("2a00::1", 1))
    await follow(made)
    assert chain.served == []


@pytest.mark.parametrize("there", [Axon("8.8.4.4", 8091), Axon("8.8.8.8", 1), Axon("rubbish", 8091), None])
async def test_another_address_on_chain_is_replaced(there):
    chain = FakeChain(neuron(1, "me", axon=there), hotkey="me")
    made, _, _ = follower(chain, 2)
    await follow(made)
    assert chain.served == [HERE]


async def test_what_fails_is_tried_again_with_longer_and_longer_pauses(lines):
    outcomes = [TooEarly(150), Unreachable("timeout"), Refused("X", "do this"), Refused("X", "do this"), Served("0x1")]
    chain = FakeChain(neuron(1, "me"), hotkey="me", outcomes=outcomes)
    made, pauses, _ = follower(chain, 6, seconds=5.0)
    await follow(made)
    assert pauses == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0]
    assert len(chain.served) == 5
    assert sum("do this" in line for line in lines) == 1  # the same state is no news
    assert any("block 150" in line for line in lines)


async def test_an_unregistered_miner_is_told_how_to_register_and_keeps_looking(lines):
    chain = FakeChain(neuron(0, "v"), hotkey="me")
    made, pauses, _ = follower(chain, 3)
    await follow(made)
    assert chain.served == [] and pauses == [60.0] * 3
    assert len(lines) == 1 and lines[0].startswith("ERROR") and "btcli subnets register" in lines[0]


async def test_a_chain_that_is_gone_leaves_the_last_view_and_is_tried_again():
    chain = FakeChain(neuron(0, "v"), neuron(1, "me", axon=HERE), hotkey="me")
    made, pauses, gate = follower(chain, 3)
    assert gate.refusal("v") is Refusal.NOT_READY
    await made.look()
    chain.fault = ChainUnreachable("no reply {x}")
    await follow(made)
    assert gate.refusal("v") is None
    assert pauses == [1.0, 2.0, 4.0]


async def test_a_publication_that_timed_out_but_took_effect_is_not_repeated():
    chain = FakeChain(neuron(1, "me"), hotkey="me", outcomes=[Unreachable("timeout")])
    made, _, _ = follower(chain, 1)
    await follow(made)
    chain.neurons = [neuron(1, "me", axon=HERE)]
    again, _, _ = follower(chain, 1)
    await follow(again)
    assert len(chain.served) == 1


async def test_an_operator_is_told_whether_the_chain_is_read_and_has_the_address():
    conditions = Conditions("chain", "axon")
    chain = FakeChain(neuron(0, "v"), hotkey="me")
    made = Follower(chain, MetagraphGate(min_stake=0, require_permit=True), "me", HERE, conditions, seconds=60)

    async def faults():
        if (seen := await made.look()) is not None:
            await made.publish(seen)
        return {name: fault for name, fault in conditions.faults.items() if fault}

    assert await faults() == {"axon": "the hotkey is not registered"}
    chain.neurons.append(neuron(1, "me"))
    assert list(await faults()) == ["axon"]  # published now, and seen at the next look
    assert await faults() == {}
    chain.fault = ChainUnreachable("no reply")
    assert list(await faults()) == ["chain"]


async def test_following_ends_when_cancelled():
    chain = FakeChain(neuron(1, "me"), hotkey="me")
    made = Follower(chain, MetagraphGate(min_stake=0, require_permit=True), "me", HERE, Conditions(), seconds=60)
    task = asyncio.create_task(made.follow())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
