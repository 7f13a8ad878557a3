"""Whether challenges can be gamed by place or by share: figures over many of them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp, sqrt

import numpy as np

from compression_subnet.challenge.types import Challenge, Span
from compression_subnet.scoring.levels import LEVELS, budget_tokens
from compression_subnet.text.tokens import Tokenizer

__all__ = ["ChallengeStats", "Uniformity", "describe", "evidence_positions", "retention", "uniformity"]


@dataclass(frozen=True, slots=True)
class Uniformity:
    """A Kolmogorov-Smirnov test against the uniform distribution on [0, 1].

    Attributes:
        n: sample size.
        distance: largest distance of the distribution functions.
        p_value: asymptotic probability of at least this distance if the sample is uniform and independent.
    """

    n: int
    distance: float
    p_value: float


@dataclass(frozen=True, slots=True)
class ChallengeStats:
    """Figures over some challenges; shares are from 0 to 1.

    Attributes:
        challenges: how many there are.
        questions: how many they have together.
        tokens: mean tokens of the injected texts.
        noise_share: mean share of the characters that are noise.
        without_noise: share of the challenges that have none.
        evidence: uniformity of evidence positions.
        kinds: kind of question to how many there are, most first.
        head: level to the share of evidence that the first tokens of the budget hold.
        tail: level to the share of evidence that the last tokens of the budget hold.
    """

    challenges: int
    questions: int
    tokens: float
    noise_share: float
    without_noise: float
    evidence: Uniformity
    kinds: dict[str, int]
    head: dict[int, float]
    tail: dict[int, float]


def describe(challenges: Sequence[Challenge], tokenizer: Tokenizer, levels: Iterable[int] = LEVELS) -> ChallengeStats:
    """Return the figures; all are 0 where there are no challenges."""
    levels = tuple(levels)
    kept = [retention(c, tokenizer, levels) for c in challenges]
    questions = sum(len(c.questions) for c in challenges)

    def pooled(level: int, end: int) -> float:
        sums = (shares[level][end] * len(c.questions) for shares, c in zip(kept, challenges, strict=True))
        return sum(sums) / max(1, questions)

    n = max(1, len(challenges))
    return ChallengeStats(
        challenges=len(challenges),
        questions=questions,
        tokens=sum(c.n_tokens for c in challenges) / n,
        noise_share=sum(sum(s.end - s.start for s in c.noise) / max(1, len(c.text)) for c in challenges) / n,
        without_noise=sum(not c.noise for c in challenges) / n,
        evidence=uniformity([p for c in challenges for p in evidence_positions(c)]),
        kinds=dict(Counter(q.kind for c in challenges for q in c.questions).most_common()),
        head={level: pooled(level, 0) for level in levels},
        tail={level: pooled(level, 1) for level in levels},
    )


def evidence_positions(challenge: Challenge) -> list[float]:
    """Return the middle of each question's evidence, as a share of the text's characters."""
    return [(q.evidence.start + q.evidence.end) / 2 / len(challenge.text) for q in challenge.questions]


def uniformity(sample: Sequence[float]) -> Uniformity:
    """Return the Kolmogorov-Smirnov test of a sample in [0, 1] against the uniform distribution.

    The p-value is Kolmogorov's series with Stephens' correction for small samples (Stephens 1970).
    """
    n = len(sample)
    if n == 0:
        return Uniformity(0, 0.0, 1.0)
    x = np.sort(np.asarray(sample, dtype=np.float64))
    steps = np.arange(n + 1) / n
    distance = float(max(np.max(steps[1:] - x), np.max(x - steps[:-1])))
    t = (sqrt(n) + 0.12 + 0.11 / sqrt(n)) * distance
    # The alternating series is useless near 0, where the probability is 1 to twelve places.
    p_value = 1.0 if t < 0.2 else 2 * sum((-1) ** (k - 1) * exp(-2 * k * k * t * t) for k in range(1, 101))
    return Uniformity(n, distance, min(1.0, max(0.0, p_value)))


def retention(challenge: Challenge, tokenizer: Tokenizer, levels: Iterable[int]) -> dict[int, tuple[float, float]]:
    """Return, for each level, the mean share of evidence that the first, and that the last, tokens of its budget hold.

    A question's share is that of its evidence's characters within; without questions it is 0.
    """
    text, n_questions = challenge.text, max(1, len(challenge.questions))
    token_ends = np.cumsum([0, *tokenizer.token_bytes(text)])
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    # UTF-8 takes a byte more from each of these code points on.
    character_ends = np.cumsum([0, *(1 + (codes >= 0x80) + (codes >= 0x800) + (codes >= 0x10000))])
    kept = {}
    for level in levels:
        budget = budget_tokens(challenge.n_tokens, level)
        # A character that a cut goes through is kept by neither side.
        head = int(np.searchsorted(character_ends, token_ends[budget], side="right")) - 1
        tail = int(np.searchsorted(character_ends, token_ends[len(token_ends) - 1 - budget]))
        first = sum(_within(q.evidence, 0, head) for q in challenge.questions) / n_questions
        last = sum(_within(q.evidence, tail, len(text)) for q in challenge.questions) / n_questions
        kept[level] = first, last
    return kept


def _within(span: Span, start: int, end: int) -> float:
    return max(0, min(span.end, end) - max(span.start, start)) / (span.end - span.start)
