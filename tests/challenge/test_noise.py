import random
from statistics import mean

import pytest
from challenge_strategies import article, corpora, sentence, whole
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.admission import contains_tokens, token_string
from compression_subnet.challenge.noise import NoiseSettings, candidates_of, draw_noise, draw_share
from compression_subnet.challenge.pool import SentencePool
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import ConfigurationError

KINDS = st.builds(
    NoiseSettings, near=st.sampled_from([0.0, 0.5, 1.0]), block=st.sampled_from([0.0, 0.5, 1.0]), max_block=st.just(4)
)


def drawn(corpus, count, kinds, seed, spent=()):
    base, pool = whole(corpus[0]), SentencePool(corpus)
    candidates = candidates_of(base, pool, kinds)
    return base, pool, draw_noise(base, pool, candidates, count, kinds, random.Random(seed), spent)


@settings(max_examples=50, deadline=None)
@given(corpora(), st.integers(0, 40), KINDS, st.integers(0, 2**32))
def test_noise_is_from_other_articles_answers_nothing_and_is_used_once(corpus, count, kinds, seed):
    base, pool, pieces = drawn(corpus, count, kinds, seed)
    chosen = [i for piece in pieces for i in piece]
    golds = [token_string(g) for q in base.questions for g in q.gold]
    assert len(chosen) == len(set(chosen)) <= count
    for index in chosen:
        assert index not in range(*pool.of_article(base.article_id))
        assert not any(contains_tokens(pool.tokens[index], gold) for gold in golds)
    for piece in pieces:
        joined = token_string(" ".join(pool.texts[i] for i in piece))
        assert not any(contains_tokens(joined, gold) for gold in golds)


@settings(max_examples=30, deadline=None)
@given(corpora(), KINDS, st.integers(0, 2**32))
def test_blocks_are_consecutive_sentences_of_one_paragraph_and_no_longer_than_allowed(corpus, kinds, seed):
    _, pool, pieces = drawn(corpus, 12, kinds, seed)
    for piece in pieces:
        assert 1 <= len(piece) <= (kinds.max_block if kinds.block else 1)
        assert piece == list(range(piece[0], piece[0] + len(piece)))
        assert all(pool.continues[i] for i in piece[:-1])


@settings(max_examples=20, deadline=None)
@given(corpora(), KINDS, st.integers(0, 2**32))
def test_the_same_seed_draws_the_same_noise(corpus, kinds, seed):
    assert drawn(corpus, 10, kinds, seed)[2] == drawn(corpus, 10, kinds, seed)[2]


@settings(max_examples=20, deadline=None)
@given(corpora(), KINDS, st.integers(0, 2**32))
def test_spent_sentences_are_not_drawn_again(corpus, kinds, seed):
    first = {i for piece in drawn(corpus, 8, kinds, seed)[2] for i in piece}
    second = {i for piece in drawn(corpus, 8, kinds, seed, first)[2] for i in piece}
    assert not first & second


def test_all_that_is_admissible_is_drawn_before_there_is_less_than_asked():
    corpus = [article(str(i), random.Random(i), 6) for i in range(3)]
    base, pool, pieces = drawn(corpus, 10**4, NoiseSettings(), 1)
    golds = [token_string(g) for q in base.questions for g in q.gold]
    admissible = {
        i
        for i in range(*pool.of_article("0")[1:], len(pool.texts))
        if not any(contains_tokens(pool.tokens[i], gold) for gold in golds)
    }
    assert {i for piece in pieces for i in piece} == admissible


@pytest.mark.parametrize("near", [0.0, 1.0])
@pytest.mark.parametrize("length", [45, 90])
def test_single_noise_sentences_are_as_long_as_those_of_the_base(near, length):
    rng = random.Random(5)
    alike = [s for s in (sentence(rng) for _ in range(2000)) if abs(len(s) - length) < 8][:20]
    corpus = [Article("base", "", " ".join(alike), ()), *(article(str(i), random.Random(i), 60) for i in range(4))]
    _, pool, pieces = drawn(corpus, 15, NoiseSettings(near=near, block=0.0), 1)
    assert len(pieces) == 15
    assert mean(pool.lengths[i] for piece in pieces for i in piece) == pytest.approx(length, rel=0.2)


def test_where_nothing_is_as_long_the_closest_in_length_is_taken():
    base = Article("base", "", "The mill was shut. The well was dry.", ())
    other = Article("other", "", "The ferry on the Aller left at noon. " + sentence(random.Random(1)), ())
    _, pool, pieces = drawn([base, other], 1, NoiseSettings(), 1)
    assert [pool.texts[i] for piece in pieces for i in piece] == ["The ferry on the Aller left at noon."]


def test_near_noise_shares_more_words_with_the_base_than_far_noise():
    def theme(id, nouns, rng):
        words = [f"The {rng.choice(nouns)} met the {rng.choice(nouns)} by a {rng.choice(nouns)}." for _ in range(60)]
        return Article(id, "", " ".join(words), ())

    rng = random.Random(2)
    sea = ["captain", "harbour", "ferry", "pilot", "lantern"]
    land = ["baker", "oven", "miller", "orchard", "market"]
    corpus = [theme("base", sea, rng), theme("sea", sea, rng), theme("land", land, rng), theme("land2", land, rng)]
    kinds = {"near": NoiseSettings(near=1.0, candidates=50), "far": NoiseSettings(near=0.0)}
    shares = {}
    for name, settings_ in kinds.items():
        _, pool, pieces = drawn(corpus, 30, settings_, 1)
        chosen = [i for piece in pieces for i in piece]
        shares[name] = mean(i in range(*pool.of_article("sea")) for i in chosen)
    assert shares["near"] > 0.85 > 0.3 > shares["far"]


def test_an_answer_that_arises_at_the_joint_of_a_block_ends_the_block():
    other = Article("other", "", "They all left in March. Twelve boats were lost at sea. The rain went on and on.", ())
    text = "The fleet sailed on March 12. Many boats never came home."
    asked = Question("When?", ("March Twelve",), Span(0, 29), "when")
    for seed in range(20):
        _, pool, pieces = drawn([Article("base", "", text, (asked,)), other], 3, NoiseSettings(block=1.0), seed)
        for piece in pieces:
            assert not (pool.texts[piece[0]] == "They all left in March." and len(piece) > 1)


def test_noise_that_is_typed_otherwise_or_repeats_the_base_is_left_out():
    base = Article("base", "", "“The ferry left,” she said. The rain went on and on.", ())
    other = Article("other", "", 'The man said "no" again. The rain went on and on. The mill was shut then.', ())
    _, pool, pieces = drawn([base, other], 5, NoiseSettings(), 3)
    assert [pool.texts[i] for piece in pieces for i in piece] == ["The mill was shut then."]


def test_the_share_covers_its_range_and_is_sometimes_none():
    rng = random.Random(1)
    shares = [draw_share(NoiseSettings(share=(0.2, 1.0), clean=0.25), rng) for _ in range(2000)]
    some = [s for s in shares if s]
    assert 1 - len(some) / len(shares) == pytest.approx(0.25, abs=0.04)
    assert 0.2 <= min(some) < 0.25 and 0.95 < max(some) <= 1.0
    assert draw_share(NoiseSettings(share=(0.5, 0.5), clean=0), rng) == 0.5


@pytest.mark.parametrize(
    "wrong",
    [
        {"share": (0.5, 0.2)},
        {"share": (-0.1, 0.2)},
        {"share": (float("nan"), 1.0)},
        {"clean": 1.5},
        {"near": -1},
        {"block": float("nan")},
        {"max_block": 1},
        {"candidates": 0},
        {"far": 0.0},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ConfigurationError):
        NoiseSettings(**wrong)
