"""Sentences as sparse vectors of stemmed terms, and the few products that are wanted of them."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind

__all__ = ["SentenceVectors", "sums", "vectorise"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SentenceVectors:
    """A matrix with a row per sentence and a column per term, rows of length 1 (or 0), by its non-zero entries.

    Attributes:
        rows: row of each entry, ascending.
        columns: column of each entry.
        values: value of each entry.
        kinds: what a word of the entry's kind weighs, before its rarity does.
        shape: number of rows and of columns.
    """

    rows: Ints
    columns: Ints
    values: Floats
    kinds: Floats
    shape: tuple[int, int]

    def times(self, vector: Floats) -> Floats:
        """Return the matrix times ``vector`` (a value per term): a value per sentence."""
        return sums(self.rows, self.values * vector[self.columns], self.shape[0])

    def transposed_times(self, vector: Floats) -> Floats:
        """Return the transposed matrix times ``vector`` (a value per sentence): a value per term."""
        return sums(self.columns, self.values * vector[self.rows], self.shape[1])


def sums(groups: Ints, values: Floats, size: int) -> Floats:
    """Return the sum of ``values`` of each of ``size`` groups."""
    return np.bincount(groups, values, minlength=size).astype(np.float64, copy=False)


# What a term of each kind of word weighs before its rarity does: names tie a text together, common verbs do not.
_KIND_WEIGHT: Final = {Kind.FREQUENT: 0.5, Kind.CONTENT: 1.0, Kind.NAME: 1.4, Kind.NUMBER: 0.4}
_KIND_WEIGHTS: Final = np.array([_KIND_WEIGHT.get(kind, 0.0) for kind in Kind])
_DAMPING: Final = 0.25


def vectorise(document: Document) -> SentenceVectors:
    """Return a vector for each sentence: ``(1 + ln tf) * kind * idf ** 0.25``, scaled to length 1.

    The inverse document frequency is ``ln(1 + n / df)`` over the n sentences; damped, because within one text the
    terms that many sentences share are those of its topic. Only words that carry content count; a sentence
    without one has the zero vector.
    """
    sentences = len(document.borders) - 1
    places = np.flatnonzero(_KIND_WEIGHTS[document.kinds] > 0.0)
    distinct, columns = np.unique(document.terms[places], return_inverse=True)
    shape = (sentences, len(distinct))
    entry = document.sentence_of[places] * max(shape[1], 1) + columns
    # A term that is met as words of several kinds has the kind of the last.
    entries, last, counts = np.unique(entry[::-1], return_index=True, return_counts=True)
    row_of, column_of = np.divmod(entries, max(shape[1], 1))
    weights = _KIND_WEIGHTS[document.kinds[places][::-1][last]]
    frequency = np.bincount(column_of, minlength=shape[1])
    values = (1.0 + np.log(counts)) * weights
    values *= (np.log1p(shape[0] / np.maximum(frequency, 1)) ** _DAMPING)[column_of]
    norm = np.sqrt(sums(row_of, values**2, shape[0]))
    return SentenceVectors(row_of, column_of, values / np.maximum(norm, 1e-12)[row_of], weights, shape)
