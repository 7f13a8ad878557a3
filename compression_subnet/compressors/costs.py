"""What each word costs in tokens, estimated from one count per sentence."""

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind, Word
from compression_subnet.text.tokens import TokenCounter

__all__ = ["word_costs"]


def word_costs(document: Document, counter: TokenCounter) -> npt.NDArray[np.float64]:
    """Return the estimated tokens of each word, positive; those of a sentence add up to its exact count.

    Tokenizers merge across borders, so the sum for a selection is near its count, not equal: the renderer's
    caller counts what it returns.
    """
    costs = np.array([_shape_cost(word) for word in document.words], dtype=np.float64)
    for first, last in document.sentences:
        sentence = document.text[document.words[first].start : document.words[last - 1].end]
        share = costs[first:last]
        share *= max(counter.count(sentence), 1) / share.sum()
    return costs


def _shape_cost(word: Word) -> float:
    """Return the tokens that a word of this look usually takes in a byte-pair vocabulary, at least 1."""
    length = max(word.end - word.start, 1)
    if word.kind is Kind.NUMBER and word.lower.isascii():
        return 1.0 + (length - 1) / 3.0
    if word.kind is Kind.PUNCTUATION or word.kind < Kind.FREQUENT:
        return 1.0
    return 1.0 + max(length - 6, 0) / 5.0
