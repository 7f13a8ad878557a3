from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.judge.reader.decoding import MAX_ANSWER_TOKENS
from compression_subnet.judge.reader.windows import MAX_QUESTION_TOKENS, WINDOW_TOKENS, cut, windows


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


@given(question=st.integers(0, 200), text=st.integers(0, 1500))
def test_inputs_fit_and_name_their_place_in_the_text(question: int, text: int) -> None:
    tokens = range(1000, 1000 + text)
    made = windows(range(1, 1 + question), tokens)
    assert bool(made) == bool(text)
    for window in made:
        assert len(window.ids) <= WINDOW_TOKENS
        assert window.first == min(question, MAX_QUESTION_TOKENS) + 2
        body = window.ids[window.first : window.first + window.size]
        assert body == tuple(tokens[window.start : window.start + window.size])
        assert (window.ids[0], window.ids[window.first - 1], window.ids[-1]) == (101, 102, 102)
    for a, b in pairwise(made):
        assert a.start + a.size - b.start >= 2 * MAX_ANSWER_TOKENS
