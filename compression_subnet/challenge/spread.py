"""Choosing questions whose evidence is spread evenly over a text."""

import random
from collections.abc import Sequence

from compression_subnet.challenge.types import Question

__all__ = ["balance_kinds", "choose_spread", "spread_questions"]

# As many times the wanted questions are left to choose from: fewer would spread worse, more would be less balanced.
_CHOICE = 2


def spread_questions(questions: Sequence[Question], n: int, length: int, seed: int) -> tuple[Question, ...]:
    """Return at most ``n`` questions in the order of their evidence, spread over a text of ``length`` characters.

    The choice depends on the seed, so that no stretch of a text is known to be asked about. Kinds of question that
    there are many of are thinned out first, so that none is rarely asked about.
    """
    # A name of its own, so that this choice and that of the noise share no random numbers.
    rng = random.Random(f"{seed}:questions")
    balanced = balance_kinds(questions, _CHOICE * n, rng)
    positions = [(q.evidence.start + q.evidence.end) / 2 / max(1, length) for q in balanced]
    return tuple(balanced[i] for i in choose_spread(positions, n, rng))


def balance_kinds(questions: Sequence[Question], n: int, rng: random.Random) -> list[Question]:
    """Return at most ``n`` of the questions, in their order: one after another of the commonest kind is left out."""
    left: dict[str, list[int]] = {}
    for index, question in enumerate(questions):
        left.setdefault(question.kind, []).append(index)
    for _ in range(len(questions) - n):
        # Of kinds that are equally common, the one that was met last.
        commonest = max(reversed(left.values()), key=len)
        commonest.pop(rng.randrange(len(commonest)))
    return [questions[i] for i in sorted(i for indices in left.values() for i in indices)]


def choose_spread(positions: Sequence[float], n: int, rng: random.Random) -> list[int]:
    """Return the indices of at most ``n`` positions in [0, 1], in ascending order of position.

    Systematic sampling: targets ``(k + u) / n`` with one random u, and the assignment of positions to targets that
    has the least total distance (by dynamic programming over both in order). Each stretch of the text is so equally
    likely to be asked about wherever there are positions.
    """
    # Ties in position are broken at random, so that the order of a file does not decide.
    order = sorted(range(len(positions)), key=lambda i: (positions[i], rng.random()))
    if len(order) <= n:
        return order
    offset = rng.random()
    # rows[i]: least distance of the targets so far to distinct ones of the first i positions, and those chosen.
    rows: list[tuple[float, tuple[int, ...]]] = [(0.0, ())] * (len(order) + 1)
    for k in range(n):
        target = (k + offset) / n
        following: list[tuple[float, tuple[int, ...]]] = [(float("inf"), ())]
        for i, index in enumerate(order, start=1):
            distance, chosen = rows[i - 1]
            following.append(min(following[-1], (distance + abs(positions[index] - target), (*chosen, index))))
        rows = following
    return list(rows[-1][1])
