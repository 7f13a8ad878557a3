"""Choosing questions whose evidence is spread evenly over a text."""

import random
from collections.abc import Sequence

from compression_subnet.challenge.types import Question

__all__ = ["choose_spread", "spread_questions"]


def spread_questions(questions: Sequence[Question], n: int, length: int, seed: int) -> tuple[Question, ...]:
    """Return at most ``n`` questions in the order of their evidence, spread over a text of ``length`` characters.

    The choice depends on the seed, so that no stretch of a text is known to be asked about.
    """
    positions = [(q.evidence.start + q.evidence.end) / 2 / max(1, length) for q in questions]
    # A name of its own, so that this choice and that of the noise share no random numbers.
    chosen = choose_spread(positions, n, random.Random(f"{seed}:questions"))
    return tuple(questions[i] for i in chosen)


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
