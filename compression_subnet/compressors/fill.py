"""What to keep by estimate: steps of the knapsack, then phrases and single words where room is left."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.allocate import Steps
from compression_subnet.compressors.document import Document, Kind, Look
from compression_subnet.compressors.phrases import Phrases
from compression_subnet.compressors.variants import Parts
from compression_subnet.compressors.vectors import sums

__all__ = ["Draft", "add_phrases", "add_steps", "add_words"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_DECIMALS: Final = 9
# The number of no addition.
_NONE: Final = np.iinfo(np.int64).max


class Draft:
    """Additions that are meant to fit, by estimate, into some room; ``Selection.extend`` says what does.

    Attributes:
        additions: for each word its addition, a very large number for those without.
        items: the item that each addition is, by the numbers that ``take`` was given.
        costs: tokens of each addition, estimated.
        kept: which words are kept or in the draft.
        room: tokens that are free by the estimate.
    """

    def __init__(self, kept: Bools, room: float):
        self.additions = np.full(len(kept), _NONE)
        self.items: list[int] = []
        self.costs: list[float] = []
        self.kept = kept.copy()
        self.room = room

    def take(self, of: Ints, order: Sequence[int], costs: Sequence[float], groups: Sequence[int] | None = None) -> None:
        """Take those items that fit, in order.

        Args:
            of: for each word its item, -1 for none.
            order: the items, those to take first in front.
            costs: for each item of ``order`` its tokens.
            groups: for each item of ``order`` its group: once one does not fit, no later one of its group is taken.
        """
        item = np.full(max(order, default=-1) + 2, _NONE)
        barred: set[int] = set()
        first = len(self.items)
        # All up to the first that does not fit, at once.
        fitting = int(np.searchsorted(np.cumsum(costs), self.room, side="right")) if len(costs) else 0
        self.items += order[:fitting]
        self.costs += costs[:fitting]
        room = self.room - sum(costs[:fitting])
        least = min(costs[fitting:], default=0.0)
        for position in range(fitting, len(costs)):
            if room < least:
                break
            if groups is not None and groups[position] in barred:
                continue
            if costs[position] <= room:
                room -= costs[position]
                self.items.append(order[position])
                self.costs.append(costs[position])
            elif groups is not None:
                barred.add(groups[position])
        self.room = room
        item[self.items[first:]] = np.arange(first, len(self.items))
        known = np.where((of >= 0) & (of < len(item) - 1), of, len(item) - 1)
        fresh = item[known]
        new = (fresh != _NONE) & ~self.kept
        self.additions[new] = fresh[new]
        self.kept |= new


def add_steps(draft: Draft, steps: Steps) -> None:
    """Add steps of the knapsack; one that does not fit bars the later ones of its sentence."""
    missing = np.bincount(steps.of_words[~draft.kept], minlength=len(steps.costs))[: len(steps.costs)] > 0
    order = np.flatnonzero(missing)
    draft.take(steps.of_words, order.tolist(), steps.costs[order].tolist(), steps.sentences[order].tolist())


def add_phrases(draft: Draft, parts: Parts, costs: Floats) -> None:
    """Add phrases of which nothing is kept, those with the most worth per token first.

    Args:
        draft: what is added to.
        parts: the parts of the sentences.
        costs: tokens of each word.
    """
    mine = parts.of >= 0
    touched = np.bincount(parts.of[mine & draft.kept], minlength=len(parts.costs)) > 0
    part_costs = sums(parts.of[mine], costs[mine], len(parts.costs))
    free = np.flatnonzero(~touched & ~parts.fillers & (part_costs <= draft.room))
    order = free[_by_density(parts.values[free], parts.costs[free])]
    draft.take(parts.of, order.tolist(), part_costs[order].tolist())


def add_words(
    draft: Draft, document: Document, phrases: Phrases, values: Floats, costs: Floats, *, cheapest: bool = False
) -> None:
    """Add single words: first what helps to read, then any others, most worth per token (or cheapest) first.

    Fillers before kept words and marks after them help. Words of a phrase with a negation are left out, since any of
    them alone could say the opposite; so are brackets and quotation marks. A number comes with its unit.
    """
    kept, kinds = draft.kept, document.kinds
    negated = np.bincount(phrases.of[kinds == Kind.NEGATION], minlength=len(phrases.starts)) > 0
    free = ~kept & ~negated[phrases.of] & ~document.has(Look.PAIRED)
    before, after = np.zeros_like(kept), np.zeros_like(kept)
    before[:-1], after[1:] = kept[1:], kept[:-1]
    helps = free & np.where(kinds == Kind.FILLER, before, document.has(Look.STOP) & after)
    # Each word leads its item, but for a unit after its number.
    leader = np.arange(len(kept))
    unit = np.flatnonzero(document.has(Look.UNIT)[1:] & (kinds[:-1] == Kind.NUMBER)) + 1
    leader[unit] = unit - 1
    for place in unit.tolist():  # "5 million people"
        leader[place] = leader[leader[place]]
    split = np.bincount(leader[~free], minlength=len(kept)) > 0
    # One that shares its token with its neighbour costs one without it.
    item_costs = sums(leader, np.maximum(costs, 1.0), len(kept))
    item_values = sums(leader, values, len(kept))
    others = np.flatnonzero(free & (leader == np.arange(len(kept))) & ~helps & ~split & (item_costs <= draft.room))
    weights = np.ones(len(others)) if cheapest else item_values[others]
    others = others[_by_density(weights, item_costs[others])]
    order = np.concatenate((np.flatnonzero(helps), others))
    draft.take(leader, order.tolist(), item_costs[order].tolist())


def _by_density(values: Floats, costs: Floats) -> Ints:
    """Return the order by worth per token, highest first; rounded, so that last bits decide nothing, and stable."""
    return np.argsort(-np.round(values / np.maximum(costs, 1e-9), _DECIMALS), kind="stable")
