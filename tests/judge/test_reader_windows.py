from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.judge.reader.decoding import MAX_ANSWER_TOKENS
from compression_subnet.judge.reader.windows import MAX_QUESTION_TOKENS, WINDOW_TOKENS, windows


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
