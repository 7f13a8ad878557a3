import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.errors import InputError
from compression_subnet.scoring import Standing, WeightRule, earned_weights, quantise, shares


def standing(margin: float, error: float = 0.01, challenges: int = 40) -> Standing:
    return Standing({}, 0.5, error, margin, error, challenges)


def test_weight_is_the_excess_over_the_error_to_the_power() -> None:
    earned = earned_weights({"a": standing(0.12), "b": standing(0.07)}, WeightRule(z=2, power=2))
    assert earned == pytest.approx({"a": 0.1**2, "b": 0.05**2})


@pytest.mark.parametrize("margin", [0.0, 0.02, -0.3, math.nan])
def test_no_clear_margin_no_weight(margin: float) -> None:
    assert earned_weights({"a": standing(margin)}, WeightRule(z=2)) == {}


def test_unknown_error_earns_nothing_unless_errors_are_not_asked_for() -> None:
    unknown = {"a": standing(0.5, math.inf)}
    assert earned_weights(unknown, WeightRule(z=2)) == {}
    assert earned_weights(unknown, WeightRule(z=0)) == {"a": 0.25}


def test_too_few_challenges_no_weight() -> None:
    assert earned_weights({"a": standing(0.5, challenges=39)}, WeightRule()) == {}
    assert earned_weights({"a": standing(0.5, challenges=39)}, WeightRule(min_challenges=39)) != {}


def test_copies_together_earn_what_one_would() -> None:
    standings = {name: standing(0.12) for name in "abcd"}
    earned = earned_weights(standings, WeightRule(), [frozenset("bcd")])
    assert sum(earned[name] for name in "bcd") == pytest.approx(earned["a"])


@pytest.mark.parametrize("rule", [{"z": -1.0}, {"z": math.nan}, {"power": 0}, {"min_challenges": 0}])
def test_unusable_rules_are_refused(rule: dict[str, float]) -> None:
    with pytest.raises(InputError):
        WeightRule(**rule)  # type: ignore[arg-type]


@given(st.dictionaries(st.integers(0, 255), st.floats(0, 1e6, allow_subnormal=False), max_size=40))
def test_integers_are_the_chains(weights: dict[int, float]) -> None:
    sent = quantise(weights)
    assert all(0 < value <= 65535 for value in sent.values())
    if any(weights.values()):
        assert max(sent.values()) == 65535
        assert math.fsum(shares(sent).values()) == pytest.approx(1)
    else:
        assert sent == {}
        assert shares(sent) == {}


@given(st.dictionaries(st.integers(0, 255), st.floats(0.001, 1), min_size=1, max_size=10), st.floats(0.1, 10))
def test_scale_does_not_matter(weights: dict[int, float], factor: float) -> None:
    scaled = quantise({uid: w * factor for uid, w in weights.items()})
    assert all(abs(scaled.get(uid, 0) - value) <= 1 for uid, value in quantise(weights).items())


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1])
def test_what_is_no_weight_never_leaves(bad: float) -> None:
    with pytest.raises(InputError, match="uid 3"):
        quantise({1: 0.5, 3: bad})
