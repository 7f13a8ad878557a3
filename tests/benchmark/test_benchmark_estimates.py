"""Means, intervals and their weights."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.benchmark.estimates import estimate, pearson, t_quantile, weighted_estimate
from compression_subnet.scoring import Average, ChallengeScore, aggregate

SCORES = st.lists(st.fractions(0, 1, max_denominator=10), min_size=2, max_size=8)


@pytest.mark.parametrize(
    ("freedom", "expected"), [(2, 4.3027), (3, 3.1824), (5, 2.5706), (10, 2.2281), (30, 2.0423), (1000, 1.9623)]
)
def test_students_quantile_is_that_of_the_tables(freedom: float, expected: float) -> None:
    assert t_quantile(freedom) == pytest.approx(expected, rel=0.01)


@given(SCORES, SCORES, SCORES)
def test_the_weighted_score_and_its_error_are_a_validators(a, b, c) -> None:
    by_level = {20: a, 40: b, 60: c}
    scores = [ChallengeScore(level, f, Fraction(0)) for level, values in by_level.items() for f in values]
    standing = Average.empty(0).update(0, scores, 1.0).standing()
    found = weighted_estimate(by_level, bounds=(-9, 9))
    assert found.mean == pytest.approx(standing.score)
    assert found.mean == pytest.approx(aggregate({level: sum(v) / len(v) for level, v in by_level.items()}))
    assert found.low is not None and found.high is not None and found.mean is not None
    half = (found.high - found.low) / 2
    assert half >= 1.9599 * standing.stderr - 1e-9
    assert found.count == len(scores)


def test_few_values_have_a_mean_and_no_interval_and_none_have_neither() -> None:
    assert estimate([Fraction(1, 2)]) == estimate([Fraction(1, 2)])
    assert (estimate([Fraction(1, 2)]).mean, estimate([Fraction(1, 2)]).low) == (0.5, None)
    assert estimate([]).mean is None
    assert weighted_estimate({20: [Fraction(1)] * 3, 40: []}).mean is None


def test_the_interval_holds_the_mean_19_times_of_20() -> None:
    rng = random.Random(7)
    held = 0
    for _ in range(2000):
        found = weighted_estimate(
            {b: [Fraction(rng.random() < 0.5) for _ in range(12)] for b in (20, 40, 60)}, bounds=(-1, 2)
        )
        assert found.low is not None and found.high is not None
        held += found.low <= 0.5 <= found.high
    assert 0.93 <= held / 2000 <= 0.97


def test_bounds_cut_the_interval() -> None:
    found = estimate([Fraction(0), Fraction(1)])
    assert (found.low, found.high) == (0.0, 1.0)


def test_pearson() -> None:
    assert pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert pearson([0, 0, 1, 1], [0, 1, 0, 1]) == pytest.approx(0)
    assert pearson([1, 1], [0, 1]) is None
    assert pearson([], []) is None
    assert pearson([0.2, 0.9, 0.4], [0.1, 0.8, 0.7]) == pytest.approx(0.22 / (0.26 * 0.86 / 3) ** 0.5)
