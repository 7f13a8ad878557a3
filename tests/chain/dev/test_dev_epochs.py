"""Epochs at the chain's schedule, and commitments that are revealed in theirs."""

from typing import Any

import numpy as np
import pytest
from dev_bench import ALPHA, NETUID, Bench, address, make_bench
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.chain.dev.epochs import next_epoch_block
from compression_subnet.chain.dev.pallets import reveals
from compression_subnet.chain.dev.yuma import yuma

SEALED = {"netuid": NETUID, "mecid": 0, "commit": b"sealed", "reveal_round": 9, "commit_reveal_version": 4}


def weigh(bench: Bench, uri: str, row: dict[int, int]) -> None:
    arguments = {
        "netuid": NETUID,
        "mecid": 0,
        "dests": list(row),
        "weights": list(row.values()),
        "version_key": 0,
    }
    assert bench.dispatch(uri, "set_mechanism_weights", arguments) == ""


@given(st.integers(1, 12), st.integers(1, 30))
@settings(deadline=None, max_examples=20)
def test_epochs_run_every_tempo_blocks_as_announced(tempo: int, count: int) -> None:
    bench = make_bench(tempo=tempo)
    expected = [number for number in range(1, count + 2) if number % tempo == 0]
    seen = []
    while bench.chain.head.number <= count:
        before = int(bench.get("SubnetEpochIndex", NETUID))
        announced = next_epoch_block(bench.storage, NETUID)
        bench.blocks()
        if int(bench.get("SubnetEpochIndex", NETUID)) > before:
            assert announced == bench.chain.head.number
            seen.append(bench.chain.head.number)
            assert bench.get("BlocksSinceLastStep", NETUID) == 0
            assert bench.get("LastEpochBlock", NETUID) == bench.chain.head.number
    assert seen == [number for number in expected if number > 1]


def test_a_tempo_of_0_runs_no_epoch() -> None:
    bench = make_bench(tempo=0)
    bench.blocks(5)
    assert bench.get("SubnetEpochIndex", NETUID) == 0
    assert next_epoch_block(bench.storage, NETUID) is None


def test_a_pending_epoch_comes_early_and_once() -> None:
    bench = make_bench(tempo=100)
    bench.set("PendingEpochAt", 4)
    assert next_epoch_block(bench.storage, NETUID) == 4
    bench.blocks(5)
    assert (bench.get("LastEpochBlock", NETUID), bench.get("SubnetEpochIndex", NETUID)) == (4, 1)
    assert next_epoch_block(bench.storage, NETUID) == 104


def voting_subnet(**changes: Any) -> Bench:
    """Alice (uid 0), validators 1 and 2 with stakes 600 and 400, miners 3 and 4; all registered in block 1."""
    bench = make_bench(**({"commit_reveal": False, "weights_rate_limit": 0, "tempo": 10} | changes))
    bench.register("//v1", alpha=600)
    bench.register("//v2", alpha=400)
    bench.register("//m3")
    bench.register("//m4")
    bench.blocks()
    return bench


def test_an_epoch_stores_what_yuma_finds() -> None:
    bench = voting_subnet()
    weigh(bench, "//v1", {3: 3, 4: 1})
    weigh(bench, "//v2", {3: 1, 4: 1})
    while bench.get("SubnetEpochIndex", NETUID) == 0:
        bench.blocks()
    weights = np.zeros((5, 5))
    weights[1, 3:], weights[2, 3:] = (65_535, 21_845), (65_535, 65_535)
    result = yuma(np.array([0.0, 600, 400, 0, 0]), weights, np.zeros((5, 5)), owner=0)
    for item, values in (
        ("Incentive", result.incentive),
        ("Dividends", result.dividends),
        ("Consensus", result.consensus),
        ("ValidatorTrust", result.validator_trust),
        ("StakeWeight", result.stake),
    ):
        np.testing.assert_allclose(bench.get(item, NETUID), values * 65_535, atol=1)
    assert bench.get("ValidatorPermit", NETUID) == [True, True, True, False, False]
    assert dict(bench.get("Bonds", NETUID, 1)) == pytest.approx({3: 0.075 * 65_535, 4: 0.025 * 65_535}, abs=1)
    assert sum(bench.get("Emission", NETUID)) == pytest.approx(10 * 0.82 * ALPHA, rel=1e-6)


def test_weights_older_than_their_target_count_for_nothing() -> None:
    bench = voting_subnet()
    weigh(bench, "//v1", {3: 1, 4: 1})
    bench.set("MinNonImmuneUids", 0)
    bench.set("ImmunityPeriod", 0)
    bench.set("MaxAllowedUids", 5)
    bench.set("Emission", [9, 9, 9, 9, 0])
    assert bench.register("//new") == 4
    while bench.get("SubnetEpochIndex", NETUID) == 0:
        bench.blocks()
    assert bench.get("Incentive", NETUID) == [0, 0, 0, 65_535, 0]


def test_the_inactive_lose_their_say() -> None:
    bench = voting_subnet(tempo=5)
    bench.set("ActivityCutoffFactorMilli", 2_000)
    weigh(bench, "//v1", {3: 1})
    bench.blocks(8)
    assert bench.get("Incentive", NETUID)[3] == 65_535
    bench.blocks(15)
    assert bench.get("Active", NETUID)[1] is False
    assert bench.get("Incentive", NETUID) == [0] * 5


def sealed_subnet() -> Bench:
    bench = voting_subnet(commit_reveal=True)
    assert bench.dispatch("//v1", "commit_timelocked_mechanism_weights", SEALED) == ""
    return bench


def test_a_commitment_is_revealed_at_the_start_of_its_reveal_epoch_before_consensus() -> None:
    bench = sealed_subnet()
    assert reveals.offer_reveal(bench.storage, NETUID, 0, address("//v1"), [3, 4], [65_535, 65_535], 0) == 1
    while bench.get("SubnetEpochIndex", NETUID) == 0:
        assert bench.get("Weights", NETUID, 1) == []
        bench.blocks()
    assert bench.get("Weights", NETUID, 1) == [(3, 65_535), (4, 65_535)]
    assert [tuple(event) for event in bench.events("TimelockedWeightsRevealed")] == [(NETUID, address("//v1"))]
    assert bench.get("TimelockedWeightCommits", NETUID, 0) == []
    assert bench.get("Incentive", NETUID) == [0, 0, 0, 32_767, 32_767]


def test_a_longer_reveal_period_waits_that_many_epochs() -> None:
    bench = sealed_subnet()
    bench.set("RevealPeriodEpochs", 3)
    assert reveals.offer_reveal(bench.storage, NETUID, 0, address("//v1"), [3], [1], 0) == 3
    while bench.get("SubnetEpochIndex", NETUID) < 3:
        assert bench.get("Weights", NETUID, 1) == []
        bench.blocks()
    assert bench.get("Weights", NETUID, 1) == [(3, 65_535)]


def test_a_reveal_that_comes_late_in_its_epoch_still_counts_and_one_that_never_comes_expires() -> None:
    bench = sealed_subnet()
    assert bench.dispatch("//v2", "commit_timelocked_mechanism_weights", SEALED) == ""
    while bench.get("SubnetEpochIndex", NETUID) == 0:
        bench.blocks()
    assert len(bench.get("TimelockedWeightCommits", NETUID, 0)) == 2
    reveals.offer_reveal(bench.storage, NETUID, 0, address("//v1"), [3], [1], 0)
    bench.blocks()
    assert bench.get("Weights", NETUID, 1) == [(3, 65_535)]
    assert [held[0] for held in bench.get("TimelockedWeightCommits", NETUID, 0)] == [address("//v2")]
    while bench.get("SubnetEpochIndex", NETUID) < 2:
        bench.blocks()
    assert bench.get("TimelockedWeightCommits", NETUID, 0) == []
    assert bench.get("Weights", NETUID, 2) == []


def test_a_reveal_that_fails_the_checks_is_dropped_without_a_trace() -> None:
    bench = sealed_subnet()
    reveals.offer_reveal(bench.storage, NETUID, 0, address("//v1"), [3, 3], [1, 1], 0)
    while bench.get("SubnetEpochIndex", NETUID) == 0:
        bench.blocks()
    assert bench.get("Weights", NETUID, 1) == []
    assert bench.events("TimelockedWeightsRevealed") == []
    assert bench.get("TimelockedWeightCommits", NETUID, 0) == []
    assert not bench.storage.get_note("reveals")


def test_nothing_can_be_revealed_that_was_not_committed() -> None:
    bench = voting_subnet(commit_reveal=True)
    with pytest.raises(ValueError, match="no commitment"):
        reveals.offer_reveal(bench.storage, NETUID, 0, address("//v1"), [3], [1], 0)


def test_a_target_that_registered_after_the_commitment_gets_nothing() -> None:
    bench = sealed_subnet()
    reveals.offer_reveal(bench.storage, NETUID, 0, address("//v1"), [3, 4], [1, 1], 0)
    bench.set("MinNonImmuneUids", 0)
    bench.set("ImmunityPeriod", 0)
    bench.set("MaxAllowedUids", 5)
    bench.set("Emission", [9, 9, 9, 9, 0])
    bench.blocks()
    assert bench.register("//new") == 4
    while bench.get("SubnetEpochIndex", NETUID) == 0:
        bench.blocks()
    assert bench.get("Incentive", NETUID) == [0, 0, 0, 65_535, 0]
