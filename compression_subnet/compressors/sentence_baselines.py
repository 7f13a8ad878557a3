"""Extractive baselines on whole sentences: by place, by centrality, by TF-IDF. No weights, nothing at random."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import Document, Kind
from compression_subnet.compressors.extract import Part, extract
from compression_subnet.compressors.stems import stem
from compression_subnet.compressors.vectors import SentenceVectors, sums, vectorise

__all__ = ["CentralSentences", "LeadAndTail", "TfIdfSentences"]

Floats = npt.NDArray[np.float64]

# TextRank's own (Mihalcea and Tarau 2004), which is PageRank's.
_DAMPING: Final = 0.85
_STEPS: Final = 30


class LeadAndTail:
    """Keeps the first and the last sentences in turn: what newspapers put there matters most."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the two ends of ``text`` within ``budget``."""
        return extract(text, budget, _from_both_ends)


class CentralSentences:
    """Keeps the sentences that are most like the others: TextRank, on cosines of weighted stemmed terms."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the most central sentences of ``text`` within ``budget``."""
        return extract(text, budget, lambda document: _best(document, text_rank(vectorise(document))))


class TfIdfSentences:
    """Keeps the sentences whose words have the highest mean TF-IDF, sentences standing for documents."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the sentences of ``text`` with the heaviest words within ``budget``."""
        return extract(text, budget, lambda document: _best(document, mean_tf_idf(document)))


def text_rank(vectors: SentenceVectors) -> Floats:
    """Return the stationary rank of each sentence in the graph whose edges are weighted by cosine similarity.

    The graph is never built: each step is two products with the sparse vectors.
    """
    n = vectors.shape[0]
    own = sums(vectors.rows, vectors.values**2, n)
    degree = vectors.times(vectors.transposed_times(np.ones(n))) - own
    linked = degree > 1e-12
    rank = np.full(n, 1.0 / n)
    for _ in range(_STEPS):
        sent = np.where(linked, rank / np.where(linked, degree, 1.0), 0.0)
        got = vectors.times(vectors.transposed_times(sent)) - own * sent
        # A sentence without a neighbour gives its rank to all.
        rank = (1.0 - _DAMPING) / n + _DAMPING * (got + rank[~linked].sum() / n)
    return rank


def mean_tf_idf(document: Document) -> Floats:
    """Return for each sentence the mean over its words of tf · ln(n / df), tf being the term's count in the text."""
    spoken = (document.kinds != Kind.PUNCTUATION).tolist()
    sentences = [
        [stem(word) for word in compress(document.words[first:last], spoken[first:last])]
        for first, last in document.sentences
    ]
    tf = Counter(term for sentence in sentences for term in sentence)
    df = Counter(term for sentence in sentences for term in set(sentence))
    weights = {term: tf[term] * math.log(len(sentences) / df[term]) for term in tf}
    return np.array([sum(map(weights.__getitem__, s)) / max(len(s), 1) for s in sentences], dtype=np.float64)


def _from_both_ends(document: Document) -> Sequence[Part]:
    n = len(document.sentences)
    order = [place for i in range((n + 1) // 2) for place in dict.fromkeys((i, n - 1 - i))]
    return [document.sentences[place] for place in order]


def _best(document: Document, scores: Floats) -> Sequence[Part]:
    """Return the sentences, the highest score first; rounded, so that the last bits of a sum decide nothing."""
    order = sorted(range(len(scores)), key=lambda i: -round(float(scores[i]), 9))
    return [document.sentences[i] for i in order]
