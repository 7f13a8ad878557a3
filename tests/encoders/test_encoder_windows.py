import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.encoders.windows import best_windows, cut, spread


@given(n=st.integers(0, 2000), room=st.integers(2, 300), overlap=st.integers(0, 100))
def test_windows_cover_everything_and_cut_no_run_up_to_the_overlap(n: int, room: int, overlap: int) -> None:
    overlap = min(overlap, room - 1)
    pieces = list(cut(n, room, overlap))
    assert sorted(set().union(*map(set, pieces))) == list(range(n))
    assert all(0 < len(piece) <= room for piece in pieces)
    length = min(overlap + 1, n)
    for start in range(n - length + 1 if length else 0):
        assert any(piece.start <= start and start + length <= piece.stop for piece in pieces)


def test_no_window_lies_within_another() -> None:
    pieces = list(cut(250, 200, 50))
    assert pieces == [range(0, 200), range(150, 250)]
    assert list(cut(200, 200, 50)) == [range(0, 200)]


def test_an_overlap_as_large_as_the_window_is_an_error() -> None:
    with pytest.raises(ValueError, match="cannot overlap"):
        list(cut(10, 5, 5))


@given(n=st.integers(0, 3000), room=st.integers(2, 510), overlap=st.integers(0, 100))
def test_even_windows_are_as_few_cover_everything_and_share_the_overlap(n: int, room: int, overlap: int) -> None:
    overlap = min(overlap, room - 1)
    pieces = spread(n, room, overlap)
    assert len(pieces) == len(list(cut(n, room, overlap)))
    assert all(0 < len(piece) <= room for piece in pieces)
    assert sorted(set().union(*map(set, pieces))) == list(range(n))
    assert all(a.stop - b.start >= overlap for a, b in itertools.pairwise(pieces))
    assert max(map(len, pieces), default=0) - min(map(len, pieces), default=0) <= 1


@given(n=st.integers(1, 3000), room=st.integers(2, 510), overlap=st.integers(0, 100))
def test_each_token_is_taken_from_the_window_in_which_it_stands_farthest_from_an_edge(
    n: int, room: int, overlap: int
) -> None:
    pieces = spread(n, room, min(overlap, (room - 1) // 2))
    starts = np.array([p.start if p.start else -(10**6) for p in pieces])
    stops = np.array([p.stop if p.stop < n else 10**6 for p in pieces])
    tokens = np.arange(n)
    depths = np.minimum(tokens[None] - starts[:, None], stops[:, None] - 1 - tokens[None])
    chosen = best_windows(pieces, n)
    assert (depths[chosen, tokens] == depths.max(axis=0)).all()


def test_no_token_has_no_window() -> None:
    assert spread(0, 10, 2) == []
    assert best_windows([], 0).shape == (0,)
