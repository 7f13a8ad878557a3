"""Signs that a sentence belongs to its text: each a robust z-score per sentence, higher for the text's own.

All are linear in the number of words. Sentences of one text share terms; foreign ones share few with the rest.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.vectors import SentenceVectors, sums

__all__ = ["centrality", "nearness", "robust_z", "shared_terms"]

Floats = npt.NDArray[np.float64]

_PASSES: Final = 3
_POWER_STEPS: Final = 12
# How fast the influence of a neighbour falls with its distance, in sentences.
_REACH: Final = 3.0
# The worth of a term's further occurrences, and of more terms in a longer sentence, as exponents and factors that
# separated noise best on SquadShifts.
_OCCURRENCE: Final = 0.5
_LENGTH_POWER: Final = 0.75


def robust_z(scores: Floats) -> Floats:
    """Return ``scores`` minus their median, over their median absolute deviation; clipped to [-4, 4]."""
    centred = scores - np.median(scores)
    # 1.4826 makes the deviation that of a normal distribution.
    spread = max(1.4826 * float(np.median(np.abs(centred))), 1e-6)
    z: Floats = np.clip(centred / spread, -4.0, 4.0)
    return z


def centrality(vectors: SentenceVectors) -> Floats:
    """Return how much each sentence has in common with the bulk of the text.

    Twice its mean similarity to the sentences on the direction that most share, plus its projection on that
    direction. The direction is made robust by down-weighting, in three passes, the sentences that lie off it.
    """
    weights = np.ones(vectors.shape[0])
    projection = weights
    for _ in range(_PASSES):
        projection = _first_direction(vectors, weights)
        weights = 1.0 / (1.0 + np.exp(-1.5 * (robust_z(projection) + 0.3)))
    similarity = vectors.times(vectors.transposed_times(weights)) - weights
    similarity /= np.maximum(weights.sum() - weights, 1e-9)
    score: Floats = (2.0 * robust_z(similarity) + robust_z(projection)) / 3.0
    return score


def _first_direction(vectors: SentenceVectors, weights: Floats) -> Floats:
    """Return each sentence's projection on the first principal direction of the weighted rows (power iteration)."""
    projection = weights
    for _ in range(_POWER_STEPS):
        direction = vectors.transposed_times(weights * projection)
        direction /= max(float(np.linalg.norm(direction)), 1e-12)
        projection = vectors.times(direction)
    return projection


def shared_terms(vectors: SentenceVectors, weights: Floats) -> Floats:
    """Return how many of each sentence's terms others use too, each other sentence counting by its weight."""
    uses = sums(vectors.columns, weights[vectors.rows], vectors.shape[1])
    elsewhere = np.maximum(uses[vectors.columns] - weights[vectors.rows], 0.0)
    shared = sums(vectors.rows, vectors.kinds * np.log1p(_OCCURRENCE * elsewhere), vectors.shape[0])
    length = np.maximum(sums(vectors.rows, vectors.kinds, vectors.shape[0]), 1.0)
    return robust_z(shared / length**_LENGTH_POWER)


def nearness(vectors: SentenceVectors, weights: Floats) -> Floats:
    """Return the similarity of each sentence to those about it, weighted, less for the further ones.

    A text's sentences go on from each other; noise that is near in topic but foreign to the passage does not.
    """
    forward, forward_weight = _from_before(vectors, weights)
    flipped = SentenceVectors(
        vectors.shape[0] - 1 - vectors.rows[::-1],
        vectors.columns[::-1],
        vectors.values[::-1],
        vectors.kinds[::-1],
        vectors.shape,
    )
    backward, backward_weight = _from_before(flipped, weights[::-1])
    total = forward_weight + backward_weight[::-1]
    return robust_z((forward + backward[::-1]) / np.maximum(total, 1e-9))


def _from_before(vectors: SentenceVectors, weights: Floats) -> tuple[Floats, Floats]:
    """Return each sentence's similarity to those before it, decayed by distance, and the weights that it had."""
    decay = float(np.exp(-1.0 / _REACH))
    last_row = np.zeros(vectors.shape[1], dtype=np.int64)
    trace = np.zeros(vectors.shape[1])
    similarity, total = np.zeros(vectors.shape[0]), np.zeros(vectors.shape[0])
    borders = np.searchsorted(vectors.rows, np.arange(vectors.shape[0] + 1))
    running = 0.0
    for row in range(vectors.shape[0]):
        columns = vectors.columns[borders[row] : borders[row + 1]]
        values = vectors.values[borders[row] : borders[row + 1]]
        # A term's trace is brought up to date only when it is met: no work for the terms that are not.
        past = trace[columns] * decay ** (row - last_row[columns])
        similarity[row], total[row] = values @ past, running
        trace[columns] = past + weights[row] * values
        last_row[columns] = row
        running = decay * (running + weights[row])
    return similarity, total
