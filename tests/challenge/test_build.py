import random

import pytest
from challenge_strategies import article, corpora, without
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.admission import contains_tokens, token_string
from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.types import Article
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import get_tokenizer

TOKENIZER = get_tokenizer()
SMALL = ChallengeSettings(min_tokens=20, max_tokens=300)
CORPUS = [article(f"article-{i}", random.Random(i), 8) for i in range(5)]


def builder(corpus=None, seed=1, wanted=SMALL):
    return ChallengeBuilder(corpus or CORPUS, TOKENIZER, wanted, random.Random(seed))


@settings(max_examples=25, deadline=None)
@given(corpora(), st.integers(0, 2**32))
def test_a_challenge_is_its_base_text_and_noise_that_answers_nothing(corpus, seed):
    maker = builder(corpus, seed)
    for _ in range(4):
        challenge = maker.build()
        assert without(challenge.text, challenge.noise) == challenge.base_text
        assert challenge.text == canonical(challenge.text)
        assert challenge.n_tokens == TOKENIZER.count(challenge.text)
        assert 1 <= len(challenge.questions) <= 5
        for question in challenge.questions:
            golds = [token_string(gold) for gold in question.gold]
            assert any(contains_tokens(token_string(question.evidence.of(challenge.text)), gold) for gold in golds)
            for span in challenge.noise:
                assert not any(contains_tokens(token_string(span.of(challenge.text)), gold) for gold in golds)


@settings(max_examples=10, deadline=None)
@given(corpora(), st.integers(0, 2**32))
def test_the_same_seed_builds_the_same_challenges(corpus, seed):
    first, second = builder(corpus, seed), builder(corpus, seed)
    assert [first.build() for _ in range(5)] == [second.build() for _ in range(5)]


def test_a_recorded_seed_makes_the_same_challenge_in_another_builder():
    recorded = builder(seed=1).build()
    other = builder(seed=2)
    (index,) = (
        i for i, e in enumerate(other.excerpts) if f"{e.article_id}[{e.span.start}:{e.span.end}]" == recorded.source
    )
    assert other.make(index, recorded.seed, recorded.id) == recorded


def test_ids_are_unlike_each_other_and_tell_nothing_of_the_challenge():
    maker = builder()
    made = [maker.build() for _ in range(50)]
    assert len({c.id for c in made}) == 50
    for challenge in made:
        assert len(challenge.id) == 32 and set(challenge.id) <= set("0123456789abcdef")
        assert f"{challenge.seed:x}" not in challenge.id


def test_a_request_holds_no_question_no_mark_of_noise_and_no_seed():
    maker = builder()
    for challenge in [maker.build() for _ in range(20)]:
        request = CompressionSynapse.at_level(
            40,
            challenge_id=challenge.id,
            text=challenge.text,
            n_tokens=challenge.n_tokens,
            tokenizer=TOKENIZER.name,
            tokenizer_sha256=TOKENIZER.sha256,
            deadline_seconds=30.0,
        )
        sent = request.model_dump()
        # With the text itself set aside, nothing that is left is particular to the challenge but its id and budget.
        assert sent.pop("text") == challenge.text
        rest = str(sent)
        assert str(challenge.seed) not in rest and challenge.source not in rest
        assert not any(q.text in request.model_dump_json() or q.text in challenge.text for q in challenge.questions)
        assert not any(gold in rest for q in challenge.questions for gold in q.gold)


def test_every_excerpt_is_taken_once_before_any_is_taken_again():
    maker = builder()
    n = len(maker.excerpts)
    sources = [maker.build().source for _ in range(2 * n)]
    assert len(set(sources[:n])) == len(set(sources[n:])) == n
    assert sources[:n] != sources[n:]


def test_single_use_repeats_no_base_text_and_no_noise_and_then_says_what_to_do():
    maker = builder(wanted=ChallengeSettings(min_tokens=20, max_tokens=150, single_use=True))
    made = [maker.build() for _ in maker.excerpts]
    noise = [span.of(c.text).strip() for c in made for span in c.noise]
    assert noise and len(noise) == len(set(noise))
    assert len({c.base_text for c in made}) == len(made)
    with pytest.raises(InputError, match="add articles"):
        maker.build()


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_fixed_share_of_noise_is_met_exactly(share):
    corpus = [article(f"a{i}", random.Random(i), 40) for i in range(4)]
    wanted = ChallengeSettings(min_tokens=100, max_tokens=200, noise=NoiseSettings(share=(share, share), clean=0))
    maker = builder(corpus, wanted=wanted)
    by_source = {f"{e.article_id}[{e.span.start}:{e.span.end}]": e for e in maker.excerpts}
    for _ in range(10):
        challenge = maker.build()
        assert len(challenge.noise) == round(share * len(by_source[challenge.source].sentences))


def test_more_questions_than_usual_are_carried_where_a_filter_will_choose():
    maker = builder(wanted=ChallengeSettings(min_tokens=150, max_tokens=400, min_questions=5))
    assert len(maker.build().questions) == 5
    assert len(maker.build(8).questions) > 5


def test_an_unusable_corpus_is_refused_with_the_fix():
    with pytest.raises(ConfigurationError, match="widen the range"):
        builder(wanted=ChallengeSettings(min_tokens=5000, max_tokens=6000))
    with pytest.raises(ConfigurationError, match="at least two"):
        builder(CORPUS[:1])
    with pytest.raises(ConfigurationError, match="share an id"):
        builder([CORPUS[0], CORPUS[0]])
    with pytest.raises(ConfigurationError, match="widen the range"):
        builder([Article(a.id, a.title, a.text, ()) for a in CORPUS])


def test_one_article_is_enough_without_noise():
    none = ChallengeSettings(min_tokens=20, max_tokens=300, noise=NoiseSettings(share=(0.0, 0.0)))
    assert builder(CORPUS[:1], wanted=none).build().noise == ()


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_tokens": 0},
        {"min_tokens": 3000},
        {"min_questions": 0},
        {"min_questions": 6},
        {"questions_per_challenge": 0},
    ],
)
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(ConfigurationError):
        ChallengeSettings(**wrong)


@settings(max_examples=25, deadline=None)
@given(corpora(), st.integers(0, 2**32), st.sampled_from([0.2, 0.5, 1.0]), st.booleans())
def test_near_misses_are_at_most_their_share_of_the_noise_of_their_own_text(corpus, seed, share, single_use):
    misses = {a.id: [f"Far off at Lake Ussen {a.id} said the word {n}." for n in "abcdefgh"] for a in corpus}
    noise = NoiseSettings(share=(share, share), clean=0.0)
    wanted = ChallengeSettings(min_tokens=20, max_tokens=300, noise=noise, single_use=single_use)
    maker = ChallengeBuilder(corpus, TOKENIZER, wanted, random.Random(seed), misses=misses)
    sizes = {f"{e.article_id}[{e.span.start}:{e.span.end}]": len(e.sentences) for e in maker.excerpts}
    seen: list[str] = []
    for _ in range(min(6, len(maker.excerpts))):
        challenge = maker.build()
        put = [span.of(challenge.text).strip() for span in challenge.noise]
        written = [sentence for sentence in put if "Lake Ussen" in sentence]
        assert without(challenge.text, challenge.noise) == challenge.base_text
        assert len(put) <= round(share * sizes[challenge.source])
        assert len(written) <= round(noise.misses * round(share * sizes[challenge.source]))
        assert all(sentence in misses[challenge.source.partition("[")[0]] for sentence in written)
        seen += written
    assert not single_use or len(set(seen)) == len(seen)
