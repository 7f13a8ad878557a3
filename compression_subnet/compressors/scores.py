"""What a model says of a text: how likely each sentence is no noise, and what each word is worth."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document

__all__ = ["Scorer", "Scores"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of one document.

    Attributes:
        relevance: for each sentence, the probability that it is not noise, in [0, 1].
        worth: for each word, the expected number of questions whose answer holds the word, up to a factor that is
            the same for all words of the document; not negative. It is given that the sentence is no noise: whoever
            selects multiplies it by ``relevance``.
    """

    relevance: Floats
    worth: Floats


class Scorer(Protocol):
    """Anything that gives scores."""

    def score(self, documents: Sequence[Document]) -> list[Scores]:
        """Return the scores of each document, in order; they depend on the document alone.

        Raises:
            CompressorError: the model failed.
        """
