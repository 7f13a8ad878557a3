"""Numbers: same form, same order of magnitude, same order, and the stated arithmetic kept."""

import random
import re
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewrite_cases import rewritten

from compression_subnet.challenge.rewrite.draw import draw_counts, draw_values
from compression_subnet.challenge.rewrite.numerals import parse_words, spell, spell_decimal
from compression_subnet.challenge.rewrite.reading import read
from compression_subnet.challenge.rewrite.relations import find_relations, holds


@given(st.integers(0, 10**12 - 1))
def test_number_words_are_read_as_they_are_spelled(number: int) -> None:
    assert parse_words(spell(number)) == number
    assert parse_words(spell(number, " ")) == number


@given(st.integers(0, 999), st.integers(1, 3), st.sampled_from(["", " million", " thousand"]), st.data())
def test_decimal_words_are_read_as_they_are_spelled(whole: int, places: int, scale: str, data: st.DataObject) -> None:
    digits = data.draw(st.integers(0, 10**places - 1))
    value = Decimal(f"{whole}.{digits:0{places}}") * {"": 1, " million": 10**6, " thousand": 1000}[scale]
    like = f"one point {' '.join(['one'] * places)}{scale}"
    assert parse_words(spell_decimal(value, like)) == value


@pytest.mark.parametrize(
    "phrase", ["two three", "twenty thirty", "one hundred hundred", "five thousand million thousand"]
)
def test_words_that_are_no_single_number_are_not_read_as_one(phrase: str) -> None:
    assert parse_words(phrase) is None


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("It held 1,100 barrels.", r"It held \d,\d00 barrels\."),
        ("It was 2.3 metres deep.", r"It was \d\.\d metres deep\."),
        ("It cost $740,000 then.", r"It cost \$\d{2}0,000 then\."),
        ("It fell by 31 per cent.", r"It fell by \d\d per cent\."),
        ("He saw two hundred and fourteen ships.", r"He saw \w+ hundred and [\w-]+ ships\."),
        ("It cost 1.31 million pounds.", r"It cost \d\.\d\d million pounds\."),
        ("A six-hour walk began.", r"An? \w+-hour walk began\."),
        ("It weighed 22km and 45%.", r"It weighed \d\dkm and \d\d%\."),
    ],
)  # fmt: skip
def test_a_number_keeps_its_form(text: str, pattern: str) -> None:
    for seed in range(6):
        new = rewritten(text, seed=seed).article.text
        assert re.fullmatch(pattern, new), new
        assert new != text


@pytest.mark.parametrize(
    "text",
    [
        "See clause 19 and No. 7 of it.", "It stays open 24 hours, seven days a week.", "One man knew nothing.",
        "Two thirds of them left.", "In 44 BC he died.", "It met at ten minutes past nine.", "Call 007 for it.",
    ],
)  # fmt: skip
def test_what_only_looks_like_a_quantity_stays(text: str) -> None:
    assert rewritten(text).article.text == text


def test_digits_and_words_of_the_same_number_change_alike() -> None:
    new = rewritten("There were 214 houses; two hundred and fourteen houses burnt.").article.text
    match = re.fullmatch(r"There were (\d+) houses; ([\w -]+) houses burnt\.", new)
    assert match and parse_words(match[2]) == int(match[1]) != 214


def test_small_counts_go_by_what_they_count_and_aliases_follow() -> None:
    new = rewritten("It took five hours with nine horses.", ("How long?", "five hours"), ("How many?", "nine")).article
    match = re.fullmatch(r"It took (\w+) hours with (\w+) horses\.", new.text)
    assert match
    assert new.questions[0].gold == (f"{match[1]} hours", f"{parse_words(match[1])} hours")
    assert new.questions[1].gold == (match[2], str(parse_words(match[2])))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("It has two halls. Both are old.", "two"),
        ("Three things were asked. Money was one.", "Three"),
        ("They chose four members: a smith, a cook, a clerk and a nurse.", "four"),
        ("She elected two directors, the accountant and the driver.", "two"),
    ],
)
def test_counts_of_what_is_told_one_by_one_stay(text: str, kept: str) -> None:
    new = rewritten(text)
    assert new.article.text == text
    assert kept in {what.original for what in new.kept}


@given(st.integers(0, 2**32), st.integers(30, 400), st.integers(2100, 9000))
def test_a_stated_sum_holds_afterwards(seed: int, a: int, b: int) -> None:
    new = rewritten(f"He paid {a} for the coat, {b} for the boat, and so {a + b} in all.", seed=seed).article.text
    x, y, z = (int(number) for number in re.findall(r"\d+", new))
    assert x + y == z


def test_ratios_and_products_hold_afterwards() -> None:
    for seed in range(30):
        new = rewritten("It made 45 pounds, twice that is 90 pounds, and 250 kegs.", seed=seed).article.text
        first, second, _ = (int(number) for number in re.findall(r"\d+", new))
        assert second == 2 * first
        new = rewritten("It sold 26 sacks at 30 crowns, which gave 780 crowns.", seed=seed).article.text
        sacks, price, total = (int(number) for number in re.findall(r"\d+", new))
        assert sacks * price == total


def test_relations_are_found_where_they_are_stated() -> None:
    def kinds(text: str) -> set[str]:
        return {relation.kind for relation in find_relations(text, read(text).quantities)}

    assert kinds("It cost 140 pounds and 260 pounds, together 400 pounds.") == {"sum"}
    assert kinds("Out of 500 acres 125 were ploughed, a quarter of them.") == {"ratio"}
    assert kinds("It took 100, 230 and 455 crowns, 785 crowns in all.") == {"sum"}
    assert kinds("It has 17 doors, 290 windows and 4,100 tiles.") == set()


@given(
    st.dictionaries(st.integers(13, 99_999).map(Decimal), st.just(Decimal(1)), max_size=25),
    st.integers(0, 2**32),
    st.data(),
)
def test_new_values_keep_order_and_magnitude_and_never_return_to_an_old_one(
    grains: dict[Decimal, Decimal], seed: int, data: st.DataObject
) -> None:
    pinned = data.draw(st.sets(st.sampled_from(sorted(grains)))) if grains else set()
    become = draw_values(grains, pinned, [], random.Random(seed))
    assert not pinned & set(become)
    new = [become.get(value, value) for value in sorted(grains)]
    assert all(a < b for a, b in pairwise(new))
    assert not set(become.values()) & set(grains)
    assert all(value.adjusted() == changed.adjusted() for value, changed in become.items())


@given(st.sets(st.integers(2, 12).map(Decimal)), st.integers(0, 2**32))
def test_new_counts_keep_their_order(values: set[Decimal], seed: int) -> None:
    become = draw_counts(values, (), random.Random(seed))
    new = [become.get(value, value) for value in sorted(values)]
    assert all(a < b for a, b in pairwise(new))
    assert all(2 <= value <= 12 for value in new)


@given(st.integers(0, 2**32))
def test_drawn_values_keep_relations_or_stay(seed: int) -> None:
    text = "It took 120 and 315, 435 in all; with 1,130 that made 1,565. A third, 145, was twice 290."
    quantities = read(text).quantities
    relations = find_relations(text, quantities)
    assert len(relations) >= 3
    grains = {q.value: q.grain for q in quantities if not q.is_count}
    become = draw_values(grains, (), relations, random.Random(seed))
    assert all(holds(relation, become) for relation in relations)
