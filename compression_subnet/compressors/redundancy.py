"""Sentences that say again what one before them said."""

from collections import Counter, defaultdict
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.vectors import SentenceVectors

__all__ = ["novelty"]

# A sentence of which at least this share of terms stands in one earlier sentence starts to lose worth; at all of
# them only the last part is left (a copy may still differ in the words that are no terms).
_START: Final = 0.7
_COPY: Final = 0.1
# Earlier sentences that are compared for each term, the nearest ones: keeps the work linear.
_COMPARED: Final = 8


def novelty(vectors: SentenceVectors) -> npt.NDArray[np.float64]:
    """Return for each sentence what it is worth beside the ones before it, from 0.1 (a copy) to 1."""
    seen_in: defaultdict[int, list[int]] = defaultdict(list)
    shared: Counter[int] = Counter()
    factors = np.ones(vectors.shape[0])
    rows, columns = vectors.rows.tolist(), vectors.columns.tolist()
    lengths = np.bincount(vectors.rows, minlength=vectors.shape[0])
    for entry, (row, column) in enumerate(zip(rows, columns, strict=True)):
        shared.update(seen_in[column][-_COMPARED:])
        if entry + 1 == len(rows) or rows[entry + 1] != row:
            most = max(shared.values(), default=0) / lengths[row]
            factors[row] -= (1.0 - _COPY) * max(most - _START, 0.0) / (1.0 - _START)
            shared.clear()
        seen_in[column].append(row)
    return factors
