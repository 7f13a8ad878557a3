"""What the similarities of a document's sentences say of each: does it belong with the others?

Two kinds are compared: of the sentences' contextual states, and of their very tokens, which is what statistics of
terms go by. A sentence is judged beside those of its own document, so that each signal comes a second time in
standard deviations from the document's mean.
"""

from typing import Final

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["SIGNALS", "document_signals", "token_matrix"]

NEIGHBOURS: Final = 3
"""Of so many most similar sentences the mean similarity is taken."""
REACH: Final = 3.0
"""How fast the influence of a neighbour falls with its distance, in sentences."""
_SHARPNESS: Final = 8.0
_OF_A_MATRIX: Final = 6
SIGNALS: Final = 2 * (2 * _OF_A_MATRIX + 1) + 2
"""Signals of a sentence: twice those of two matrices and the tokens shared, and two lengths."""


def token_matrix(ids: Tensor, sentences: Tensor, count: int, weights: Tensor) -> Tensor:
    """Return how much of each token each sentence has, ``[count, distinct tokens]``.

    Args:
        ids: token ids of one document.
        sentences: number of each token's sentence, from 0.
        count: number of sentences.
        weights: what a token of each id weighs, not negative.
    """
    distinct, columns = torch.unique(ids, return_inverse=True)
    counts = weights.new_zeros(count * len(distinct))
    counts.index_add_(0, sentences * len(distinct) + columns, torch.ones_like(columns, dtype=counts.dtype))
    return torch.log1p(counts).view(count, -1) * weights[distinct]


def document_signals(vectors: Tensor, tokens: Tensor, lengths: Tensor) -> Tensor:
    """Return the signals of each sentence of one document, ``[sentences, SIGNALS]``.

    Args:
        vectors: contextual vectors, ``[sentences, width]``.
        tokens: ``token_matrix`` of the document.
        lengths: tokens of each sentence.
    """
    size = len(vectors)
    places = torch.arange(size, device=vectors.device, dtype=vectors.dtype)
    distance = (places[:, None] - places[None, :]).abs()
    found: list[Tensor] = []
    for rows in (functional.normalize(vectors, dim=-1), functional.normalize(tokens, dim=-1)):
        found += _of_similarities(rows @ rows.T, distance)
    found.append(_shared(tokens))
    signals = torch.stack(found, dim=-1)
    deviations = (signals - signals.mean(0)) / (signals.std(0, unbiased=False) + 1e-3)
    log_length = torch.log1p(lengths)
    log_count = torch.full_like(log_length, size).log()
    return torch.cat([signals, deviations, torch.stack([log_length, log_count], dim=-1)], dim=-1)


def _of_similarities(similarities: Tensor, distance: Tensor) -> list[Tensor]:
    size = len(similarities)
    others = (distance > 0).to(similarities.dtype)
    shared = similarities * others
    mean = shared.sum(-1) / max(size - 1, 1)
    central = mean
    # Similarity to those that are themselves similar to many: two steps towards the principal direction.
    for _ in range(2):
        spread = central.std(unbiased=False) + 1e-3
        weights = torch.softmax(_SHARPNESS / 4 * (central - central.mean()) / spread, dim=-1)
        central = (shared * weights).sum(-1)
    nearest = shared.topk(min(NEIGHBOURS, size), dim=-1).values.mean(-1)
    decay = torch.exp(-distance / REACH) * others
    near = (shared * decay).sum(-1) / decay.sum(-1).clamp(min=1e-6)
    before = functional.pad(torch.diagonal(shared, offset=1), (1, 0))
    after = functional.pad(torch.diagonal(shared, offset=1), (0, 1))
    return [mean, central, nearest, near, before, after]


def _shared(tokens: Tensor) -> Tensor:
    """Return how much of each sentence's tokens other sentences have too, less for the longer sentences."""
    holds = (tokens.detach() > 0).to(tokens.dtype)
    elsewhere = torch.log1p(holds.sum(0, keepdim=True) - holds) * holds
    return (tokens * elsewhere).sum(-1) / (tokens.sum(-1) + 1e-3)
