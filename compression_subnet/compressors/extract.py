"""Extraction by rank: parts of a text are kept, the best first, until the budget is full."""

from collections.abc import Callable, Sequence

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.compressors.costs import word_costs
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.fit import Selection
from compression_subnet.compressors.variants import Addition

__all__ = ["Part", "extract"]

Part = tuple[int, int]
"""A half-open range of a document's words."""


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
    costs = word_costs(document, budget.counter)
    selection = Selection(document, budget)
    selection.extend(
        [
            Addition(number, tuple(range(first, last)), float(costs[first:last].sum()), 0.0)
            for number, (first, last) in enumerate(rank(document))
        ]
    )
    return selection.text or head_truncation(text, budget)
