"""Yuma consensus: laws that hold for all."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from compression_subnet.chain.dev.yuma import Matrix, Vector, YumaSettings, stake_weighted_median, yuma

COUNTS = st.integers(2, 7)


@st.composite
def subnet(draw: st.DrawFn) -> tuple[Vector, Matrix, Matrix]:
    """Stakes that differ, weights and bonds; many of each are 0."""
    count = draw(COUNTS)
    numbers = draw(st.lists(st.integers(0, 10_000), min_size=count, max_size=count, unique=True))
    cells = hnp.arrays(np.int64, (count, count), elements=st.integers(0, 65_535) | st.just(0))
    stake = np.array(numbers, dtype=np.float64)
    return stake, draw(cells).astype(np.float64), draw(cells).astype(np.float64) / 65_535


SETTINGS = st.builds(
    YumaSettings,
    kappa=st.sampled_from([0.3, 32_767 / 65_535, 0.5, 0.7]),
    bonds_penalty=st.sampled_from([0.0, 0.5, 1.0]),
    yuma3=st.booleans(),
    liquid_alpha=st.booleans(),
    max_validators=st.integers(1, 8),
)


def assert_share(values: Vector) -> None:
    assert (values >= 0).all()
    assert values.sum() == pytest.approx(1.0) or not values.any()


@given(subnet(), SETTINGS)
def test_shares_sum_to_1_or_are_all_0(case: Any, settings: YumaSettings) -> None:
    result = yuma(*case, settings=settings)
    for values in (result.incentive, result.dividends, result.emission, result.stake):
        assert_share(values)
    for values in (result.validator_trust, result.trust, result.consensus, result.bonds):
        assert (values >= 0).all() and (values <= 1 + 1e-12).all()


@given(subnet(), SETTINGS, st.data())
def test_a_row_and_the_stakes_may_be_written_in_any_scale(
    case: Any, settings: YumaSettings, data: st.DataObject
) -> None:
    stake, weights, bonds = case
    # Powers of two leave the fractions exactly as they are, so that no tie is broken differently.
    scales = 2.0 ** np.array(data.draw(st.lists(st.integers(-8, 8), min_size=len(stake), max_size=len(stake))))
    one = yuma(stake, weights, bonds, settings=settings)
    other = yuma(stake * 4.0, weights * scales[:, None], bonds, settings=settings)
    for name in ("incentive", "dividends", "consensus", "validator_trust", "bonds", "emission"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12, err_msg=name)


@given(subnet(), SETTINGS, st.randoms(use_true_random=False))
def test_names_do_not_matter(case: Any, settings: YumaSettings, random: Any) -> None:
    stake, weights, bonds = case
    order = list(range(len(stake)))
    random.shuffle(order)
    # Stakes of powers of two add up exactly in any order, so that no majority hangs on rounding.
    stake = 2.0 ** np.argsort(np.argsort(stake))
    one = yuma(stake, weights, bonds, settings=settings)
    other = yuma(stake[order], weights[np.ix_(order, order)], bonds[np.ix_(order, order)], settings=settings)
    assume(_clear_majorities(stake, settings.kappa))
    for name in ("incentive", "dividends", "consensus", "validator_trust", "trust", "emission"):
        np.testing.assert_allclose(getattr(one, name)[order], getattr(other, name), atol=1e-9, err_msg=name)
    assert one.permits[order].tolist() == other.permits.tolist()


def _clear_majorities(stake: Vector, kappa: float) -> bool:
    """Say whether no set of stakes is within rounding of kappa."""
    sums = np.arange(2 ** len(stake)) / (2 ** len(stake) - 1)
    return bool((np.abs(sums - kappa) > 1e-9).all() and (np.abs(1 - sums - kappa) > 1e-9).all())


@given(
    st.lists(st.integers(1, 100), min_size=2, max_size=4),
    st.lists(st.integers(1, 100), min_size=3, max_size=3),
    st.lists(st.integers(0, 100), min_size=3, max_size=3),
)
def test_a_validator_that_deviates_from_a_majority_loses_trust(stakes: list[int], agreed: Any, other: Any) -> None:
    assume(sum(other) > 0)
    row, deviant = np.array(agreed) / sum(agreed), np.array(other) / sum(other)
    assume(np.abs(row - deviant).max() > 1e-6)
    honest = len(stakes)
    count = honest + 1 + len(row)
    stake = np.zeros(count)
    stake[:honest], stake[honest] = stakes, sum(stakes) * 0.9
    weights = np.zeros((count, count))
    weights[:honest, honest + 1 :], weights[honest, honest + 1 :] = row, deviant
    result = yuma(stake, weights, np.zeros((count, count)))
    np.testing.assert_allclose(result.consensus[honest + 1 :], row)
    np.testing.assert_allclose(result.validator_trust[:honest], 1.0)
    assert result.validator_trust[honest] == pytest.approx(np.minimum(row, deviant).sum())
    assert result.validator_trust[honest] < 1.0


@given(subnet(), st.sampled_from([0.3, 0.5, 0.7]))
def test_the_median_is_the_largest_weight_that_enough_stake_backs(case: Any, kappa: float) -> None:
    _, weights, _ = case
    count = len(weights)
    powers = np.power(2.0, np.arange(count), dtype=np.float64)
    voters = powers / powers.sum()
    assume(_clear_majorities(powers, kappa))
    median = stake_weighted_median(weights, voters, kappa)
    for column in range(count):
        backed = [w for w in weights[:, column] if voters[weights[:, column] >= w].sum() >= kappa]
        assert median[column] == max(backed, default=0.0)
