"""What a reply kept of a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.benchmark import alignment
from compression_subnet.benchmark.alignment import align, overlap
from compression_subnet.text.words import split_words

WORDS = st.lists(st.sampled_from(["the", "of", "a", "river", "bank", "Oslo", "1921", "not", ".", ","]), max_size=25)


def kept(text: str, reply: str) -> list[str]:
    return [text[a:b] for a, b in align(text, reply).kept]


def words(text: str) -> list[str]:
    return [text[a:b].strip() for a, b in split_words(text) if text[a:b].strip()]


@given(st.data(), WORDS)
def test_of_an_extract_every_word_is_found(data, given_words: list[str]) -> None:
    chosen = data.draw(st.lists(st.booleans(), min_size=len(given_words), max_size=len(given_words)))
    text = " ".join(given_words)
    reply = " ".join(word for word, keep in zip(given_words, chosen, strict=True) if keep)
    found = align(text, reply)
    assert found.added == 0
    assert [w for a, b in found.kept for w in words(text[a:b])] == words(reply)
    assert list(found.kept) == sorted(found.kept)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_aligned(text: str, reply: str) -> None:
    found = align(text, reply)
    shown = [w for a, b in found.kept for w in words(text[a:b])]
    assert len(shown) + found.added == len(words(reply))
    assert all(0 <= a < b <= len(text) for a, b in found.kept)


def test_a_common_word_is_seen_where_its_neighbours_are() -> None:
    text = "The king of Spain came. The queen of Denmark left."
    assert kept(text, "The queen of Denmark left.") == ["The queen of Denmark left."]


def test_a_mark_belongs_to_the_word_before_it() -> None:
    text = "It rained in Oslo. Nobody came. The boat left."
    assert kept(text, "It rained in Oslo. The boat left.") == ["It rained in Oslo.", "The boat left."]


def test_words_of_ones_own_are_counted() -> None:
    found = align("The harbour opened in 1921.", "The port opened in the year 1921.")
    assert found.added == 3  # port, the, year
    assert align("", "x y").added == 2
    assert align("x y", "").kept == ()


def test_a_long_text_is_aligned_by_the_heuristic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "_MOST_PAIRS", 10)
    assert kept("The harbour opened in 1921. It closed.", "The harbour opened") == ["The harbour opened"]


@given(
    st.lists(st.integers(0, 40), min_size=2, max_size=8, unique=True),
    st.lists(st.integers(0, 40), min_size=2, max_size=8, unique=True),
)
def test_overlap_counts_characters(a: list[int], b: list[int]) -> None:
    ranges, others = ([(s[i], s[i + 1]) for i in range(0, len(s) - 1, 2)] for s in (sorted(a), sorted(b)))
    ours, theirs = ({c for s, e in r for c in range(s, e)} for r in (ranges, others))
    assert overlap(ranges, others) == len(ours & theirs)
