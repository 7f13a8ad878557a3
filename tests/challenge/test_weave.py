import random
from itertools import pairwise

from challenge_strategies import article, articles, sentence, whole, without
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.challenge.weave import weave
from compression_subnet.text.canonical import canonical

SEEDS = st.integers(0, 2**32)
PIECES = SEEDS.map(random.Random).flatmap(
    lambda rng: st.lists(st.integers(1, 5), max_size=8).map(
        lambda sizes: [[sentence(rng) for _ in range(size)] for size in sizes]
    )
)


@settings(max_examples=150, deadline=None)
@given(articles(), PIECES, SEEDS)
def test_deleting_the_noise_leaves_the_base_character_for_character(base, pieces, seed):
    excerpt = whole(base)
    woven = weave(excerpt, pieces, random.Random(seed))
    assert without(woven.text, woven.noise) == excerpt.text


@settings(max_examples=150, deadline=None)
@given(articles(), PIECES, SEEDS)
def test_each_noise_range_is_one_sentence_and_one_separator_that_the_base_uses(base, pieces, seed):
    excerpt = whole(base)
    woven = weave(excerpt, pieces, random.Random(seed))
    assert sorted(span.of(woven.text).strip() for span in woven.noise) == sorted(s for p in pieces for s in p)
    gaps = {excerpt.text[a.end : b.start] for a, b in pairwise(excerpt.sentences)} | {" "}
    for span in woven.noise:
        string = span.of(woven.text)
        before, after = string[: -len(string.lstrip())], string[len(string.rstrip()) :]
        assert bool(before) != bool(after)
        assert before + after in gaps


@settings(max_examples=150, deadline=None)
@given(articles(), PIECES, SEEDS)
def test_noise_ranges_are_in_order_and_disjoint_and_the_text_stays_canonical(base, pieces, seed):
    woven = weave(whole(base), pieces, random.Random(seed))
    for a, b in pairwise(woven.noise):
        assert a.start < a.end <= b.start
    assert woven.text == canonical(woven.text).strip()


@settings(max_examples=150, deadline=None)
@given(articles(), PIECES, SEEDS)
def test_evidence_holds_the_same_characters_and_no_noise(base, pieces, seed):
    excerpt = whole(base)
    woven = weave(excerpt, pieces, random.Random(seed))
    assert [q.evidence.of(woven.text) for q in woven.questions] == [
        q.evidence.of(excerpt.text) for q in excerpt.questions
    ]
    for question in woven.questions:
        assert all(n.end <= question.evidence.start or question.evidence.end <= n.start for n in woven.noise)


@settings(max_examples=50, deadline=None)
@given(articles(), PIECES, SEEDS)
def test_the_same_seed_weaves_the_same_text(base, pieces, seed):
    excerpt = whole(base)
    assert weave(excerpt, pieces, random.Random(seed)) == weave(excerpt, pieces, random.Random(seed))


def test_no_noise_leaves_all_as_it_is():
    excerpt = whole(article("a", random.Random(1)))
    woven = weave(excerpt, [], random.Random(1))
    assert (woven.text, woven.noise, woven.questions) == (excerpt.text, (), excerpt.questions)


def test_noise_reaches_every_gap_and_both_ends():
    excerpt = whole(Article("a", "", "The mill stood. It burned.\n\nNobody came. It rained.", ()))
    texts = {weave(excerpt, [["X Y z."]], random.Random(seed)).text for seed in range(200)}
    assert texts == {
        "X Y z. The mill stood. It burned.\n\nNobody came. It rained.",
        "The mill stood. X Y z. It burned.\n\nNobody came. It rained.",
        "The mill stood. It burned. X Y z.\n\nNobody came. It rained.",
        "The mill stood. It burned.\n\nX Y z. Nobody came. It rained.",
        "The mill stood. It burned.\n\nNobody came. X Y z. It rained.",
        "The mill stood. It burned.\n\nNobody came. It rained. X Y z.",
    }


def test_a_block_may_be_a_paragraph_only_if_the_base_has_one_as_small():
    block = ["Xa b c.", "Ya b c."]
    two = whole(Article("a", "", "The mill stood. It burned.\n\nNobody came. It rained. All slept.", ()))
    three = whole(Article("a", "", "The mill stood. It burned. All left.\n\nNobody came. It rained. All slept.", ()))
    one = whole(Article("a", "", "The mill stood. It burned. Nobody came.", ()))

    def paragraphs(excerpt):
        return {weave(excerpt, [block], random.Random(seed)).text.count("\n\n") for seed in range(100)}

    assert (paragraphs(two), paragraphs(three), paragraphs(one)) == ({1, 2}, {1}, {0})


def test_two_pieces_at_one_place_keep_paragraphs_apart():
    excerpt = whole(Article("a", "", "The mill stood.\n\nNobody came.", ()))
    for seed in range(300):
        woven = weave(excerpt, [["X one."], ["Y two."], ["Z three."]], random.Random(seed))
        assert without(woven.text, woven.noise) == excerpt.text
        for paragraph in woven.text.split("\n\n"):
            # Noise by itself is one piece: others at the same place go on with a paragraph of the base.
            assert "The mill stood." in paragraph or "Nobody came." in paragraph or len(paragraph.split()) == 2


def test_nothing_is_put_inside_evidence_or_on_the_line_of_a_heading():
    text = "The Mill at Noon\n\nThe mill stood. It burned.\n\nNobody came."
    evidence = Span(text.index("The mill stood"), text.index("\n\nNobody"))
    excerpt = whole(Article("a", "", text, (Question("What?", ("mill",), evidence, "what"),)))
    for seed in range(200):
        woven = weave(excerpt, [["X one."], ["Y two.", "Z three."]], random.Random(seed))
        assert "The mill stood. It burned." in woven.text
        assert "The Mill at Noon" in woven.text.split("\n\n")


def test_scripts_without_spaces_get_none():
    excerpt = whole(Article("a", "", "水車がある。火事だ。誰も来ない。", ()))
    for seed in range(20):
        assert " " not in weave(excerpt, [["雨が降る。", "風が吹く。"]], random.Random(seed)).text
