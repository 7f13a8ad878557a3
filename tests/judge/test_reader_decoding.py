import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.judge.reader.decoding import SpanScore, best_of, best_span

LOGITS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=4, max_size=40)


@given(LOGITS, st.integers(1, 30), st.integers(0, 500))
def test_the_best_span_is_what_trying_all_spans_finds(logits: list[tuple[int, int]], longest: int, offset: int) -> None:
    starts, ends = np.array(logits, dtype=np.float64).T
    first, size = 2, len(logits) - 3  # separators stand before and after the text
    found = best_span(starts, ends, first=first, size=size, offset=offset, longest=longest)
    spans = [(i, j) for i in range(size) for j in range(i, min(size, i + longest))]
    best = max(spans, key=lambda s: (starts[first + s[0]] + ends[first + s[1]], -s[0], -s[1]))
    assert (found.start, found.end) == (offset + best[0], offset + best[1])
    assert found.margin == starts[first + best[0]] + ends[first + best[1]] - starts[0] - ends[0]


@given(LOGITS, st.integers(0, 2**32 - 1))
def test_noise_below_the_rounding_changes_nothing(logits: list[tuple[int, int]], seed: int) -> None:
    starts, ends = np.array(logits, dtype=np.float64).T
    noise = np.random.default_rng(seed).uniform(-4e-4, 4e-4, (2, len(logits)))
    assert best_span(starts, ends, first=2, size=len(logits) - 3, offset=0) == best_span(
        starts + noise[0], ends + noise[1], first=2, size=len(logits) - 3, offset=0
    )


def test_windows_are_compared_by_their_margins_and_ties_go_to_the_first() -> None:
    spans = [SpanScore(0, 1, 2.0), SpanScore(5, 6, 3.0), SpanScore(9, 9, 3.0)]
    assert best_of(spans) is spans[1]
    with pytest.raises(ValueError):
        best_of([])
