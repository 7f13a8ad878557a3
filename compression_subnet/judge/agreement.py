"""How far two judges agree: question by question, and in how they rank miners. Pure."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from compression_subnet.scoring import aggregate, normalise, token_f1

__all__ = ["QuestionAgreement", "RankAgreement", "kendall_tau_b", "question_agreement", "rank_agreement"]

RIGHT: Final = Fraction(1, 2)
"""From this F1 on an answer is called right."""
CONFIDENCE: Final = 0.95

Key = tuple[str, int]
"""A challenge and a level."""


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """Two judges' answers to the same questions about the same texts; shares are from 0 to 1.

    Attributes:
        questions: answered by both.
        same: share of answers that are the same after normalisation.
        overlap: mean token F1 between the two answers.
        mean_a: mean F1 of A's answers against gold.
        mean_b: of B's.
        both: share that both get right (F1 of at least one half),
        only_a: A alone,
        only_b: B alone,
        neither: and neither.
        kappa: Cohen's, over right and wrong; None where chance alone would make them agree wholly.
    """

    questions: int
    same: float
    overlap: float
    mean_a: float
    mean_b: float
    both: float
    only_a: float
    only_b: float
    neither: float
    kappa: float | None


@dataclass(frozen=True, slots=True)
class RankAgreement:
    """Two judges' rankings of the same miners.

    Attributes:
        scores: each miner's weighted score under A and under B.
        tau: Kendall's τ-b; None with fewer than two miners, or where one judge ties them all.
        low: lower end of its 95 % interval, by bootstrap over challenges; None where ``tau`` is.
        high: upper end.
        resamples: how many of the bootstrap's samples had a τ.
    """

    scores: Mapping[str, tuple[float, float]]
    tau: float | None
    low: float | None
    high: float | None
    resamples: int


def question_agreement(
    answers: Sequence[tuple[str, str]], f1s: Sequence[tuple[Fraction, Fraction]]
) -> QuestionAgreement:
    """Return the agreement over questions.

    Args:
        answers: A's and B's answer to each; empty where there is none.
        f1s: their F1 against gold, in the same order.
    """
    n = len(answers)
    if n == 0:
        return QuestionAgreement(0, 0, 0, 0, 0, 0, 0, 0, 0, None)
    right = [(a >= RIGHT, b >= RIGHT) for a, b in f1s]
    both, only_a = right.count((True, True)) / n, right.count((True, False)) / n
    only_b, neither = right.count((False, True)) / n, right.count((False, False)) / n
    by_chance = (both + only_a) * (both + only_b) + (neither + only_a) * (neither + only_b)
    return QuestionAgreement(
        questions=n,
        same=sum(normalise(a) == normalise(b) for a, b in answers) / n,
        overlap=float(sum((_overlap(a, b) for a, b in answers), Fraction(0)) / n),
        mean_a=float(sum((a for a, _ in f1s), Fraction(0)) / n),
        mean_b=float(sum((b for _, b in f1s), Fraction(0)) / n),
        both=both,
        only_a=only_a,
        only_b=only_b,
        neither=neither,
        kappa=(both + neither - by_chance) / (1 - by_chance) if by_chance < 1 else None,
    )


def rank_agreement(
    scores: Mapping[str, Mapping[Key, tuple[Fraction, Fraction]]], *, resamples: int = 1000, seed: int = 0
) -> RankAgreement:
    """Return how far two judges rank miners alike.

    Args:
        scores: by miner, its F under A and under B for each challenge and level that both settled.
        resamples: of the bootstrap, over challenges.
        seed: of the bootstrap.
    """
    miners = sorted(scores)
    challenges = sorted({challenge for of_miner in scores.values() for challenge, _ in of_miner})
    whole = dict.fromkeys(challenges, 1)
    point = {miner: _weighted(scores[miner], whole) for miner in miners}
    tau = kendall_tau_b([a for a, _ in point.values()], [b for _, b in point.values()])
    if tau is None:
        return RankAgreement(point, None, None, None, 0)
    rng = random.Random(seed)
    taus = []
    for _ in range(resamples):
        drawn: dict[str, int] = {}
        for challenge in rng.choices(challenges, k=len(challenges)):
            drawn[challenge] = drawn.get(challenge, 0) + 1
        pairs = [_weighted(scores[miner], drawn) for miner in miners]
        if (found := kendall_tau_b([a for a, _ in pairs], [b for _, b in pairs])) is not None:
            taus.append(found)
    taus.sort()
    if not taus:
        return RankAgreement(point, tau, None, None, 0)
    tail = (1 - CONFIDENCE) / 2
    low, high = taus[int(tail * len(taus))], taus[min(len(taus) - 1, math.ceil((1 - tail) * len(taus)) - 1)]
    return RankAgreement(point, tau, low, high, len(taus))


def kendall_tau_b(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return Kendall's τ-b of two rankings of the same things (Kendall 1945); None where one has nothing but ties.

    Raises:
        ValueError: the sequences differ in length.
    """
    if len(a) != len(b):
        raise ValueError(f"{len(a)} values against {len(b)}")
    agreed = untied_a = untied_b = 0
    for i in range(len(a)):
        for j in range(i):
            left, right = _sign(a[i] - a[j]), _sign(b[i] - b[j])
            agreed += left * right
            untied_a += left != 0
            untied_b += right != 0
    return agreed / math.sqrt(untied_a * untied_b) if untied_a and untied_b else None


def _weighted(scores: Mapping[Key, tuple[Fraction, Fraction]], times: Mapping[str, int]) -> tuple[float, float]:
    """Return the weighted score under A and under B, each challenge counted so many times."""
    levels: dict[int, tuple[float, float, int]] = {}
    for (challenge, level), (a, b) in scores.items():
        if n := times.get(challenge, 0):
            sum_a, sum_b, count = levels.get(level, (0.0, 0.0, 0))
            levels[level] = (sum_a + n * float(a), sum_b + n * float(b), count + n)
    # Sums of floats may end a little over the whole.
    under_a = {level: min(1.0, a / count) for level, (a, _, count) in levels.items()}
    under_b = {level: min(1.0, b / count) for level, (_, b, count) in levels.items()}
    return aggregate(under_a), aggregate(under_b)


def _overlap(a: str, b: str) -> Fraction:
    if not normalise(a) and not normalise(b):
        return Fraction(1)
    return token_f1(a, [b])


def _sign(x: float) -> int:
    return (x > 1e-12) - (x < -1e-12)
