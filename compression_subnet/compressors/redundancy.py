"""Sentences that say again what one before them said."""

from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind

__all__ = ["novelty"]

# A sentence of which at least this share of terms stands in one earlier sentence starts to lose worth; at all of
# them only the last part is left (a copy may still differ in the words that are no terms).
_START: Final = 0.7
_COPY: Final = 0.1
# Earlier sentences that are compared for each term, the nearest ones: keeps the work linear.
_COMPARED: Final = 8
_ROW_BITS: Final = 31


def novelty(document: Document) -> npt.NDArray[np.float64]:
    """Return for each sentence what it is worth beside the ones before it, from 0.1 (a copy) to 1.

    Sentences are compared by the stems of their content words.
    """
    factors = np.ones(len(document.borders) - 1)
    content = document.kinds >= Kind.FREQUENT
    # Entries of a table of terms and sentences, sorted by both, each once.
    entries = np.sort(document.terms[content] << _ROW_BITS | document.sentence_of[content])
    entries = entries[_changes(entries)]
    terms, rows = entries >> _ROW_BITS, entries & ((1 << _ROW_BITS) - 1)
    lengths = np.bincount(rows, minlength=len(factors))
    known = np.bincount(rows[~_changes(terms)], minlength=len(factors))
    # Only where most terms were met at all can most have been met in one sentence.
    suspects = np.flatnonzero(known > _START * np.maximum(lengths, 1))
    if len(suspects):
        by_row = np.argsort(rows, kind="stable")
        borders = np.searchsorted(rows[by_row], np.arange(len(factors) + 1))
        for row in suspects.tolist():
            own = by_row[borders[row] : borders[row + 1]]
            # Sentences that had a term before stand before it in the table.
            before = (own - np.arange(1, _COMPARED + 1)[:, None]).clip(min=0)
            shared = np.bincount(rows[before[(terms[before] == terms[own]) & (rows[before] < row)]])
            most = shared.max(initial=0) / len(own)
            factors[row] -= (1.0 - _COPY) * max(most - _START, 0.0) / (1.0 - _START)
    return factors


def _changes(ordered: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which of ``ordered`` differ from the one before."""
    changes = np.ones(len(ordered), dtype=np.bool_)
    changes[1:] = ordered[1:] != ordered[:-1]
    return changes
