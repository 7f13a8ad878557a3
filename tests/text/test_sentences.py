"""Sentences: the law, the golden file, and texts made to be slow."""

import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.text.sentences import split_sentences

GOLDEN = [
    line.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")
    for line in Path(__file__).with_name("sentences_golden.txt").read_text("utf-8").splitlines()
    if not line.startswith("# One case")
]
TRICKY = st.text(st.sampled_from(list(" .!?…。\n\r\t\"'”“)[1]aAIé中。「」|#-•e\u0301\u200d\u2028")), max_size=40)


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def test_golden_file_has_the_cases_it_promises() -> None:
    assert len(GOLDEN) >= 60


@pytest.mark.parametrize("case", GOLDEN)
def test_golden(case: str) -> None:
    assert "¦".join(pieces(case.replace("¦", ""))) == case


@given(st.one_of(st.text(), TRICKY))
def test_the_ranges_join_to_the_text(text: str) -> None:
    spans = split_sentences(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@given(st.one_of(st.text(), TRICKY))
def test_no_sentence_but_a_blank_text_is_blank_or_starts_with_white_space(text: str) -> None:
    found = pieces(text)
    assert not any(piece.isspace() for piece in found) or len(found) == 1
    assert not any(piece[0].isspace() for piece in found[1:])


@given(TRICKY)
def test_no_sentence_starts_with_a_combining_mark_unless_a_line_does(text: str) -> None:
    for before, piece in pairwise(pieces(text)):
        assert not unicodedata.combining(piece[0]) or before[-1] in "\n\r\u2028"


def test_the_empty_text_has_no_sentence() -> None:
    assert split_sentences("") == []


def test_leading_white_space_belongs_to_the_first_sentence() -> None:
    assert pieces("\n\n  One. Two.") == ["\n\n  One. ", "Two."]


@pytest.mark.parametrize(
    "unit",
    [".", "a", " ", "\n", ". ", "a. ", "A. ", "a\n", '."', "x.[1", "[1]", "|\t", "a\t\r", "。", "?!", ".“", "1. "],
)
def test_long_monotonous_texts_are_split_without_loss(unit: str) -> None:
    text = unit * 50_000  # a quadratic splitter would take minutes
    spans = split_sentences(text)
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    assert all(a[1] == b[0] for a, b in pairwise(spans))
