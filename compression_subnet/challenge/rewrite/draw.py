"""Drawing new numbers: same order of magnitude, same order among them, and the stated arithmetic kept."""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from compression_subnet.challenge.rewrite.relations import Relation, holds, result_of

__all__ = ["draw_counts", "draw_values"]

_TRIES: Final = 8
# A number becomes this much smaller or larger, at most.
_SPREAD: Final = (0.72, 1.38)


def draw_values(
    grains: Mapping[Decimal, Decimal],
    pinned: Iterable[Decimal],
    relations: Sequence[Relation],
    rng: random.Random,
) -> dict[Decimal, Decimal]:
    """Return what the numbers become; those that cannot change without breaking something are not among them.

    The result is strictly monotone together with the numbers that stay, so "more than" and "the largest" hold.

    Args:
        grains: each number and the unit of its last digit.
        pinned: numbers that stay.
        relations: what has to hold afterwards too.
        rng: source of the draws.
    """
    fixed = set(pinned)
    # A number that a ratio ties to itself stays.
    fixed |= {r.result for r in relations if r.operands == (r.result,)}
    while True:
        culprits: Counter[Decimal] = Counter()
        for _ in range(_TRIES):
            become, culprit = _attempt(grains, fixed, relations, rng)
            if become is not None:
                return {value: new for value, new in become.items() if new != value}
            culprits[culprit] += 1
        # What stands in the way most often stays, with all that it is reckoned from.
        culprit = max(culprits, key=lambda value: (culprits[value], value))
        before = len(fixed)
        fixed.add(culprit)
        for relation in relations:
            if culprit == relation.result:
                fixed.update(relation.operands)
        if len(fixed) == before:
            fixed |= set(grains)


def draw_counts(values: Iterable[Decimal], pinned: Iterable[Decimal], rng: random.Random) -> dict[Decimal, Decimal]:
    """Return what the counts of one thing become (2 to 12, in increasing order); those that stay are not among them."""
    fixed = set(pinned)
    ordered = sorted(set(values) | fixed)
    for _ in range(_TRIES):
        become: dict[Decimal, Decimal] = {}
        previous = Decimal(1)
        for value in ordered:
            if value in fixed:
                new = value
            else:
                low, high = (2, 9) if value < 10 else (10, 12)
                options = [n for n in range(low, high + 1) if n != value and n > previous and abs(n - value) <= 3]
                if not options:
                    break
                new = Decimal(rng.choice(options))
            if new <= previous and value not in fixed:
                break
            become[value] = previous = new
        if len(become) == len(ordered) and all(
            a < b for a, b in zip(become.values(), list(become.values())[1:], strict=False)
        ):
            return {value: new for value, new in become.items() if new != value}
    return {}


def _attempt(
    grains: Mapping[Decimal, Decimal], fixed: set[Decimal], relations: Sequence[Relation], rng: random.Random
) -> tuple[dict[Decimal, Decimal] | None, Decimal]:
    """Return new numbers and nothing, or None and the number at which the attempt failed."""
    derived = {r.result: r for r in reversed(relations) if r.result not in fixed and r.result not in r.operands}
    limits = _limits(grains, fixed)
    become: dict[Decimal, Decimal] = {}
    previous = Decimal(0)
    for value in sorted(grains):
        if value in fixed:
            new: Decimal | None = value
        elif value in derived:
            # Operands of a sum or product are smaller, and so drawn; those of a ratio below one are larger.
            relation = derived[value]
            if any(operand in grains and operand not in become for operand in relation.operands):
                return None, value
            new = result_of(relation, [become.get(operand, operand) for operand in relation.operands])
            if new.adjusted() != value.adjusted() or new % grains[value]:
                return None, value
        else:
            new = _jitter(value, grains[value], previous, limits[value], grains, rng)
        if new is None or new <= previous:
            return None, value
        become[value] = previous = new
    broken = next((relation for relation in relations if not holds(relation, become)), None)
    return (become, Decimal(0)) if broken is None else (None, broken.result)


def _limits(grains: Mapping[Decimal, Decimal], fixed: Collection[Decimal]) -> dict[Decimal, Decimal]:
    """Return what each number's new one must stay below, so that those above it have room."""
    limits: dict[Decimal, Decimal] = {}
    limit = Decimal("Infinity")
    for value in sorted(grains, reverse=True):
        limit = min(limit, Decimal(10).scaleb(value.adjusted()))
        limits[value] = limit
        limit = value if value in fixed else limit - grains[value]
    return limits


def _jitter(
    value: Decimal,
    grain: Decimal,
    previous: Decimal,
    limit: Decimal,
    taken: Collection[Decimal],
    rng: random.Random,
) -> Decimal | None:
    decade = Decimal(1).scaleb(value.adjusted())
    low = max(decade, previous + grain, grain)
    high = limit - grain
    drawn = value * Decimal(str(round(rng.uniform(*_SPREAD), 4)))
    steps = (drawn / grain).to_integral_value()
    lowest, highest = (low / grain).__ceil__(), (high / grain).__floor__()
    if value > 12 and decade == 10:
        lowest = max(lowest, (13 / grain).__ceil__())
    step = min(max(int(steps), lowest), highest)
    # The nearest step that is no number of the text: else an old answer would come back by chance.
    for distance in range(24):
        for candidate in (step + distance, step - distance):
            new = candidate * grain
            if lowest <= candidate <= highest and new not in taken and candidate % 10:
                return new
    return None
