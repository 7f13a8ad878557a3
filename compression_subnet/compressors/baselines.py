"""Compressors that know nothing: what a real one must beat."""

import hashlib
import random
from collections.abc import Sequence

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.words import split_words

__all__ = ["HeadTruncation", "RandomSentences", "head_truncation"]

# A longer prefix can have fewer tokens, where its last word merges; this many more words are looked at.
_AHEAD = 3


def head_truncation(text: str, budget: TokenBudget) -> str:
    """Return the longest prefix of ``text`` that fits ``budget``, without white space at its ends.

    It ends where a word does; within the first word, if not even that one fits. Found by bisection over exact
    counts, about log2 of the number of words; whatever the counter, the result fits (the empty string at worst).
    """
    # A validator strips replies before it counts; a first word can cost more without the space before it.
    text = text.strip()
    if budget.tokens < 1 or not text:
        return ""
    if budget.fits(text):
        return text
    ends = [start + len(text[start:stop].rstrip()) for start, stop in split_words(text)]
    prefix = _longest(text, ends, budget)
    # Not even one word: a text without spaces, or one long identifier.
    return prefix or _longest(text, [end for end in range(1, ends[0] + 1) if not text[end - 1].isspace()], budget)


def _longest(text: str, ends: Sequence[int], budget: TokenBudget) -> str:
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        if budget.fits(text[: ends[middle - 1]]):
            low = middle
        else:
            high = middle - 1
    best = text[: ends[low - 1]] if low else ""
    for end in ends[low : low + _AHEAD]:
        if budget.fits(text[:end]):
            best = text[:end]
    return best


class HeadTruncation:
    """Keeps the start of the text and nothing else: the mechanism's naive baseline."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the longest prefix of ``text`` that fits."""
        return head_truncation(text, budget)


class RandomSentences:
    """Keeps random sentences in their order, as many as fit; the same text always gives the same ones."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return random sentences of ``text`` within ``budget``."""
        if budget.tokens < 1:
            return ""
        spans = split_sentences(text)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        order = random.Random(digest).sample(range(len(spans)), len(spans))
        # The longest run of the drawn order that fits; ``low`` sentences are known to.
        low, high = 0, len(order)
        best = ""
        while low < high:
            middle = (low + high + 1) // 2
            candidate = "".join(text[slice(*spans[i])] for i in sorted(order[:middle])).strip()
            if budget.fits(candidate):
                low, best = middle, candidate
            else:
                high = middle - 1
        return best
