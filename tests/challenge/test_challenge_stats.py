import random

import numpy as np
import pytest
from challenge_strategies import article

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.stats import describe, evidence_positions, retention, uniformity
from compression_subnet.challenge.types import Challenge, Question, Span
from compression_subnet.text.tokens import get_tokenizer

TOKENIZER = get_tokenizer()


def challenge(text: str, *evidence: str, noise: tuple[Span, ...] = ()) -> Challenge:
    spans = [Span(text.index(e), text.index(e) + len(e)) for e in evidence]
    questions = tuple(Question(f"{i}?", ("x",), span, "what") for i, span in enumerate(spans))
    return Challenge("id", text, TOKENIZER.count(text), text, noise, questions, 0, "here")


@pytest.mark.parametrize(
    ("sample", "distance"),
    [([0.5], 0.5), ([0.0], 1.0), ([1.0], 1.0), ([0.25, 0.75], 0.25), ([0.1, 0.2, 0.3], 0.7)],
)
def test_the_distance_is_the_largest_gap_to_the_diagonal(sample, distance):
    assert uniformity(sample).distance == pytest.approx(distance)


def test_the_p_value_is_kolmogorovs():
    # The 5 % and 1 % points of Kolmogorov's distribution, at a size where the correction is 0.1 %.
    n = 10_000
    for t, p in [(1.3581, 0.05), (1.6276, 0.01)]:
        shift = t / (n**0.5 + 0.12 + 0.11 / n**0.5)
        sample = [min(1.0, (i + 0.5) / n + shift - 0.5 / n) for i in range(n)]
        assert uniformity(sample).p_value == pytest.approx(p, rel=0.01)


def test_uniform_samples_pass_and_others_fail():
    rng = random.Random(1)
    assert uniformity([rng.random() for _ in range(2000)]).p_value > 0.01
    assert uniformity([rng.random() ** 1.3 for _ in range(2000)]).p_value < 1e-6
    assert uniformity([]).p_value == 1.0


def test_positions_are_middles_as_shares_of_the_text():
    assert evidence_positions(challenge("abcdefghij", "abcd", "ij")) == [0.2, 0.9]


def test_retention_is_the_share_of_evidence_within_the_budget():
    text = "one two three four five six seven eight nine ten"
    assert TOKENIZER.count(text) == 10
    made = challenge(text, "one two", " nine ten")
    assert retention(made, TOKENIZER, [20, 100]) == {20: (0.5, 0.5), 100: (1.0, 1.0)}
    assert retention(challenge(text, " three four"), TOKENIZER, [30])[30] == pytest.approx((6 / 11, 0.0))
    assert retention(challenge(text, "six"), TOKENIZER, [5, 50, 60]) == {5: (0, 0), 50: (0, 1), 60: (1, 1)}
    assert retention(challenge(text), TOKENIZER, [50]) == {50: (0.0, 0.0)}


def test_retention_counts_whole_characters_beyond_ascii():
    text = "Ångström überquerte 東京都 schließlich 🚢🚢🚢 den Fluß"
    made = challenge(text, text)
    ends = np.cumsum(TOKENIZER.token_bytes(text))
    for level, (head, tail) in retention(made, TOKENIZER, range(1, 101)).items():
        budget = made.n_tokens * level // 100
        first = text.encode()[: ends[budget - 1] if budget else 0].decode(errors="ignore")
        last = text.encode()[ends[-budget - 1] if budget < len(ends) else 0 :].decode(errors="ignore")
        assert (head, tail) == (len(first) / len(text), len(last) / len(text))


def test_noise_is_counted_by_its_characters():
    stats = describe([challenge("abcdefghij", "ab", noise=(Span(5, 10),)), challenge("abcdefghij", "ab")], TOKENIZER)
    assert (stats.noise_share, stats.without_noise, stats.questions) == (0.25, 0.5, 2)
    assert stats.kinds == {"what": 2}


def test_no_challenges_have_figures_of_nothing():
    stats = describe([], TOKENIZER)
    assert (stats.challenges, stats.questions, stats.noise_share, stats.head[20]) == (0, 0, 0.0, 0.0)


def test_over_many_challenges_truncation_keeps_about_its_share_of_the_evidence():
    corpus = [article(f"a{i}", random.Random(i), 40) for i in range(8)]
    wanted = ChallengeSettings(min_tokens=250, max_tokens=450, noise=NoiseSettings(clean=0.2))
    builder = ChallengeBuilder(corpus, TOKENIZER, wanted, random.Random(3))
    stats = describe([builder.build() for _ in range(300)], TOKENIZER)
    for level in (20, 40, 60):
        assert stats.head[level] == pytest.approx(level / 100, abs=0.04)
        assert stats.tail[level] == pytest.approx(level / 100, abs=0.04)
    assert stats.evidence.distance < 0.05
    assert 0.15 < stats.noise_share < 0.4
    assert 0.15 < stats.without_noise < 0.35
