"""Yuma consensus: closed forms of small cases."""

from typing import Any

import numpy as np
import pytest

from compression_subnet.chain.dev.yuma import Matrix, YumaSettings, top_stakes, yuma

HALF = YumaSettings(kappa=0.5)


def matrix(*rows: Any) -> Matrix:
    return np.array(rows, dtype=np.float64)


def run(stake: Any, weights: Matrix, **options: Any) -> Any:
    return yuma(np.array(stake, dtype=np.float64), weights, options.pop("bonds", np.zeros_like(weights)), **options)


def test_a_lone_validator_decides() -> None:
    result = run([7, 0, 0], matrix([0, 3, 1], [0, 0, 0], [0, 0, 0]))
    assert result.incentive.tolist() == [0, 0.75, 0.25]
    assert result.dividends.tolist() == [1, 0, 0]
    assert result.validator_trust.tolist() == [1, 0, 0]
    assert result.emission.tolist() == [0.5, 0.375, 0.125]


def test_the_majority_takes_all_where_two_disagree_entirely() -> None:
    result = run([60, 40, 0, 0], matrix([0, 0, 1, 0], [0, 0, 0, 1], [0] * 4, [0] * 4), settings=HALF)
    assert result.consensus.tolist() == [0, 0, 1, 0]
    assert result.incentive.tolist() == [0, 0, 1, 0]
    assert result.validator_trust.tolist() == [1, 0, 0, 0]
    assert result.dividends.tolist() == [1, 0, 0, 0]
    assert result.trust.tolist() == [0, 0, 1, 0]


def test_a_weight_above_consensus_is_clipped_to_it() -> None:
    # Validators 0 and 1 (stake 0.4 each) give 0.5/0.5, validator 2 (0.2) gives 0.9/0.1. Consensus is 0.5/0.5, so
    # validator 2 keeps 0.5 + 0.1; ranks are 0.4*0.5*2 + 0.2*(0.5, 0.1) = (0.5, 0.42), of 0.92.
    weights = matrix([0, 0, 0, 5, 5], [0, 0, 0, 1, 1], [0, 0, 0, 9, 1], [0] * 5, [0] * 5)
    result = run([40, 40, 20, 0, 0], weights, settings=HALF)
    np.testing.assert_allclose(result.consensus, [0, 0, 0, 0.5, 0.5])
    np.testing.assert_allclose(result.validator_trust, [1, 1, 0.6, 0, 0])
    np.testing.assert_allclose(result.incentive, [0, 0, 0, 0.5 / 0.92, 0.42 / 0.92])
    np.testing.assert_allclose(result.trust, [0, 0, 0, 0.5 / 0.58, 1.0])


def test_bonds_of_version_3_approach_the_weights_by_a_tenth_an_epoch() -> None:
    weights = matrix([0, 3, 1], [0, 0, 0], [0, 0, 0])
    first = run([1, 0, 0], weights)
    np.testing.assert_allclose(first.bonds[0], [0, 0.075, 0.025])
    second = run([1, 0, 0], weights, bonds=first.bonds)
    np.testing.assert_allclose(second.bonds[0], [0, 0.1425, 0.0475])


def test_bonds_of_version_2_are_shares_scaled_to_a_largest_of_1() -> None:
    weights = matrix([0, 0, 1], [0, 0, 1], [0, 0, 0])
    result = run([3, 1, 0], weights, settings=YumaSettings(yuma3=False))
    np.testing.assert_allclose(result.bonds[:, 2], [1, 1 / 3, 0])
    np.testing.assert_allclose(result.dividends, [0.75, 0.25, 0])


def test_whoever_found_a_miner_early_earns_more_than_an_equal_latecomer() -> None:
    early = matrix([0, 0, 1], [0, 0, 0], [0, 0, 0])
    both = matrix([0, 0, 1], [0, 0, 1], [0, 0, 0])
    bonds = run([1, 1, 0], early, permits=np.array([True, True, False]), settings=HALF).bonds
    result = run([1, 1, 0], both, bonds=bonds, settings=HALF)
    np.testing.assert_allclose(result.dividends, [0.19 / 0.29, 0.1 / 0.29, 0])


def test_bonds_on_a_newcomer_start_anew() -> None:
    weights = matrix([0, 1, 1], [0, 0, 0], [0, 0, 0])
    result = run([1, 0, 0], weights, bonds=matrix([0, 0.5, 0.5], [0] * 3, [0] * 3), forgotten=np.array([0, 1, 0], bool))
    np.testing.assert_allclose(result.bonds[0], [0, 0.05, 0.5])


def test_a_weight_on_oneself_counts_for_the_owner_alone() -> None:
    weights = matrix([1, 0], [0, 1])
    assert run([1, 0], weights).incentive.tolist() == [0, 0]
    assert run([1, 0], weights, owner=0).incentive.tolist() == [1, 0]


def test_without_a_permit_neither_stake_nor_weights_count() -> None:
    weights = matrix([0, 0, 1, 0], [0, 0, 0, 1], [0] * 4, [0] * 4)
    permits = np.array([False, True, False, False])
    assert run([90, 10, 0, 0], weights, permits=permits).incentive.tolist() == [0, 0, 0, 1]
    assert run([90, 10, 0, 0], weights, permits=permits, owner=0).incentive.tolist() == [0, 0, 1, 0]


def test_the_inactive_have_no_say_but_keep_their_permit() -> None:
    weights = matrix([0, 0, 1, 0], [0, 0, 0, 1], [0] * 4, [0] * 4)
    result = run([90, 10, 0, 0], weights, active=np.array([False, True, True, True]))
    assert result.incentive.tolist() == [0, 0, 0, 1]
    assert result.permits.tolist() == [True, True, False, False]


def test_weights_set_before_their_target_registered_are_left_out() -> None:
    ignored = np.zeros((3, 3), dtype=np.bool_)
    ignored[0, 1] = True
    assert run([1, 0, 0], matrix([0, 3, 1], [0] * 3, [0] * 3), ignored=ignored).incentive.tolist() == [0, 0, 1]


def test_without_weights_emission_follows_stake() -> None:
    result = run([3, 1, 0], np.zeros((3, 3)))
    assert result.emission.tolist() == [0.75, 0.25, 0]
    assert not result.incentive.any() and not result.dividends.any()


def test_with_nothing_at_all_everything_is_0() -> None:
    result = run([0, 0], np.zeros((2, 2)))
    assert not np.concatenate([result.emission, result.incentive, result.dividends]).any()
    assert not result.permits.any()


def test_permits_go_to_the_largest_stakes_and_losing_one_loses_the_bonds() -> None:
    assert top_stakes(np.array([1.0, 5.0, 0.0, 5.0, 2.0]), 3).tolist() == [False, True, False, True, True]
    weights = matrix([0, 0, 1], [0, 0, 1], [0, 0, 0])
    result = run([3, 1, 0], weights, settings=YumaSettings(max_validators=1))
    assert result.permits.tolist() == [True, False, False]
    assert result.bonds[0].any() and not result.bonds[1].any()


def test_liquid_alpha_moves_bonds_faster_the_further_from_consensus() -> None:
    weights = matrix([0, 0, 0, 1, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0] * 5, [0] * 5)
    settings = YumaSettings(liquid_alpha=True, bonds_penalty=0.0)
    bonds = run([4, 4, 2, 0, 0], weights, settings=settings).bonds
    assert settings.alpha_low <= bonds[0, 3] < bonds[2, 4] <= settings.alpha_high


@pytest.mark.parametrize(
    ("stake", "weights", "bonds", "name"),
    [
        ([1.0], np.zeros((2, 2)), np.zeros((1, 1)), "weights"),
        ([1.0], np.zeros((1, 1)), np.zeros((1, 2)), "bonds"),
        ([-1.0], np.zeros((1, 1)), np.zeros((1, 1)), "stake"),
        ([1.0], np.full((1, 1), np.nan), np.zeros((1, 1)), "weights"),
    ],
)
def test_unusable_input_is_named(stake: Any, weights: Matrix, bonds: Matrix, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        yuma(np.array(stake), weights, bonds)
