import pytest
from miner_chain import HYPERPARAMETERS, metagraph, neuron

from compression_subnet.chain.port import Metagraph
from compression_subnet.miner.gate import MetagraphGate, Refusal


def gate(*neurons, **settings):
    made = MetagraphGate(**({"min_stake": 100.0, "require_permit": True} | settings))
    made.update(metagraph(*neurons))
    return made


def test_before_a_metagraph_nobody_is_answered():
    assert MetagraphGate(min_stake=0, require_permit=False).refusal("a") is Refusal.NOT_READY


@pytest.mark.parametrize(
    "permit, stake, refusal",
    [
        (True, 100.0, None),
        (True, 99.99, Refusal.LOW_STAKE),
        (True, float("nan"), Refusal.LOW_STAKE),
        (False, 1e9, Refusal.NO_PERMIT),
    ],
)
def test_a_validator_needs_its_permit_and_its_stake(permit, stake, refusal):
    assert gate(neuron(0, "v", stake=stake, validator_permit=permit)).refusal("v") is refusal


def test_a_permit_is_needed_only_where_it_is_asked_for():
    assert gate(neuron(0, "v", stake=200, validator_permit=False), require_permit=False).refusal("v") is None


@pytest.mark.parametrize("hotkey", ["x", "", "{x}", "\x00", "v" * 10_000])
def test_any_string_is_just_unregistered(hotkey):
    assert gate(neuron(0, "v")).refusal(hotkey) is Refusal.UNREGISTERED


def test_a_newer_metagraph_counts_at_once():
    made = gate(neuron(0, "v"))
    made.update(metagraph(neuron(0, "w")))
    assert (made.refusal("v"), made.refusal("w")) == (Refusal.UNREGISTERED, None)


def test_everyone_is_answered_where_that_is_set():
    assert MetagraphGate(min_stake=1, require_permit=True, allow_unregistered=True).refusal("anyone") is None


def test_an_empty_subnet_lets_nobody_in():
    made = MetagraphGate(min_stake=0, require_permit=False)
    made.update(Metagraph(1, 5, "owner", (), HYPERPARAMETERS))
    assert made.refusal("v") is Refusal.UNREGISTERED
