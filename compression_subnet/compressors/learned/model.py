"""What the scorer needs of a model, whatever its kind."""

from typing import Protocol

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer
from torch import Tensor

from compression_subnet.compressors.document import Document
from compression_subnet.compressors.learned.tokens import DocumentTokens, Frame
from compression_subnet.compressors.scores import Scores

__all__ = ["DECIMALS", "Model", "mean_by_word", "quantised"]

Floats = npt.NDArray[np.float64]

DECIMALS = 3
"""What a model says is rounded before anything is ranked by it, so that the last bits of a sum decide nothing."""


class Model(Protocol):
    """An encoder with what is read from it. Its modules are on their device, in evaluation mode.

    Attributes:
        tokenizer: neither truncates nor pads.
        frame: special tokens around a window.
        room: most tokens of a window, without those.
    """

    tokenizer: Tokenizer
    frame: Frame
    room: int

    def per_window(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return a row of values for each token: ``[windows, length, values]``.

        Args:
            ids: token ids, ``[windows, length]``.
            mask: 1 where there is a token, of the same shape.
        """

    def per_document(self, values: Tensor, tokens: DocumentTokens) -> Tensor:
        """Return what is to be read of a document, in one dimension, float32, on the device.

        Args:
            values: those of the document's tokens, in order, ``[tokens, values]``; at least one.
            tokens: where they belong.
        """

    def scores(self, document: Document, tokens: DocumentTokens, read: npt.NDArray[np.float32]) -> Scores:
        """Return the scores of a document from what ``per_document`` read, or from nothing if it has no token."""


def quantised(values: Floats | npt.NDArray[np.float32]) -> Floats:
    """Return ``values`` rounded to ``DECIMALS``."""
    doubles: Floats = values.astype(np.float64)
    return doubles.round(DECIMALS)


def mean_by_word(values: Floats, tokens: DocumentTokens) -> Floats:
    """Return the mean of the tokens' values for each word, 0 for a word without any."""
    counts = np.bincount(tokens.words, minlength=tokens.word_count)
    sums = np.bincount(tokens.words, values, minlength=tokens.word_count)
    means: Floats = sums / np.maximum(counts, 1)
    return means
