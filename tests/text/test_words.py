"""Words: the law, what stays whole, and texts made to be slow."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from compression_subnet.text.words import split_words

TRICKY = st.text(
    st.sampled_from(list(" .,-'’:/@$#%°\naA1é中かがไทยำကမ្ពុ👍🏽👨\u200d🇫🇷क्षि\u0301\ufe0f\r\uff9e\u0600")), max_size=40
)


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in split_words(text)]


@pytest.mark.parametrize(
    "whole",
    [
        "KX-7714-Q", "10.0.0.7:8080", "19,6", "v0.21.3", "ord_8f3a", "06:45", "00-8831", "$1.25M", "−3", "20%",
        "https://a.b/c?d=e&f", "x.y@z.org", "wasn't", "Army’s", "AT&T", "C++", "U.S.", "1939–45", "km/h", "#7",
        "1,300,000", "राम", "한국어", "مُحَمَّد", "12B",
    ],
)  # fmt: skip
def test_identifiers_and_numbers_stay_whole(whole: str) -> None:
    assert pieces(f"x {whole} y") == ["x ", f"{whole} ", "y"]
    assert whole in pieces(f"({whole})")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Sales rose, then fell.", ["Sales ", "rose", ", ", "then ", "fell", "."]),
        ("李雷在杭州。", ["李", "雷", "在", "杭", "州", "。"]),
        ("がく", ["が", "く"]),
        ("か\u3099く", ["か\u3099", "く"]),
        ("ที่ทำ", ["ที่", "ทำ"]),
        ("👨\u200d👩\u200d👧 👍🏽🇫🇷x", ["👨\u200d👩\u200d👧 ", "👍🏽", "🇫🇷", "x"]),
        ("wait... -- (so)", ["wait", "... ", "-- ", "(", "so", ")"]),
        ("  lead", ["  ", "lead"]),
        ("see https://a.b/c.", ["see ", "https://a.b/c", "."]),
        ("19, 6", ["19", ", ", "6"]),
    ],
)
def test_words_and_marks(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected


@given(st.one_of(st.text(), TRICKY))
def test_the_ranges_join_to_the_text(text: str) -> None:
    spans = split_words(text)
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(start < end for start, end in spans)


@given(st.one_of(st.text(), TRICKY))
def test_only_the_first_range_can_start_with_white_space(text: str) -> None:
    assert not any(piece[0].isspace() for piece in pieces(text)[1:])


@given(TRICKY)
@example("\u1039\ufe0fက")
@example("က\u1039\u200d\u0301က")
def test_no_grapheme_cluster_is_split(text: str) -> None:
    regex = pytest.importorskip("regex")
    starts = {match.start() for match in regex.finditer(r"\X", text)}
    assert all(start in starts for start, _ in split_words(text))


@pytest.mark.parametrize(
    "unit", [".", "a", " ", "a.", "a-", ".,", "$", "9,", "http://", "क्", "\u0301", "ក្\u0301", "中", "\u200d"]
)
def test_long_monotonous_texts_are_split_without_loss(unit: str) -> None:
    text = unit * 50_000  # a quadratic splitter would take minutes
    spans = split_words(text)
    assert spans[0][0] == 0 and spans[-1][1] == len(text)
    assert all(a[1] == b[0] for a, b in pairwise(spans))
