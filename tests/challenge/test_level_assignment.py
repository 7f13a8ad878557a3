import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.challenge.levels import assign_levels, level_counts
from compression_subnet.errors import InputError
from compression_subnet.scoring.levels import LEVELS, level_shares


@pytest.mark.parametrize(
    ("n", "counts"), [(0, [0, 0, 0]), (1, [1, 0, 0]), (3, [1, 1, 1]), (10, [4, 3, 3]), (183, [80, 57, 46])]
)
def test_known_counts(n, counts):
    assert level_counts(n) == counts


@given(st.integers(0, 5000))
def test_counts_sum_up_and_are_within_one_of_their_quota(n):
    counts = level_counts(n)
    assert sum(counts) == n
    assert all(abs(count - n * share) < 1 for count, share in zip(counts, level_shares().values(), strict=True))


@given(st.integers(0, 300), st.integers(0, 2**32))
def test_assignment_has_the_counts_in_an_order_that_the_seed_draws(n, seed):
    assigned = assign_levels(n, random.Random(seed))
    assert [Counter(assigned)[level] for level in LEVELS] == level_counts(n)
    assert assigned == assign_levels(n, random.Random(seed))


def test_the_order_tells_nothing():
    firsts = Counter(assign_levels(183, random.Random(seed))[0] for seed in range(600))
    for level, share in level_shares().items():
        assert firsts[level] / 600 == pytest.approx(share, abs=0.07)


def test_other_levels_can_be_given():
    assert level_counts(5, [25, 100]) == [3, 2]
    assert set(assign_levels(5, random.Random(1), [20])) == {20}


@pytest.mark.parametrize(("n", "levels"), [(-1, LEVELS), (3, ()), (3, (20, 20)), (3, (0, 20)), (3, (20, 101))])
def test_what_cannot_be_shared_out_is_refused(n, levels):
    with pytest.raises(InputError):
        level_counts(n, levels)
