"""Proof over many challenges of the built-in corpus that they are fair, by the figures that the command shows."""

import random
from collections import Counter

import numpy as np
import pytest
from challenge_strategies import article

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.corpus import BuiltinCorpus
from compression_subnet.challenge.fairness import distinct_positions, measure
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.separability import (
    Sentence,
    auc,
    sentences_of,
    surface_auc,
    surface_features,
    topic_auc,
    topic_scores,
)
from compression_subnet.challenge.spread import balance_kinds
from compression_subnet.challenge.stats import describe, uniformity
from compression_subnet.challenge.types import Challenge, Question, Span
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.scoring.levels import LEVELS
from compression_subnet.text.tokens import get_tokenizer

TOKENIZER = get_tokenizer()


def build(count: int, seed: int = 11, **noise: float) -> list[Challenge]:
    settings = ChallengeSettings(noise=NoiseSettings(**noise))  # type: ignore[arg-type]
    builder = ChallengeBuilder(BuiltinCorpus().articles(), TOKENIZER, settings, random.Random(seed))
    return [builder.build() for _ in range(count)]


@pytest.fixture(scope="module")
def challenges() -> list[Challenge]:
    return build(500)


def test_truncation_keeps_its_share_of_the_evidence_within_three_points(challenges):
    stats = describe(challenges, TOKENIZER)
    for level in LEVELS:
        assert stats.head[level] == pytest.approx(level / 100, abs=0.03)
        assert stats.tail[level] == pytest.approx(level / 100, abs=0.03)


def test_evidence_of_distinct_questions_is_uniform_over_the_text(challenges):
    positions = distinct_positions(challenges)
    assert len(positions) >= 150
    assert uniformity(positions).p_value > 0.05


def test_noise_is_not_told_by_length_punctuation_or_layout(challenges):
    assert surface_auc(challenges[:200]) < 0.6


def test_far_noise_is_told_by_its_topic_and_near_noise_markedly_less():
    far, near = topic_auc(build(80, near=0.0)), topic_auc(build(80, near=1.0))
    assert far > 0.95
    assert near < far - 0.15


def test_a_request_holds_neither_questions_nor_answers_nor_seeds_nor_labels(challenges):
    for challenge in challenges:
        request = CompressionSynapse.at_level(
            20,
            challenge_id=challenge.id,
            text=challenge.text,
            n_tokens=challenge.n_tokens,
            tokenizer=TOKENIZER.name,
            tokenizer_sha256=TOKENIZER.sha256,
            deadline_seconds=30.0,
        )
        fields = request.model_dump()
        text = fields.pop("text")
        assert text == challenge.text and set(fields) <= {
            "protocol_version",
            "challenge_id",
            "target_ratio",
            "budget_tokens",
            "tokenizer",
            "tokenizer_sha256",
            "deadline_seconds",
        }
        rest = str(fields)
        assert not any(q.text in text or q.text in rest for q in challenge.questions)
        assert str(challenge.seed) not in rest and challenge.source not in rest


def test_no_kind_of_question_crowds_out_the_others(challenges):
    asked = Counter(q.kind for c in challenges for q in c.questions)
    there = Counter({(c.base_text, q.text): q.kind for c in build(60) for q in c.questions}.values())
    assert max(asked.values()) <= sum(asked.values()) * 0.25
    assert set(asked) >= set(there)


def test_the_commonest_kinds_are_thinned_out_first_and_the_order_stays():
    kinds = ["who"] * 6 + ["when"] * 3 + ["why"]
    questions = [Question(f"{i}?", ("x",), Span(0, 1), kind) for i, kind in enumerate(kinds)]
    left = balance_kinds(questions, 6, random.Random(1))
    assert [q.kind for q in left] == ["who"] * 3 + ["when"] * 2 + ["why"]
    assert left == sorted(left, key=questions.index)
    assert balance_kinds(questions, 99, random.Random(1)) == questions


def test_sentences_carry_their_label_and_their_place():
    text = "One here. Noise one. Two here.\n\nNoise two.\n\nThree here."
    noise = (Span(9, 20), Span(30, 42))
    made = Challenge("id", text, TOKENIZER.count(text), "One here. Two here.\n\nThree here.", noise, (), 0, "x")
    assert sentences_of(made) == [
        Sentence("One here.", True, False, False),
        Sentence("Noise one.", False, False, True),
        Sentence("Two here.", False, True, False),
        Sentence("Noise two.", True, True, True),
        Sentence("Three here.", True, True, False),
    ]


def test_auc_is_the_chance_to_rank_a_pair_rightly():
    def of(scores, labels):
        return auc(np.array(scores, dtype=float), np.array(labels, dtype=bool))

    assert of([1, 2, 3, 4], [0, 0, 1, 1]) == 1.0
    assert of([4, 3, 2, 1], [0, 0, 1, 1]) == 0.0
    assert of([1, 1, 1], [0, 1, 1]) == 0.5
    assert of([1, 2, 2, 3], [0, 1, 0, 1]) == pytest.approx(3.5 / 4)
    assert of([1, 2], [1, 1]) == of([], []) == 0.5


def test_the_surface_classifier_finds_noise_that_is_typed_otherwise():
    def marked(c: Challenge) -> Challenge:
        text, noise, done, parts = c.text, [], 0, []
        for span in c.noise:
            parts += [text[done : span.start], span.of(text).replace(".", "!")]
            done = span.end
            noise.append(span)
        return Challenge(
            c.id, "".join(parts) + text[done:], c.n_tokens, c.base_text, tuple(noise), (), c.seed, c.source
        )

    assert surface_auc([marked(c) for c in build(20)]) > 0.95


def test_the_surface_classifier_agrees_with_scikit_learn():
    linear = pytest.importorskip("sklearn.linear_model")
    metrics = pytest.importorskip("sklearn.metrics")
    made = build(20)
    documents = [sentences_of(c) for c in made]
    rows = np.array([surface_features(s) for d in documents for s in d])
    labels = np.array([s.noise for d in documents for s in d])
    fold = np.array([i % 5 for i, d in enumerate(documents) for _ in d])
    scores = np.zeros(len(labels))
    for k in range(5):
        train = fold != k
        mean, spread = rows[train].mean(0), rows[train].std(0)
        standard = (rows - mean) / np.where(spread > 0, spread, 1)
        model = linear.LogisticRegression(C=1.0, max_iter=2000).fit(standard[train], labels[train])
        scores[~train] = model.decision_function(standard[~train])
    assert surface_auc(made) == pytest.approx(metrics.roc_auc_score(labels, scores), abs=0.005)


def test_a_topic_is_what_most_of_a_document_is_about():
    sea = [f"The {a} left the harbour with the {b}." for a in ("ferry", "pilot", "crew") for b in ("tide", "captain")]
    document = [*sea, "A baker kneads dough in the oven room."]
    (scores,) = topic_scores([document])
    assert int(np.argmin(scores)) == len(document) - 1
    assert scores[-1] < min(scores[:-1])


def test_few_challenges_or_none_have_figures_of_chance():
    empty = measure([], TOKENIZER)
    assert (empty.surface, empty.topic, empty.base_texts, empty.distinct.n) == (0.5, 0.5, 0, 0)
    maker = ChallengeBuilder(
        [article(f"a{i}", random.Random(i), 8) for i in range(3)],
        TOKENIZER,
        ChallengeSettings(min_tokens=20, max_tokens=300, noise=NoiseSettings(share=(0.0, 0.0))),
        random.Random(1),
    )
    assert measure([maker.build()], TOKENIZER).surface == 0.5
