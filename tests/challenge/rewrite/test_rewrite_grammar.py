"""Grammar around what was replaced: articles agree, names are not doubled, places follow."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewrite_cases import articles, rewritten

from compression_subnet.challenge.rewrite import rewrite_article
from compression_subnet.challenge.rewrite.apply import rewrite
from compression_subnet.challenge.rewrite.grammar import article_edits, begins_with_vowel_sound
from compression_subnet.challenge.rewrite.reading import read
from compression_subnet.challenge.rewrite.types import Edit, NameRule, RewriteMap
from compression_subnet.challenge.types import Article


@pytest.mark.parametrize(
    ("word", "vowel"),
    [
        ("Italian", True), ("French", False), ("eight", True), ("eleven", True), ("one", False), ("European", False),
        ("hour", True), ("house", False), ("8", True), ("80,000", True), ("11", True), ("18,000", True), ("110", False),
        ("1,100", False), ("MTX", True), ("KTX", False), ("Ursula", True), ("unit", False), ("Alder", True),
        ("Eugene", False), ("180", False), ("811", True), ("unintended", True),
    ],
)  # fmt: skip
def test_the_sound_of_a_word_decides_its_article(word: str, vowel: bool) -> None:
    assert begins_with_vowel_sound(word) is vowel


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("an Italian boat", "Italian", "Danish", "a Danish boat"),
        ("A seven-year lease", "seven", "eight", "An eight-year lease"),
        ("such a 'Pellow' lamp", "Pellow", "Alder", "such an 'Alder' lamp"),
        ("vitamina Pellow", "Pellow", "Alder", "vitamina Alder"),
        ("an Historian", "Historian", "Palmer", "an Palmer"),
    ],
)
def test_an_article_follows_what_stands_behind_it(text: str, old: str, new: str, expected: str) -> None:
    start = text.index(old)
    edits = [Edit(start, start + len(old), new, "name")]
    for edit in sorted([*edits, *article_edits(text, edits)], reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    assert text == expected


@given(articles(), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_articles_agree_wherever_they_agreed_before_and_no_word_is_doubled(original: Article, seed: int) -> None:
    def wrong(text: str) -> int:
        return sum(
            (article.lower() == "an") != begins_with_vowel_sound(word)
            for article, word in re.findall(r"\b([Aa]n?) (\w+)", text)
        )

    new = rewrite_article(original, random.Random(seed)).article.text
    assert wrong(new) <= wrong(original.text)
    assert not re.search(r"\b([A-Z]\w+) \1\b", new)


@given(st.text(alphabet="ab .A\n", max_size=60))
def test_places_follow_their_characters(tail: str) -> None:
    text = f"By Pellow and Ash. {tail} Near Pellow, say."
    names = {"Pellow": NameRule("Il", "family"), "Ash": NameRule("Wrencliffe", "family")}
    applied = rewrite(RewriteMap(names), read(text))
    for at, character in enumerate(text):
        if not applied.cuts(at) and not any(edit.start <= at < edit.end for edit in applied.edits):
            assert applied.text[applied.place(at)] == character
    assert applied.place(0) == 0 and applied.place(len(text), end=True) == len(applied.text)
    assert "Pellow" not in applied.text


def test_a_sentence_in_which_nothing_is_replaced_counts_as_untouched() -> None:
    new = rewritten("Nobody came. It was seen by Ingrid Pellow. Rain fell all day.")
    assert (new.sentences, new.untouched) == (3, 2)


def test_what_could_not_be_replaced_is_reported_with_its_reason() -> None:
    new = rewritten(
        "The hall was built by Ingrid Pellow under clause 19 of grey stone.",
        ("Who?", "Ingrid Pellow"), ("Which clause?", "clause 19"), ("Of what?", "grey stone"),
    )  # fmt: skip
    assert {(s.gold, s.reason) for s in new.survivors} == {("clause 19", "kept"), ("grey stone", "ordinary")}
    assert [(k.original, k.kind) for k in new.kept] == [("19", "quantity")]
