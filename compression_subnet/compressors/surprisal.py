"""Selective Context's idea without its language model: phrases that tell little are dropped.

Selective Context (Li et al. 2023) takes the self-information of each token from a causal language model and drops the
phrases with the least. Here the probabilities are those of a unigram model of the text itself, smoothed: a word that
the text repeats tells little, one that stands once tells most. It needs no weights, and is weaker for that.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import compress, pairwise

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import Document, Kind
from compression_subnet.compressors.extract import Part, extract
from compression_subnet.compressors.phrases import split_phrases

__all__ = ["SurprisingPhrases"]


class SurprisingPhrases:
    """Keeps the phrases whose words have the most self-information, on average, under the text's own frequencies."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the most surprising phrases of ``text`` within ``budget``."""
        return extract(text, budget, _by_self_information)


def _by_self_information(document: Document) -> Sequence[Part]:
    spoken = (document.kinds != Kind.PUNCTUATION).tolist()
    words = [word.casefold() for word in document.words]
    counts = Counter(compress(words, spoken))
    total = counts.total() + len(counts)

    def information(part: Part) -> float:
        found = list(compress(words[slice(*part)], spoken[slice(*part)]))
        # Add-one smoothing; in bits.
        return sum(-math.log2((counts[w] + 1) / total) for w in found) / max(len(found), 1)

    parts = list(pairwise([*split_phrases(document).starts.tolist(), len(words)]))
    return sorted(parts, key=lambda part: -round(information(part), 9))
