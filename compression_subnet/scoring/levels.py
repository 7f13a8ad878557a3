"""Levels: the target ratios, their budgets and their weights."""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from compression_subnet.errors import InputError

__all__ = ["LEVELS", "aggregate", "budget_tokens", "level_shares", "level_weight"]

LEVELS: Final = (20, 40, 60)
"""The target ratios of the subnet, in per cent of the text's tokens."""


def budget_tokens(n_tokens: int, level: int) -> int:
    """Return the budget in tokens of a text of ``n_tokens`` at ``level`` per cent: ``n_tokens * level // 100``.

    Raises:
        InputError: a negative count, or a level that is not an integer from 1 to 100.
    """
    if n_tokens < 0:
        raise InputError(f"a text cannot have {n_tokens} tokens")
    return n_tokens * _level(level) // 100


def level_weight(level: int) -> float:
    """Return w(b) = 1/√b, for b in per cent; only ratios between weights have a meaning.

    Raises:
        InputError: a level that is not an integer from 1 to 100.
    """
    return 1 / math.sqrt(_level(level))


def level_shares() -> dict[int, float]:
    """Return each level's share of the score: 0.4377, 0.3095 and 0.2527 for 20, 40 and 60 per cent."""
    total = math.fsum(level_weight(level) for level in LEVELS)
    return {level: level_weight(level) / total for level in LEVELS}


def aggregate(scores: Mapping[int, float | Fraction]) -> float:
    """Return Σ w(b)·S(b) / Σ w(b) over all of ``LEVELS``; a level that is missing counts 0.

    Args:
        scores: S(b) in [0, 1] by level.

    Raises:
        InputError: an unknown level, or a score that is not within [0, 1].
    """
    for level, score in scores.items():
        if level not in LEVELS:
            raise InputError(f"unknown level {level!r}; the levels are {', '.join(map(str, LEVELS))}")
        if not 0 <= score <= 1:  # NaN fails too
            raise InputError(f"S({level}) is {score}, which is not within [0, 1]")
    total = math.fsum(level_weight(level) for level in LEVELS)
    return math.fsum(level_weight(level) * float(score) for level, score in scores.items()) / total


def _level(level: int) -> int:
    if isinstance(level, bool) or not isinstance(level, int) or not 1 <= level <= 100:
        raise InputError(f"a level is an integer from 1 to 100, in per cent; got {level!r}")
    return level
