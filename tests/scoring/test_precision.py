from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.scoring import Tally, challenges_for_half_error

SCORES = st.lists(st.fractions(0, 1, max_denominator=20), min_size=20, max_size=60).filter(lambda v: len(set(v)) > 1)


@given(SCORES)
def test_so_many_challenges_of_the_same_spread_have_half_the_error(values: list[Fraction]) -> None:
    n = len(values)
    more = values * (challenges_for_half_error(n) // n)
    # The unbiased variance differs by n/(n-1) between the two: 3 % at 20.
    assert Tally().add(more).stderr == pytest.approx(Tally().add(values).stderr / 2, rel=0.03)


@given(SCORES)
def test_the_same_holds_for_an_average_over_epochs(values: list[Fraction]) -> None:
    def averaged(each: list[Fraction]) -> float:
        tally = Tally()
        for _ in range(30):
            tally = tally.forget(0.85).add(each)
        return tally.stderr

    assert averaged(values * 4) == pytest.approx(averaged(values) / 2, rel=0.03)


def test_none_and_a_count_that_cannot_be() -> None:
    assert challenges_for_half_error(0) == 0
    with pytest.raises(ValueError, match="-1 challenges"):
        challenges_for_half_error(-1)
