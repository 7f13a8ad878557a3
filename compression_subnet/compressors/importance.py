"""What a word is worth to whoever will be asked about the text, without a model.

Fact questions are answered by numbers, names and rare nouns. In public question sets (SquadShifts, Wikipedia) a
word of each kind lies in a gold answer at these rates: function words 0.11, frequent words 0.13, other content 0.18,
names 0.28, numbers 0.34; long answers put a floor of about 0.1 under all of them. The worths below follow the rates
above that floor, and were settled by how many answers survive compression of those texts.
"""

from collections import Counter
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind
from compression_subnet.compressors.stems import stem

__all__ = ["word_values"]

_KIND_VALUE: Final = {
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
# A word met for the k-th time is worth k to the power of minus this: what is everywhere is seldom asked for, and
# a repeated sentence adds little.
_REPETITION: Final = 0.5
# Long words are rarer words: worth up to this much more, in proportion to their length in letters.
_LENGTH: Final = 0.3
_LONG: Final = 12


def word_values(document: Document) -> npt.NDArray[np.float64]:
    """Return the worth of each word of ``document``, not negative."""
    met: Counter[str] = Counter()
    values = np.zeros(len(document.words))
    for place, word in enumerate(document.words):
        value = _KIND_VALUE[word.kind]
        if word.kind >= Kind.FREQUENT:
            term = stem(word.lower)
            met[term] += 1
            value *= float(met[term]) ** -_REPETITION
            value *= 1.0 + _LENGTH * min(len(word.lower), _LONG) / _LONG
        values[place] = value
    return values
