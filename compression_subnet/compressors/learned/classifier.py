"""A token classifier that says which tokens to keep, such as LLMLingua-2's (Pan et al. 2024)."""

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer
from torch import Tensor

from compression_subnet.compressors.document import Document
from compression_subnet.compressors.learned.model import mean_by_word, quantised
from compression_subnet.compressors.learned.tokens import DocumentTokens, Frame
from compression_subnet.compressors.relevance import relevance
from compression_subnet.compressors.scores import Scores
from compression_subnet.compressors.vectors import vectorise

__all__ = ["ClassifierModel"]


class ClassifierModel:
    """A word is worth the mean probability that its tokens are kept; relevance comes from the terms shared."""

    def __init__(self, module: torch.nn.Module, tokenizer: Tokenizer, frame: Frame, room: int, keep: int):
        """Put it together; ``keep`` is the number of the label that says to keep a token."""
        self.tokenizer = tokenizer
        self.frame = frame
        self.room = room
        self._module = module
        self._keep = keep

    def per_window(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return the probability of being kept."""
        logits: Tensor = self._module(input_ids=ids, attention_mask=mask).logits.float()
        if logits.shape[-1] == 1:
            return torch.sigmoid(logits)
        return torch.softmax(logits, dim=-1)[..., self._keep, None]

    def per_document(self, values: Tensor, tokens: DocumentTokens) -> Tensor:
        """Return the probability of each token."""
        return values[:, 0]

    def scores(self, document: Document, tokens: DocumentTokens, read: npt.NDArray[np.float32]) -> Scores:
        """Return the scores."""
        worth = np.zeros(tokens.word_count) if not len(read) else mean_by_word(quantised(read), tokens)
        return Scores(relevance(vectorise(document)), worth)
