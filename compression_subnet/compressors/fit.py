"""Filling a token budget exactly: additions are taken in order of worth, and what is returned has been counted.

Estimates only choose what to try. Every text that can be returned was counted by the budget's own counter, so no
counter, however odd, can make a reply too long; the number of counts is bounded.
"""

from collections.abc import Sequence
from typing import Final

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import Document
from compression_subnet.compressors.render import render
from compression_subnet.compressors.variants import Addition

__all__ = ["Selection"]

# Additions that turn out not to fit, before a stage gives up.
_MISSES: Final = 16


class Selection:
    """Words of a document that are known to fit a budget, and grow."""

    def __init__(self, document: Document, budget: TokenBudget):
        self._document = document
        self._budget = budget
        self._kept: frozenset[int] = frozenset()
        self.text = ""
        self.tokens = 0

    @property
    def words(self) -> frozenset[int]:
        """Places of the words that are kept."""
        return self._kept

    @property
    def left(self) -> int:
        """Tokens of the budget that are still free."""
        return self._budget.tokens - self.tokens

    def extend(self, additions: Sequence[Addition]) -> None:
        """Take as many ``additions`` as fit: the longest run from the start, then single ones in order.

        An addition that does not fit bars the later ones of its sentence. Makes about log2 of their number
        counts, one more for each single one that is taken, and sixteen for those that are not.
        """
        taken = self._extend_by_run(additions)
        barred: set[int] = set()
        misses = 0
        for addition in additions[taken:]:
            if misses == _MISSES or self.left < 1:
                return
            if addition.sentence in barred:
                continue
            # The estimate may be a token high, and a joint may merge.
            if addition.cost > self.left + 1.0 or not self._try(self._kept.union(addition.words)):
                barred.add(addition.sentence)
                misses += addition.cost <= self.left + 1.0

    def _extend_by_run(self, additions: Sequence[Addition]) -> int:
        """Take the longest run of ``additions`` from the start that fits, by bisection; return its length."""
        base = self._kept
        low, high = 0, len(additions)
        # The first guess is the estimate's, so that the search is short where the estimate is good.
        guess, cost = 0, 0.0
        while guess < high and cost + additions[guess].cost <= self.left:
            cost += additions[guess].cost
            guess += 1
        step = 1
        while low < high:
            middle = min(max(guess, low + 1), high)
            if self._try(base.union(*(addition.words for addition in additions[:middle]))):
                low, guess = middle, middle + step
            else:
                high, guess = middle - 1, middle - step
            step *= 2
            if guess <= low or guess > high:
                guess = (low + high + 1) // 2
        return low

    def _try(self, kept: frozenset[int]) -> bool:
        """Keep exactly ``kept`` if it fits."""
        text = render(self._document, kept)
        tokens = self._budget.counter.count(text)
        if tokens > self._budget.tokens:
            return False
        self._kept, self.text, self.tokens = kept, text, tokens
        return True
