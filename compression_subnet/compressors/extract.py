"""Extraction by rank: parts of a text are kept, the best first, until the budget is full."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.compressors.costs import word_costs
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.fill import Draft
from compression_subnet.compressors.fit import Selection
from compression_subnet.compressors.vectors import sums

__all__ = ["Part", "extract"]

Part = tuple[int, int]
"""A half-open range of a document's words."""

# Parts that turn out not to fit, before it is left at that.
_MISSES: Final = 16


def extract(text: str, budget: TokenBudget, rank: Callable[[Document], Sequence[Part]]) -> str:
    """Return the parts of ``text`` that ``rank`` puts first, in the text's order, as many as fit ``budget``.

    What is returned was counted; where not even one part fits, it is the start of the text, cut.

    Args:
        text: any text.
        budget: the limit, and what counts.
        rank: gives the parts of a document, the best first, not overlapping.
    """
    text = text.strip()
    if budget.tokens < 1 or not text:
        return ""
    if budget.fits(text):
        return text
    document = parse(text)
    costs = word_costs(document, budget.counter).words
    parts = rank(document)
    of = np.full(len(document.words), -1)
    for number, (first, last) in enumerate(parts):
        of[first:last] = number
    part_costs = sums(of[of >= 0], costs[of >= 0], len(parts))
    selection = Selection(document, budget)
    taken = selection.extend(np.where(of >= 0, of, len(parts)), part_costs)
    for _ in range(_MISSES):
        # The next one does not fit; of those after it, what fits by the estimate.
        draft = Draft(selection.kept, selection.left)
        draft.take(of, range(taken + 1, len(parts)), part_costs[taken + 1 :].tolist())
        more = selection.extend(draft.additions, np.array(draft.costs))
        if more == len(draft.costs):
            break
        taken = draft.items[more]
    return selection.text or head_truncation(text, budget)
