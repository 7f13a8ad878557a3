import math
from fractions import Fraction
from statistics import mean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.scoring import Average, ChallengeScore, Tally, aggregate, challenge_score

UNIT = st.fractions(0, 1, max_denominator=12)
RESULTS = st.lists(st.builds(ChallengeScore, st.sampled_from([20, 40, 60]), UNIT, UNIT), max_size=30)


def test_challenge_score_is_the_mean_over_questions_and_nothing_is_zero() -> None:
    assert challenge_score([Fraction(1), Fraction(1, 2), Fraction(0)]) == Fraction(1, 2)
    assert challenge_score([]) == 0


def test_forgetting_follows_the_formula() -> None:
    first = Average.empty(3).update(3, [ChallengeScore(20, Fraction(1), Fraction(0))] * 4, 0.85)
    later = first.update(5, [ChallengeScore(20, Fraction(0), Fraction(0))] * 2, 0.85)
    num, den = 0.85**2 * 4, 0.85**2 * 4 + 2
    assert later.standing().levels[20] == pytest.approx(num / den)
    assert later.scores[20].count == 6


@given(st.lists(UNIT, min_size=2, max_size=40))
def test_without_forgetting_mean_and_error_are_the_textbook_ones(values: list[Fraction]) -> None:
    tally = Tally().add(values)
    assert tally.mean == pytest.approx(float(mean(values)))
    assert tally.stderr == pytest.approx(float(stdev(map(float, values))) / math.sqrt(len(values)), abs=1e-7)


@given(st.lists(UNIT, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_challenges_does_not_matter(values: list[Fraction], rng: object) -> None:
    shuffled = list(values)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert Tally().add(shuffled) == Tally().add(values)


@given(RESULTS, RESULTS, st.floats(0.1, 1.0))
def test_scores_stay_within_bounds_and_margin_is_their_difference(
    first: list[ChallengeScore], second: list[ChallengeScore], forgetting: float
) -> None:
    standing = Average.empty(0).update(0, first, forgetting).update(4, second, forgetting).standing()
    assert 0 <= standing.score <= 1
    assert standing.score == aggregate(standing.levels)
    asked = (
        Average.empty(0)
        .update(0, [ChallengeScore(r.level, r.baseline, Fraction(0)) for r in first], forgetting)
        .update(4, [ChallengeScore(r.level, r.baseline, Fraction(0)) for r in second], forgetting)
    )
    assert standing.margin == pytest.approx(standing.score - asked.standing().score, abs=1e-9)


def test_an_epoch_without_results_forgets_but_moves_no_mean() -> None:
    before = Average.empty(0).update(0, [ChallengeScore(40, Fraction(1, 3), Fraction(0))] * 5, 0.85)
    after = before.update(9, [], 0.85)
    assert after.standing().levels == pytest.approx(before.standing().levels)
    assert after.scores[40].den < before.scores[40].den
    assert after.scores[40].count == 5


def test_a_level_never_asked_counts_zero_and_keeps_the_hotkey_unready() -> None:
    standing = Average.empty(0).update(0, [ChallengeScore(20, Fraction(1), Fraction(0))] * 50, 0.85).standing()
    assert standing.score == pytest.approx(0.4377, abs=1e-4)
    assert standing.challenges == 0


def test_one_challenge_has_no_error_that_could_be_known() -> None:
    standing = Average.empty(0).update(0, [ChallengeScore(20, Fraction(1), Fraction(0))], 0.85).standing()
    assert standing.stderr == math.inf
    assert Average.empty(0).standing().stderr == math.inf


@pytest.mark.parametrize(("epoch", "forgetting"), [(1, 0.85), (3, 0.0), (3, 1.5), (3, math.nan)])
def test_time_does_not_run_backwards_and_forgetting_is_a_factor(epoch: int, forgetting: float) -> None:
    with pytest.raises(ValueError, match="forgetting"):
        Average.empty(2).update(epoch, [], forgetting)
