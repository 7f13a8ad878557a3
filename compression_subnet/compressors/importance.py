"""What a word is worth to whoever will be asked about the text, without a model.

Fact questions are answered by numbers, names and rare nouns. In public question sets (SquadShifts, Wikipedia) a
word of each kind lies in a gold answer at these rates: function words 0.11, frequent words 0.13, other content 0.18,
names 0.28, numbers 0.34; long answers put a floor of about 0.1 under all of them. The worths below follow the rates
above that floor, and were settled by how many answers survive compression of those texts.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind

__all__ = ["word_values"]

_KIND_VALUE: Final[dict[Kind, float]] = {
    Kind.PUNCTUATION: 0.0,
    Kind.FILLER: 0.0,
    Kind.FUNCTION: 0.2,
    # Never an answer, but without it the answer is wrong.
    Kind.NEGATION: 1.0,
    Kind.FREQUENT: 0.35,
    Kind.CONTENT: 1.0,
    Kind.NAME: 1.8,
    Kind.NUMBER: 2.2,
}
_KIND_VALUES: Final = np.array([_KIND_VALUE[kind] for kind in Kind])
# A word met for the k-th time is worth k to the power of minus this: what is everywhere is seldom asked for, and
# a repeated sentence adds little.
_REPETITION: Final = 0.5
# Long words are rarer words: worth up to this much more, in proportion to their length in letters.
_LENGTH: Final = 0.3
_LONG: Final = 12


def word_values(document: Document) -> npt.NDArray[np.float64]:
    """Return the worth of each word of ``document``, not negative."""
    values = _KIND_VALUES[document.kinds]
    places = np.flatnonzero(document.kinds >= Kind.FREQUENT)
    lengths = (document.ends - document.starts)[places]
    values[places] *= _occurrence(document.terms[places]) ** -_REPETITION
    values[places] *= 1.0 + _LENGTH * np.minimum(lengths, _LONG) / _LONG
    return values


def _occurrence(terms: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return for each of ``terms`` how many times it was met up to there."""
    order = np.argsort(terms, kind="stable")
    ordered = terms[order]
    starts = np.searchsorted(ordered, ordered)
    met = np.empty(len(terms))
    met[order] = np.arange(1, len(terms) + 1) - starts
    return met
