"""A multiple-choice knapsack: for each sentence none or one of its variants, so as to get the most for a budget.

Only variants on the upper convex hull of value over cost can be best for some price of a token; taking the steps
between them in order of value per token solves the linear relaxation, which is at most one step off the optimum
(Sinha and Zoltners 1979).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document
from compression_subnet.compressors.variants import Parts
from compression_subnet.compressors.vectors import sums

__all__ = ["Steps", "steps_by_worth", "upper_hull"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_DECIMALS: Final = 9
_LEAST: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Steps up the hulls of all sentences, those with the most worth per token first.

    Attributes:
        of_words: for each word the step by which it is added; the number of steps where there is none.
        costs: for each step its tokens, estimated.
        sentences: for each step its sentence.
    """

    of_words: Ints
    costs: Floats
    sentences: Ints


def upper_hull(groups: Sequence[int], costs: Sequence[float], values: Sequence[float]) -> list[int]:
    """Return the points of each group on its upper convex hull from (0, 0), by rising cost.

    Args:
        groups: of each point its group, ascending.
        costs: of each point, positive and rising within a group.
        values: of each point.
    """
    hull: list[int] = []
    slopes: list[float] = []
    base = current = -1
    for point, (group, cost, value) in enumerate(zip(groups, costs, values, strict=True)):
        if group != current:
            current, base = group, len(hull)
        while True:
            if len(hull) > base:
                before = hull[-1]
                rise, run = value - values[before], cost - costs[before]
            else:
                rise, run = value, cost
            slope = rise / run if run > _LEAST else rise / _LEAST
            if len(hull) == base or slope < slopes[-1]:
                break
            hull.pop()
            slopes.pop()
        if rise > 0.0:
            hull.append(point)
            slopes.append(slope)
    return hull


def steps_by_worth(document: Document, parts: Parts, costs: Floats) -> Steps:
    """Return the steps up the hulls of the sentences' variants.

    Steps of a sentence come in order, each adding parts to the ones before. Ties go to the earlier sentence.

    Args:
        document: the text.
        parts: the parts of its sentences.
        costs: tokens of each of its words.
    """
    variants = parts.variants
    sentences, reached, values = (
        parts.sentences[variants],
        parts.reached_costs[variants],
        parts.reached_values[variants],
    )
    hull = variants[upper_hull(sentences.tolist(), reached.tolist(), values.tolist())]
    of_sentence = parts.sentences[hull]
    starts = np.ones(len(hull), dtype=np.bool_)
    starts[1:] = of_sentence[1:] != of_sentence[:-1]
    added = _differences(parts.reached_costs[hull], starts)
    slopes = _differences(parts.reached_values[hull], starts) / np.maximum(added, _LEAST)
    # Rounded, so that the last bits of a sum, which differ between machines, decide nothing; the sort is stable.
    order = np.argsort(-np.round(slopes, _DECIMALS), kind="stable")
    rank = np.empty(len(hull) + 1, dtype=np.int64)
    rank[order] = np.arange(len(hull))
    rank[-1] = len(hull)
    # A part is added by the first point of the hull that reaches it, if that is one of its own sentence.
    point = np.searchsorted(hull, np.arange(len(parts.sentences)))
    own = np.append(of_sentence, -1)[point] == parts.sentences
    of_part = np.where(own, rank[point], len(hull))
    # The mark that ends a sentence comes with its first step.
    first = np.full(len(document.borders) - 1, len(hull))
    first[of_sentence[starts]] = rank[:-1][starts]
    of_words = np.append(of_part, len(hull))[parts.of]
    ending = np.flatnonzero(parts.of < 0)
    of_words[ending] = first[document.sentence_of[ending]]
    return Steps(
        of_words=of_words,
        costs=sums(of_words, costs, len(hull))[: len(hull)],
        sentences=of_sentence[order],
    )


def _differences(amounts: Floats, starts: npt.NDArray[np.bool_]) -> Floats:
    """Return by how much each amount exceeds the one before it, or 0 where a group starts."""
    before = np.concatenate(([0.0], amounts[:-1]))
    before[starts] = 0.0
    result: Floats = amounts - before
    return result
