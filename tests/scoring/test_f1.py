import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.scoring import is_supported, normalise, token_f1

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "f1_golden.json").read_text())
WORDS = st.lists(st.sampled_from(["paris", "1300", "-5", "red", "kg", "東", "3.5"]), min_size=1, max_size=8)


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['prediction']!r}~{row['gold'][0]!r}")
def test_golden_table(row: dict[str, object]) -> None:
    assert token_f1(row["prediction"], row["gold"]) == Fraction(row["f1"])


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("J. K. Rowling's U. S. trip", ["jk", "rowling", "us", "trip"]),
        ("Version 1.2.3 at 10.0.0.7", ["version", "1.2.3", "at", "10.0.0.7"]),
        ("-.5 and .5 and 0.50", ["-0.5", "and", "0.5", "and", "0.50"]),
        ("1,234,567.80", ["1234567.80"]),
        ("1,300,5 and 12,34", ["1", "300", "5", "and", "12", "34"]),
        ("(-5) [−$3] €-4 b-5 5-7", ["-5", "-3", "-4", "b", "5", "5", "7"]),
        ("٣ kilos", ["3", "kilos"]),
        ("The cat and the hat", ["cat", "and", "hat"]),
        ("a the", ["the"]),
        ("コーヒー 2杯", ["コ", "ー", "ヒ", "ー", "2", "杯"]),
        ("नमस्ते", ["नमस्ते"]),
        ("rock 'n' roll", ["rock", "n", "roll"]),
        ("\ue0005", ["5"]),
        ("?!…", []),
    ],
)
def test_normalise(text: str, tokens: list[str]) -> None:
    assert normalise(text) == tokens


@given(WORDS, WORDS)
def test_is_symmetric_and_within_bounds(a: list[str], b: list[str]) -> None:
    forth = token_f1(" ".join(a), [" ".join(b)])
    assert forth == token_f1(" ".join(b), [" ".join(a)])
    assert 0 <= forth <= 1


@given(WORDS, st.randoms(use_true_random=False))
def test_order_does_not_count(words: list[str], rng: object) -> None:
    shuffled = list(words)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    assert token_f1(" ".join(shuffled), [" ".join(words)]) == 1


@given(WORDS, WORDS)
def test_junk_never_helps_a_full_answer(answer: list[str], junk: list[str]) -> None:
    assert token_f1(" ".join([*answer, *junk]), [" ".join(answer)]) < 1


@given(st.text())
def test_never_raises_and_normalising_again_changes_nothing(text: str) -> None:
    tokens = normalise(text)
    assert token_f1(text, [text]) == (1 if tokens else 0)
    again = normalise(" ".join(tokens))
    assert [t for t in again if t not in ("a", "an", "the")] == [t for t in tokens if t not in ("a", "an", "the")]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_patterns_for_ascii_find_what_the_full_ones_find(text: str) -> None:
    # A character of another script, set apart, sends the text the other way and is one more token.
    assert normalise(text + " . 東") == [*_kept(text), "東"]


def _kept(text: str) -> list[str]:
    tokens = normalise(text)
    return tokens[:-1] if tokens and tokens[-1] in ("a", "an", "the") else tokens


def test_the_best_of_several_golds_counts() -> None:
    assert token_f1("12", ["twelve", "12"]) == 1
    assert token_f1("anything", []) == 0


def test_one_string_for_a_list_of_golds_is_a_mistake_that_is_caught() -> None:
    with pytest.raises(TypeError, match="list"):
        token_f1("Paris", "Paris")


@pytest.mark.parametrize(
    ("answer", "text", "supported"),
    [
        ("12 May 1921", "On 12 May the survey began.", True),
        ("Ada Renn Smith Jones", "Ada wrote.", False),
        ("Ada Renn", "Ada wrote.", True),
        ("", "Ada wrote.", False),
        ("?!", "Ada wrote?!", False),
        ("1,300", "there were 1300", True),
        ("ÉCOLE", "une école", True),
    ],
)
def test_support_is_half_of_the_answers_tokens(answer: str, text: str, supported: bool) -> None:
    assert is_supported(answer, text) is supported
