import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.text import canonical
from compression_subnet.text.canonical import MAX_MARKS

ANY_TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=()), max_size=200)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain text\n\twith a tab", "plain text\n\twith a tab"),
        ("a\r\nb\rc\vd\fe\x85f\u2028g\u2029h", "a\nb\nc\nd\ne\nf\ng\nh"),
        ("zero\u200bwidth\u200d\ufeff", "zerowidth"),
        ("soft\u00adhyphen", "softhyphen"),
        ("right\u202eto\u2066left", "righttoleft"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("private\ue000use\U0010fffd", "privateuse"),
        ("lone\ud800surrogate", "lonesurrogate"),
        ("bell\x07escape\x1b[0m", "bellescape[0m"),
        ("unassigned\u0378", "unassigned"),
        ("assigned in Unicode 15: \U0001fae8", "assigned in Unicode 15: "),
        ("ﬁ ㎏ ① Ａ　Ｂ", "fi kg 1 A B"),
        ("nbsp\u00a0here", "nbsp here"),
        ("e\u0301", "é"),
        ("", ""),
    ],
)
def test_what_is_hidden_or_doubled_goes(raw: str, expected: str) -> None:
    assert canonical(raw) == expected


def test_runs_of_marks_are_cut() -> None:
    assert canonical("x" + "\u0327" * 500) == "x" + "\u0327" * MAX_MARKS
    assert canonical("x" + "\u0327" * MAX_MARKS) == "x" + "\u0327" * MAX_MARKS


@given(ANY_TEXT)
def test_is_a_fixpoint(text: str) -> None:
    once = canonical(text)
    assert canonical(once) == once


@given(ANY_TEXT)
def test_holds_no_hidden_character(text: str) -> None:
    hidden = {"Cc", "Cf", "Co", "Cs", "Cn"}
    assert not [c for c in canonical(text) if unicodedata.category(c) in hidden and c not in "\n\t"]


@given(ANY_TEXT)
def test_is_nfkc_and_can_be_encoded(text: str) -> None:
    kept = canonical(text)
    assert unicodedata.is_normalized("NFKC", kept)
    kept.encode("utf-8")


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_ascii_is_untouched(text: str) -> None:
    assert canonical(text) == text
