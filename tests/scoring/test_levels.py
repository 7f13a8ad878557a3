import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.errors import InputError
from compression_subnet.scoring import LEVELS, aggregate, budget_tokens, level_shares, level_weight


@pytest.mark.parametrize(
    ("n", "level", "budget"),
    [(0, 20, 0), (1, 60, 0), (4, 20, 0), (5, 20, 1), (9, 20, 1), (10, 20, 2), (1001, 40, 400), (1001, 60, 600)],
)
def test_budget_is_integer_arithmetic(n: int, level: int, budget: int) -> None:
    assert budget_tokens(n, level) == budget


@given(st.integers(0, 10**9), st.sampled_from(LEVELS))
def test_budget_is_the_largest_integer_within_the_ratio(n: int, level: int) -> None:
    budget = budget_tokens(n, level)
    assert budget * 100 <= n * level < (budget + 1) * 100


@pytest.mark.parametrize("level", [0, -20, 101, 0.2, "20", True, None])
def test_what_is_no_level_is_refused(level: object) -> None:
    with pytest.raises(InputError, match="level"):
        budget_tokens(10, level)  # type: ignore[arg-type]


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(InputError):
        budget_tokens(-1, 20)


def test_weights_are_one_over_the_root() -> None:
    assert level_weight(20) / level_weight(60) == pytest.approx(math.sqrt(3))
    assert {b: round(s, 4) for b, s in level_shares().items()} == {20: 0.4377, 40: 0.3095, 60: 0.2527}
    assert math.fsum(level_shares().values()) == pytest.approx(1)


def test_a_missing_level_counts_nothing_and_is_not_renormalised_away() -> None:
    assert aggregate({20: 1.0}) == pytest.approx(0.4377, abs=1e-4)
    assert aggregate({20: 1.0}) == aggregate({20: 1.0, 40: 0.0, 60: 0.0})
    assert aggregate({}) == 0


@given(st.fractions(0, 1))
def test_equal_levels_give_that_score(score: Fraction) -> None:
    assert aggregate(dict.fromkeys(LEVELS, score)) == pytest.approx(float(score))


@given(st.permutations(LEVELS), st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_the_order_of_levels_does_not_matter(order: list[int], scores: list[float]) -> None:
    by_level = dict(zip(LEVELS, scores, strict=True))
    assert aggregate({level: by_level[level] for level in order}) == aggregate(by_level)


@pytest.mark.parametrize("scores", [{30: 0.5}, {20: 1.1}, {20: -0.1}, {20: math.nan}])
def test_unusable_scores_are_refused(scores: dict[int, float]) -> None:
    with pytest.raises(InputError):
        aggregate(scores)
