"""The parts that choose: kinds of words, phrases, variants, the knapsack, rendering, fitting."""

import itertools

import numpy as np
import pytest
from compressor_counters import Erratic, SuperAdditive, Words
from compressor_texts import article
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.compressors.allocate import steps_by_worth, upper_hull
from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.costs import word_costs
from compression_subnet.compressors.document import Kind, parse
from compression_subnet.compressors.fit import Selection
from compression_subnet.compressors.importance import word_values
from compression_subnet.compressors.phrases import split_phrases
from compression_subnet.compressors.render import render
from compression_subnet.compressors.variants import Addition, Variant, coherence_at, sentence_variants
from compression_subnet.text.tokens import get_tokenizer


def phrases(text: str) -> list[str]:
    document = parse(text)
    ((first, last),) = document.sentences
    return [text[document.words[a].start : document.words[b - 1].end] for a, b in split_phrases(document, first, last)]


def test_kinds_of_words() -> None:
    document = parse(
        "However, the Swedes sold nine KX-7714 engines to the US in 1987, not to Hepatitis A, without delay."
    )
    kinds = {word.lower: word.kind for word in document.words}
    assert kinds["however"] is kinds["the"] is Kind.FILLER
    assert kinds["swedes"] is kinds["us"] is kinds["a"] is Kind.NAME
    assert kinds["nine"] is kinds["kx-7714"] is kinds["1987"] is Kind.NUMBER
    assert kinds["not"] is kinds["without"] is Kind.NEGATION
    assert kinds["to"] is Kind.FUNCTION and kinds["engines"] is Kind.CONTENT and kinds[","] is Kind.PUNCTUATION


@given(st.text())
def test_a_document_loses_nothing(text: str) -> None:
    document = parse(text)
    assert "".join(text[word.start : word.stop] for word in document.words) == text
    assert list(itertools.chain.from_iterable(range(a, b) for a, b in document.sentences)) == list(
        range(len(document.words))
    )


@given(st.text())
def test_phrases_join_to_their_sentence(text: str) -> None:
    document = parse(text)
    for first, last in document.sentences:
        spans = split_phrases(document, first, last)
        assert list(itertools.chain.from_iterable(range(a, b) for a, b in spans)) == list(range(first, last))
        assert all(a < b for a, b in spans)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The valve must not be opened before noon.", ["The valve", "must not be opened", "before noon."]),
        ("He sat on the Bank of England in May.", ["He sat", "on the Bank of England", "in May."]),
        ("Lee (born in 1901) left for Oslo.", ["Lee", "(born in 1901)", "left", "for Oslo."]),
        ("It cost 1,300 crowns, paid by Olav.", ["It cost 1,300 crowns,", "paid", "by Olav."]),
    ],
)
def test_what_must_not_come_apart_is_one_phrase(text: str, expected: list[str]) -> None:
    assert phrases(text) == expected


def test_numbers_and_names_are_worth_more_and_repetition_less() -> None:
    document = parse("In Oslo the mill made 412 wheels and other things, and Oslo is big.")
    value = {}
    for word, worth in zip(document.words, word_values(document), strict=True):
        value.setdefault(word.lower, []).append(worth)
    assert (
        value["412"][0] > value["oslo"][0] > value["wheels"][0] > value["things"][0] > value["and"][0] > value["the"][0]
    )
    assert value["oslo"][1] < value["oslo"][0]


def test_costs_of_a_sentence_add_up_to_its_count() -> None:
    tokenizer = get_tokenizer()
    document = parse(article(6))
    costs = word_costs(document, tokenizer)
    assert costs.min() > 0
    for first, last in document.sentences:
        text = document.text[document.words[first].start : document.words[last - 1].end]
        assert costs[first:last].sum() == pytest.approx(tokenizer.count(text))


def test_variants_are_nested_and_dearer_and_end_as_the_sentence_does() -> None:
    document = parse(article(1))
    values, costs = word_values(document), word_costs(document, get_tokenizer())
    variants = sentence_variants(document, 0, values, costs, 0.6)
    assert len(variants) >= 3
    for less, more in itertools.pairwise(variants):
        assert set(less.words) < set(more.words) and less.cost < more.cost
    assert all(len(document.words) - 1 in variant.words for variant in variants)
    assert variants[-1].words == tuple(range(len(document.words)))


def test_fragments_are_worth_less_at_a_small_budget() -> None:
    assert coherence_at(0.1) == coherence_at(0.2) <= coherence_at(0.4) < coherence_at(0.6) == coherence_at(0.9) < 1


VARIANTS = st.lists(
    st.builds(Variant, st.just((0,)), st.integers(1, 30).map(float), st.integers(0, 30).map(float)), max_size=6
)


@given(VARIANTS)
def test_the_hull_is_convex_and_above_every_variant(variants: list[Variant]) -> None:
    hull = upper_hull(variants)
    slopes = [(b.value - a.value) / (b.cost - a.cost) for a, b in itertools.pairwise([Variant((), 0.0, 0.0), *hull])]
    assert all(a > b > 0 for a, b in itertools.pairwise([*slopes, 0.0][: len(slopes)])) or len(slopes) < 2
    xs, ys = [0.0, *(v.cost for v in hull)], [0.0, *(v.value for v in hull)]
    assert all(v.value <= np.interp(v.cost, xs, ys) + 1e-9 for v in variants)


@given(st.lists(VARIANTS, max_size=4), st.integers(0, 60))
def test_the_greedy_choice_is_at_most_one_step_from_the_best(choices: list[list[Variant]], budget: int) -> None:
    best = max(
        sum(v.value for v in pick if v)
        for pick in itertools.product(*([None, *variants] for variants in choices))
        if sum(v.cost for v in pick if v) <= budget
    )
    value = spent = 0.0
    reached: dict[int, float] = {}
    for step in steps_by_worth(choices):
        spent += step.cost
        value += step.value - reached.get(step.sentence, 0.0)
        reached[step.sentence] = step.value
        if spent > budget:  # with the step that no longer fits, the greedy value bounds the optimum
            break
    assert value >= best - 1e-9


@pytest.mark.parametrize(
    ("text", "kept", "expected"),
    [
        ("one two three four", ["one", "four"], "one four"),
        ("one two\n\nthree four", ["one", "four"], "one\nfour"),
        ("one two three", ["two", "three"], "two three"),
        ("foo(bar)", ["foo", "bar"], "foo(bar"),
        ("李雷在杭州", ["李", "杭"], "李杭"),
        ("foo中bar", ["foo", "bar"], "foo中bar"),
        ("one, two; three", ["one", "three"], "one three"),
        ("one", [], ""),
    ],
)
def test_rendering(text: str, kept: list[str], expected: str) -> None:
    document = parse(text)
    assert render(document, [i for i, word in enumerate(document.words) if word.lower in kept]) == expected


@given(st.text(), st.randoms(use_true_random=False))
def test_rendering_gives_a_subsequence_and_all_gives_the_text(text: str, rng) -> None:
    document = parse(text)
    kept = [i for i in range(len(document.words)) if rng.random() < 0.5]
    rest = iter(text)
    assert all(character in rest for character in render(document, kept))
    assert render(document, range(len(document.words))) == text.strip()


@pytest.mark.parametrize("counter", [Words(), SuperAdditive(), Erratic(), get_tokenizer()])
@pytest.mark.parametrize("tokens", [0, 1, 13, 200])
def test_a_selection_never_grows_over_the_budget(counter, tokens: int) -> None:
    document = parse(article(30))
    selection = Selection(document, TokenBudget(tokens, counter))
    additions = [Addition(i, (i,), 0.5, 1.0) for i in range(0, len(document.words), 2)]
    selection.extend(additions)
    selection.extend([Addition(0, (1,), 1.0, 1.0)])
    assert counter.count(selection.text) <= tokens or selection.text == ""
    assert selection.text == render(document, selection.words)


def test_a_selection_fills_the_room_behind_an_addition_that_does_not_fit() -> None:
    document = parse("aa bb cc dd ee ff gg hh")
    selection = Selection(document, TokenBudget(3, Words()))
    selection.extend(
        [Addition(0, (0, 1), 2, 9), Addition(1, (2, 3), 2, 8), Addition(1, (4,), 1, 7), Addition(2, (5,), 1, 6)]
    )
    assert selection.text == "aa bb ff"
