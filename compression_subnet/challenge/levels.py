"""Giving each challenge of a round its one level."""

import random
from collections.abc import Sequence

from compression_subnet.errors import InputError
from compression_subnet.scoring.levels import LEVELS, level_weight

__all__ = ["assign_levels", "level_counts"]


def level_counts(n: int, levels: Sequence[int] = LEVELS) -> list[int]:
    """Return how many of ``n`` challenges each level gets, in proportion to its weight w(b) = 1/√b.

    By largest remainder (Hamilton's method); of equal remainders the earlier level's goes first.

    Raises:
        InputError: ``n`` is negative, or the levels are none, repeated or not per cents.
    """
    if n < 0:
        raise InputError(f"{n} challenges cannot be given levels; give a count of 0 or more")
    if not levels or len(set(levels)) < len(levels):
        raise InputError(f"the levels {list(levels)} are none or repeated; give each once")
    weights = [level_weight(level) for level in levels]
    quotas = [n * weight / sum(weights) for weight in weights]
    counts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(levels)), key=lambda i: counts[i] - quotas[i])
    for i in by_remainder[: n - sum(counts)]:
        counts[i] += 1
    return counts


def assign_levels(n: int, rng: random.Random, levels: Sequence[int] = LEVELS) -> list[int]:
    """Return a level for each of ``n`` challenges: ``level_counts`` of each, in an order drawn by ``rng``.

    Raises:
        InputError: as ``level_counts``.
    """
    assigned = [level for level, count in zip(levels, level_counts(n, levels), strict=True) for _ in range(count)]
    rng.shuffle(assigned)
    return assigned
