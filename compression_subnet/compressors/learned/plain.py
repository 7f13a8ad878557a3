"""An encoder that was tuned for nothing of ours: its sentence states tell noise, and kinds of words what is asked."""

from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor

from compression_subnet.compressors.document import Document
from compression_subnet.compressors.importance import word_values
from compression_subnet.compressors.learned.model import quantised
from compression_subnet.compressors.learned.network import sentence_means
from compression_subnet.compressors.learned.tokens import DocumentTokens, Frame
from compression_subnet.compressors.scores import Scores
from compression_subnet.compressors.signals import centrality
from compression_subnet.compressors.vectors import SentenceVectors

__all__ = ["PlainModel"]

# A logistic function of centrality, as the lexical compressor has it for shared terms.
_COEFFICIENT: Final = 2.5
_INTERCEPT: Final = 0.7
# Below this many sentences there are no two populations to tell apart.
_FEWEST: Final = 6


class PlainModel:
    """A sentence is relevant as far as its state, the mean of its tokens', points where the others' do."""

    def __init__(self, module: torch.nn.Module, tokenizer: Tokenizer, frame: Frame, room: int):
        """Put it together."""
        self.tokenizer = tokenizer
        self.frame = frame
        self.room = room
        self._module = module

    def per_window(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the encoder's states."""
        states: Tensor = self._module(input_ids=ids, attention_mask=mask).last_hidden_state
        return states

    def per_document(self, values: Tensor, tokens: DocumentTokens) -> Tensor:
        """Return the sentences' mean states, one after another."""
        sentences = torch.from_numpy(tokens.sentences).to(values.device)
        means, _ = sentence_means(values.float(), sentences, tokens.sentence_count)
        return means.reshape(-1)

    def scores(self, document: Document, tokens: DocumentTokens, read: npt.NDArray[np.float32]) -> Scores:
        """Return the scores."""
        n = tokens.sentence_count
        if n < _FEWEST or not len(read):
            return Scores(np.ones(n), word_values(document))
        vectors = read.reshape(n, -1).astype(np.float64)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
        z = centrality(_as_sentence_vectors(quantised(vectors)))
        return Scores(quantised(1.0 / (1.0 + np.exp(-(_COEFFICIENT * z + _INTERCEPT)))), word_values(document))


def _as_sentence_vectors(vectors: npt.NDArray[np.float64]) -> SentenceVectors:
    """Return a dense matrix in the sparse form that ``centrality`` takes."""
    n, width = vectors.shape
    rows = np.repeat(np.arange(n), width)
    return SentenceVectors(rows, np.tile(np.arange(width), n), vectors.reshape(-1), np.ones(n * width), (n, width))
