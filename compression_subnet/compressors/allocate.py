"""A multiple-choice knapsack: for each sentence none or one of its variants, so as to get the most for a budget.

Only variants on the upper convex hull of value over cost can be best for some price of a token; taking the steps
between them in order of value per token solves the linear relaxation, which is at most one step off the optimum
(Sinha and Zoltners 1979).
"""

from collections.abc import Sequence

from compression_subnet.compressors.variants import Addition, Variant

__all__ = ["steps_by_worth", "upper_hull"]


def upper_hull(variants: Sequence[Variant]) -> list[Variant]:
    """Return the variants on the upper convex hull from (0, 0), by rising cost and falling value per token."""
    hull: list[Variant] = []
    for variant in sorted(variants, key=lambda v: (v.cost, -v.value)):
        if variant.value <= (hull[-1].value if hull else 0.0):
            continue
        while hull and _slope(hull[-2] if len(hull) > 1 else None, hull[-1]) <= _slope(hull[-1], variant):
            hull.pop()
        hull.append(variant)
    return hull


def steps_by_worth(choices: Sequence[Sequence[Variant]]) -> list[Addition]:
    """Return the steps up the hulls of all sentences, those with the most value per token first.

    Steps of a sentence come in order, each adding words to the ones before. Ties go to the earlier sentence.
    """
    steps = []
    for sentence, variants in enumerate(choices):
        before: Variant | None = None
        for variant in upper_hull(variants):
            had = set(before.words) if before else set()
            words = tuple(place for place in variant.words if place not in had)
            cost = variant.cost - (before.cost if before else 0.0)
            steps.append((_slope(before, variant), Addition(sentence, words, cost, variant.value)))
            before = variant
    # Rounded, so that the last bits of a sum, which differ between machines, decide nothing; the sort is stable.
    steps.sort(key=lambda step: -round(step[0], 9))
    return [addition for _, addition in steps]


def _slope(before: Variant | None, after: Variant) -> float:
    cost, value = (before.cost, before.value) if before else (0.0, 0.0)
    return (after.value - value) / max(after.cost - cost, 1e-9)
