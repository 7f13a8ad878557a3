"""Who is asked which challenge of a round: all of it where there is room, else by coverage and not chance alone. Pure.

Fewer challenges for everybody pair better than more challenges for some each: every reply to a challenge is compared on
the same text. So all are asked everything unless the operator bounds how many may be asked one challenge.
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from compression_subnet.scoring import LEVELS, Average

__all__ = ["HOPELESS_ERRORS", "Coverage", "common_challenges", "is_hopeless", "plan"]

HOPELESS_ERRORS: Final = 3.0
"""Standard errors under the baseline beyond which a hotkey may be asked less; MECHANISM 8."""
_LESS: Final = 4
"""Such a hotkey is asked one challenge of this many."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many are asked.

    Attributes:
        miners_per_challenge: most hotkeys that are asked one challenge; None is all. More are where otherwise one
            would not be asked at all at some level.
        quarter_hopeless: whether hotkeys far under the baseline are asked a quarter of what others are.
        min_challenges: scored challenges a level before a hotkey can be far under it.
    """

    miners_per_challenge: int | None = None
    quarter_hopeless: bool = False
    min_challenges: int = 40


def plan(
    levels: Sequence[int],
    hotkeys: Sequence[str],
    averages: Mapping[str, Average],
    rng: random.Random,
    coverage: Coverage,
) -> list[frozenset[str]]:
    """Return the hotkeys that are asked, for each challenge in the order of ``levels``.

    At each level every hotkey is asked as often as every other, within one, over the whole round and over any part of
    it from the beginning: a round that is cut short has still asked evenly. Hotkeys of which least is known at a level
    come first there, so new ones before all. Passes are shuffled anew, so that any two share about as many challenges
    as any other two.

    Args:
        levels: of the round's challenges, in the order in which they are begun.
        hotkeys: of all miners, each once, serving or not: one that goes dark misses what it would have been asked.
        averages: what is known of them.
        rng: secret; decides who is asked what.
        coverage: how many are asked.
    """
    asked: list[frozenset[str]] = [frozenset()] * len(levels)
    if not hotkeys:
        return asked
    hopeless = {h for h in hotkeys if coverage.quarter_hopeless and h in averages and _judged(averages[h], coverage)}
    full = [h for h in hotkeys if h not in hopeless] or list(hotkeys)
    less = [h for h in hotkeys if h in hopeless] if len(full) < len(hotkeys) else []
    for level in LEVELS:
        places = [i for i, at in enumerate(levels) if at == level]
        if not places:
            continue
        seats, times = _seats(len(places), len(full), len(less), coverage.miners_per_challenge)
        many = _deal([seats] * len(places), full, level, averages, rng)
        few = _deal(_even(times * len(less), len(places)), less, level, averages, rng)
        for place, one, other in zip(places, many, few, strict=True):
            asked[place] = one | other
    return asked


def is_hopeless(average: Average) -> bool:
    """Return whether a hotkey's margin is more than ``HOPELESS_ERRORS`` of its standard errors under the baseline."""
    standing = average.standing()
    return math.isfinite(standing.margin_stderr) and standing.margin < -HOPELESS_ERRORS * standing.margin_stderr


def common_challenges(levels: Sequence[int], asked: Sequence[frozenset[str]], hotkeys: int) -> float:
    """Return how many challenges two of ``hotkeys`` share on average at the lowest level, where copies are looked for.

    Of a round that asks fewer than ``scoring.copies.MIN_COMMON``, copies go unseen.
    """
    pairs = sum(len(who) * (len(who) - 1) for level, who in zip(levels, asked, strict=True) if level == min(LEVELS))
    return pairs / (hotkeys * (hotkeys - 1)) if hotkeys > 1 else float(levels.count(min(LEVELS)))


def _judged(average: Average, coverage: Coverage) -> bool:
    return average.standing().challenges >= coverage.min_challenges and is_hopeless(average)


def _seats(count: int, full: int, less: int, most: int | None) -> tuple[int, int]:
    """Return how many of ``full`` hotkeys each of ``count`` challenges asks, and how often each of ``less`` is asked.

    The most for which both fit into a challenge's bound, but enough that everybody is asked once.
    """
    least = math.ceil(full / count)
    for seats in range(full if most is None else min(full, most), least, -1):
        times = max(1, math.ceil(count * seats / full / _LESS))
        if most is None or seats + math.ceil(times * less / count) <= most:
            return seats, times
    return least, max(1, math.ceil(count * least / full / _LESS))


def _even(total: int, count: int) -> list[int]:
    """Return ``count`` integers that sum to ``total`` and differ by one at most, the larger ones spread evenly."""
    return [total * (i + 1) // count - total * i // count for i in range(count)]


def _deal(
    sizes: Sequence[int], hotkeys: Sequence[str], level: int, averages: Mapping[str, Average], rng: random.Random
) -> Iterator[frozenset[str]]:
    """Yield for each size so many distinct hotkeys: pass after pass over all, each in an order of its own."""
    waiting = sorted(rng.sample(hotkeys, len(hotkeys)), key=lambda hotkey: _known(averages.get(hotkey), level))
    for size in sizes:
        taken = waiting[:size]
        waiting = waiting[size:]
        if len(taken) < size:
            # The next pass begins within this challenge, with those whom it does not have yet.
            fresh = rng.sample(hotkeys, len(hotkeys))
            already = set(taken)
            first = [hotkey for hotkey in fresh if hotkey not in already][: size - len(taken)]
            taken += first
            begun = set(first)
            waiting = [hotkey for hotkey in fresh if hotkey not in begun]
        yield frozenset(taken)


def _known(average: Average | None, level: int) -> float:
    """Return how many challenges an average rests on at a level, old ones counting less; 0 for a new hotkey."""
    if average is None or level not in average.scores:
        return 0.0
    return average.scores[level].den
