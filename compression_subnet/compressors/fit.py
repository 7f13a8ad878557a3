"""Filling a token budget exactly: additions are taken in order of worth, and what is returned has been counted.

Estimates only choose what to try. Every text that can be returned was counted by the budget's own counter, so no
counter, however odd, can make a reply too long; the number of counts is bounded.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import Document
from compression_subnet.compressors.render import Renderer

__all__ = ["Selection"]

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Counts that are spent on guesses by the estimate, which is good for byte-pair tokenizers, before bisection.
_GUESSES: Final = 4
# By how much the estimate of what comes next may be too high.
_DOUBT: Final = 1.0


class Selection:
    """Words of a document that are known to fit a budget, and grow.

    Attributes:
        kept: for each word whether it is kept.
        text: what they read as.
        tokens: tokens of ``text``, counted.
    """

    def __init__(self, document: Document, budget: TokenBudget, pairs: Ints | None = None):
        """Start with nothing.

        Args:
            document: the text.
            budget: the limit, and what counts.
            pairs: places of marks of which none is kept without the other, nor both around nothing.
        """
        self._renderer = Renderer(document)
        self._budget = budget
        self._pairs = np.zeros((0, 2), dtype=np.int64) if pairs is None else pairs
        self.kept = np.zeros(len(document.words), dtype=np.bool_)
        self.text = ""
        self.tokens = 0

    @property
    def left(self) -> int:
        """Tokens of the budget that are still free."""
        return self._budget.tokens - self.tokens

    def extend(self, additions: Ints, costs: Floats) -> int:
        """Keep the longest run of additions from the first on that is found to fit; return its length.

        Args:
            additions: for each word the addition that it belongs to, or any number from ``len(costs)`` on.
            costs: for each addition its tokens, estimated.
        """
        base = self.kept
        reached = np.concatenate(([0.0], np.cumsum(costs)))
        low, high = 0, len(costs)
        guess = self._affordable(reached, 0.0)
        tries = 0
        while low < high:
            middle = min(max(guess, low + 1), high)
            over = self._try(base | (additions < middle))
            if over <= 0:
                low = middle
                if low < high and costs[low] > self.left + _DOUBT:
                    break
            else:
                high = middle - 1
            tries += 1
            guess = self._affordable(reached, reached[middle] - over - self.left)
            if tries >= _GUESSES:
                guess = (low + high + 1) // 2
        return low

    def _affordable(self, reached: Floats, spent: float) -> int:
        """Return how many additions the estimate says the budget has room for, ``spent`` being what is used of it."""
        return int(np.searchsorted(reached, spent + self.left + 1e-6, side="right")) - 1

    def _try(self, kept: Bools) -> int:
        """Keep exactly ``kept`` if it fits; return by how many tokens it is over the budget."""
        self._balance(kept)
        text = self._renderer.render(kept)
        tokens = self._budget.counter.count(text)
        if tokens <= self._budget.tokens:
            self.kept, self.text, self.tokens = kept, text, tokens
        return tokens - self._budget.tokens

    def _balance(self, kept: Bools) -> None:
        """Take out of ``kept`` marks without their partners, and pairs around what is left out."""
        if len(self._pairs):
            first, last = self._pairs.T
            met = np.cumsum(kept)
            filled = (met[last - 1] > met[first]) | (last == first + 1)
            kept[self._pairs] = (kept[first] & kept[last] & filled)[:, None]
