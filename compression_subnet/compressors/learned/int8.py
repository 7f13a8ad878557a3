"""An encoder's matrices in 8 bits, for CPUs: a scale for each output of a matrix, and one for each window it meets.

The weights are rounded once, what they are multiplied by as it comes. A window is computed by itself there, so its
scale, like all the rest, depends on it alone.

``torch.ao.quantization.quantize_dynamic`` takes as long, but leaves 7 bits to what is multiplied, on any CPU: with it
our encoder's states of XQuAD's texts are 25 % off, and 13 % with these few lines. It is deprecated besides, and so are
the tensors of both, without a successor in torch itself.
"""

import warnings
from typing import Any

import torch
from torch import Tensor, nn

__all__ = ["Int8Linear", "can_use_int8", "to_int8"]


class Int8Linear(nn.Module):
    """Computes nearly what a linear layer in float32 does."""

    def __init__(self, linear: nn.Linear, reduced: bool):
        """Round the weights of ``linear``; ``reduced`` leaves 7 bits to what they are multiplied by."""
        super().__init__()
        self._packed = _pack(linear.weight.detach(), None if linear.bias is None else linear.bias.detach())
        self._reduced = reduced

    def forward(self, x: Tensor) -> Tensor:
        """Return the layer's values."""
        values: Tensor = torch.ops.quantized.linear_dynamic(x, self._packed, self._reduced)
        return values

    @property
    def weight(self) -> Tensor:
        """The rounded weights, in float32, since some models (T5, the first DeBERTa) look at them."""
        weight: Tensor = torch.ops.quantized.linear_unpack(self._packed)[0].dequantize()
        return weight


def to_int8(module: nn.Module, reduced: bool) -> None:
    """Put an ``Int8Linear`` in the place of each linear layer of ``module``, which is in float32 on the CPU.

    Args:
        module: an encoder.
        reduced: leave 7 bits to what is multiplied by the weights, for a CPU whose sums would overflow with 8.
    """
    for part in list(module.modules()):
        for name, child in list(part.named_children()):
            if type(child) is nn.Linear:  # a subclass may do something else
                setattr(part, name, Int8Linear(child, reduced))


def can_use_int8() -> bool:
    """Return whether this build of torch has what is needed: some lack it, and a later one may."""
    try:
        packed = _pack(torch.eye(8), None)
        torch.ops.quantized.linear_dynamic(torch.eye(8), packed, False)
    except (AttributeError, RuntimeError):
        return False
    return True


def _pack(weight: Tensor, bias: Tensor | None) -> Any:
    scales = (weight.abs().amax(dim=1) / 127).clamp(min=torch.finfo(torch.float32).tiny)
    zeros = torch.zeros(len(scales), dtype=torch.long)
    with warnings.catch_warnings():
        # Tensors of such numbers will leave torch some day (pytorch issue 184982); ``can_use_int8`` sees to that.
        warnings.filterwarnings("ignore", "torch.quantize_per_tensor, torch.quantize_per_channel", UserWarning)
        quantised = torch.quantize_per_channel(weight, scales, zeros, 0, torch.qint8)
    return torch.ops.quantized.linear_prepack(quantised, bias)
