import random
from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.judge.agreement import kendall_tau_b, question_agreement, rank_agreement

HALF, ONE, NONE = Fraction(1, 2), Fraction(1), Fraction(0)


@pytest.mark.parametrize(
    ("a", "b", "tau"),
    [
        ([1, 2, 3, 4], [1, 2, 3, 4], 1.0),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1.0),
        ([1, 2, 3, 4], [1, 2, 4, 3], 4 / 6),
        # by hand: concordant 4, discordant 1, one tie in a: 3 / sqrt(5 * 6)
        ([1, 2, 2, 3], [1, 3, 2, 4], 5 / (5 * 6) ** 0.5),
        ([1, 1, 1], [1, 2, 3], None),
        ([1], [1], None),
        ([], [], None),
    ],
)
def test_tau_b_of_known_rankings(a: list[float], b: list[float], tau: float | None) -> None:
    assert kendall_tau_b(a, b) == (None if tau is None else pytest.approx(tau))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12))
def test_tau_b_is_symmetric_bounded_and_blind_to_order_and_scale(pairs: list[tuple[int, int]]) -> None:
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    tau = kendall_tau_b(a, b)
    assert tau == kendall_tau_b(b, a)
    if tau is not None:
        assert -1 - 1e-9 <= tau <= 1 + 1e-9
        assert kendall_tau_b(a, [-y for y in b]) == pytest.approx(-tau)
        assert kendall_tau_b([3 * x + 1 for x in a], b) == pytest.approx(tau)
        shuffled = pairs[::-1]
        assert kendall_tau_b([x for x, _ in shuffled], [y for _, y in shuffled]) == pytest.approx(tau)


def test_tau_of_a_chance_ranking_is_nought_on_average() -> None:
    taus = [kendall_tau_b([1, 2, 3, 4], list(order)) or 0.0 for order in permutations([1, 2, 3, 4])]
    assert sum(taus) == pytest.approx(0)


def test_rankings_of_different_lengths_are_an_error() -> None:
    with pytest.raises(ValueError, match="1 values against 2"):
        kendall_tau_b([1], [1, 2])


def test_questions_are_compared_by_answer_and_by_what_it_is_worth() -> None:
    found = question_agreement(
        [("March 1921", "in March 1921."), ("Oskarnes", "Gull"), ("", ""), ("the storm", "storm")],
        [(ONE, ONE), (ONE, NONE), (NONE, NONE), (ONE, ONE)],
    )
    assert found.questions == 4
    assert found.same == 0.5
    assert found.overlap == pytest.approx((0.8 + 0 + 1 + 1) / 4)
    assert (found.both, found.only_a, found.only_b, found.neither) == (0.5, 0.25, 0.0, 0.25)
    assert (found.mean_a, found.mean_b) == (0.75, 0.5)
    assert found.kappa == pytest.approx((0.75 - 0.5) / 0.5)
    assert question_agreement([], []).kappa is None
    assert question_agreement([("a", "a")], [(ONE, ONE)]).kappa is None


def scores(noise: float, seed: int = 1) -> dict[str, dict[tuple[str, int], tuple[Fraction, Fraction]]]:
    """Six miners of different strength over thirty challenges; B sees them as A does, but for noise."""
    rng = random.Random(seed)

    def seen(strength: float) -> Fraction:
        return Fraction(min(1.0, max(0.0, strength + noise * rng.uniform(-1, 1)))).limit_denominator(1000)

    return {
        f"m{i}": {(f"c{c}", (20, 40, 60)[c % 3]): (Fraction(i, 6), seen(i / 6)) for c in range(30)} for i in range(6)
    }


def test_judges_that_agree_have_a_tau_of_one_and_noise_lowers_it_and_widens_its_interval() -> None:
    same = rank_agreement(scores(0), resamples=200)
    assert (same.tau, same.low, same.high) == (1.0, 1.0, 1.0)
    assert same.scores["m3"] == (pytest.approx(0.5), pytest.approx(0.5))
    noisy = rank_agreement(scores(3), resamples=200)
    assert noisy.tau is not None and noisy.low is not None and noisy.high is not None
    assert noisy.low <= noisy.tau <= noisy.high <= 1
    assert noisy.high - noisy.low > 0
    assert rank_agreement(scores(3), resamples=200) == noisy  # the bootstrap is seeded


def test_one_miner_has_no_rank() -> None:
    found = rank_agreement({"": {("c", 20): (ONE, HALF)}})
    assert (found.tau, found.low, found.high, found.resamples) == (None, None, None, 0)
    assert rank_agreement({}).tau is None
