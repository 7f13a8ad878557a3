"""What the reader's training does in a step: which parameters move, and the loss of a batch."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from compression_subnet.judge.reader.features import Feature

if TYPE_CHECKING:
    import torch
    from transformers import BertForQuestionAnswering

__all__ = ["loss_of", "prepare"]


def prepare(network: "BertForQuestionAnswering", *, dropout: bool) -> None:
    """Freeze the embeddings, which ship with the base encoder.

    Args:
        network: to be trained.
        dropout: whether there is any. Without it a step takes three quarters of the time on a CPU, and an epoch or
            two need none.
    """
    import torch

    for parameter in network.bert.embeddings.parameters():
        parameter.requires_grad = False
    if not dropout:
        for module in network.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = 0.0


def loss_of(network: "BertForQuestionAnswering", batch: Sequence[Feature]) -> "torch.Tensor":
    """Return the loss of a batch of inputs, padded to the longest."""
    import torch

    width = max(len(f.ids) for f in batch)
    loss: torch.Tensor = network(
        input_ids=torch.tensor([[*f.ids, *[0] * (width - len(f.ids))] for f in batch]),
        token_type_ids=torch.tensor([_segments(f, width) for f in batch]),
        attention_mask=torch.tensor([[1] * len(f.ids) + [0] * (width - len(f.ids)) for f in batch]),
        start_positions=torch.tensor([f.start for f in batch]),
        end_positions=torch.tensor([f.end for f in batch]),
    ).loss
    return loss


def _segments(feature: Feature, width: int) -> list[int]:
    second = len(feature.ids) - feature.first
    return [0] * feature.first + [1] * second + [0] * (width - len(feature.ids))
