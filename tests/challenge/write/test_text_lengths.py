from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.challenge.write.brief import MAX_WORDS, MIN_WORDS
from compression_subnet.challenge.write.lengths import words_for
from compression_subnet.challenge.write.written import WrittenSettings


@given(st.integers(50, 32_768), st.integers(50, 32_768))
def test_every_range_of_tokens_gives_lengths_that_can_be_briefed(a: int, b: int) -> None:
    low, high = words_for(min(a, b), max(a, b))
    assert MIN_WORDS <= low <= high <= MAX_WORDS
    WrittenSettings(words=(low, high))


def test_the_default_range_leaves_room_on_both_sides() -> None:
    low, high = words_for(600, 2500)
    # About 1.3 tokens a word.
    assert 1.3 * low > 600 and 1.3 * high < 2500
