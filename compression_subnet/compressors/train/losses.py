"""What the network is trained for: telling noise, and foretelling what will be asked."""

from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from compression_subnet.compressors.learned.network import Heads, Outputs
from compression_subnet.compressors.train.batches import LabelledBatch

__all__ = ["TrainedNetwork", "loss_of"]

MASK: Final = 103
"""``[MASK]`` in the base encoder's vocabulary."""
RELEVANCE: Final = 3.0
ASKED: Final = 0.5
ANSWER: Final = 3.0
EVIDENCE: Final = 1.5


class TrainedNetwork(nn.Module):
    """The encoder and the heads as one module, for training."""

    def __init__(self, encoder: nn.Module, heads: Heads):
        super().__init__()
        self.encoder = encoder
        self.heads = heads

    def forward(self, labelled: LabelledBatch, masked: float = 0.0) -> Outputs:
        """Return the outputs for a batch, with about a share of ``masked`` of the encoder's tokens hidden from it."""
        batch = labelled.batch
        ids = batch.ids
        if masked:
            ids = torch.where(torch.rand(ids.shape, device=ids.device) < masked, MASK, ids)
        states = self.encoder(input_ids=ids, attention_mask=batch.mask).last_hidden_state
        with torch.autocast(states.device.type, enabled=False):
            outputs: Outputs = self.heads(states.reshape(-1, states.shape[-1])[batch.places], batch)
        return outputs


def loss_of(outputs: Outputs, labelled: LabelledBatch) -> Tensor:
    """Return the loss: cross-entropies for noise, answers and evidence, and a Poisson likelihood for questions.

    What is asked is learned from sentences that are no noise only, of texts whose questions are known: the outputs say
    what would be asked of a sentence if it is none, and whoever uses them multiplies by the probability that it is.
    """
    known = labelled.known
    loss = RELEVANCE * functional.binary_cross_entropy_with_logits(outputs.relevance, labelled.relevant.float())
    if not known.any():
        return loss
    asked = functional.poisson_nll_loss(outputs.asked[known], labelled.asked[known], log_input=True)
    own = known[labelled.batch.sentences]
    answer = functional.binary_cross_entropy_with_logits(outputs.answer[own], labelled.answer[own])
    evidence = functional.binary_cross_entropy_with_logits(outputs.evidence[own], labelled.evidence[own])
    return loss + ASKED * asked + ANSWER * answer + EVIDENCE * evidence
