"""Our own encoder, six layers of MiniLM: the base encoder's embeddings, and layers and heads that were trained here.

The architecture is written down here, so no configuration file is trusted.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from compression_subnet.compressors.learned.network import Heads
from compression_subnet.compressors.learned.tokens import Frame
from compression_subnet.encoders.minilm import Encoder, check_sha256
from compression_subnet.errors import ConfigurationError

if TYPE_CHECKING:
    import torch
    from transformers import BertModel

__all__ = ["FRAME", "HIDDEN", "WEIGHTS", "WEIGHTS_FILE", "WEIGHTS_SHA256", "build_encoder", "load_network"]

WEIGHTS_FILE: Final = "compressor.safetensors"
WEIGHTS: Final = Path(__file__).parent / "weights" / WEIGHTS_FILE
WEIGHTS_SHA256: Final = "7fb85340f012d7d1cd88fed011464e31a34ba36d29b789ee2329d7634d0faaae"
FRAME: Final = Frame(before=(101,), after=(102,), padding=0)
"""``[CLS]``, ``[SEP]`` and ``[PAD]`` of the base encoder's vocabulary."""
HIDDEN: Final = 384
_PARTS: Final = ("encoder.layer.", "embeddings.")


def build_encoder(encoder: Encoder) -> "BertModel":
    """Return the base encoder as it is, in float32 on the CPU."""
    from safetensors.torch import load_file
    from transformers import BertConfig, BertModel

    network = BertModel(
        BertConfig(
            vocab_size=30522,
            hidden_size=HIDDEN,
            num_hidden_layers=6,
            num_attention_heads=12,
            intermediate_size=1536,
            max_position_embeddings=512,
            type_vocab_size=2,
        ),
        add_pooling_layer=False,
    )
    tensors = {n: t.float() for n, t in load_file(encoder.weights).items() if n.startswith(_PARTS)}
    tensors.pop("embeddings.position_ids", None)  # a constant that older files hold
    network.load_state_dict(tensors)
    return network


def load_network(
    encoder: Encoder, weights: Path = WEIGHTS, sha256: str | None = WEIGHTS_SHA256
) -> "tuple[BertModel, Heads]":
    """Return the trained encoder and heads, in float32 on the CPU.

    Args:
        encoder: the base encoder.
        weights: what ``train`` wrote.
        sha256: what ``weights`` must hash to; None takes any file (one that was trained by its user).

    Raises:
        ConfigurationError: ``weights`` is missing, altered, or does not fit the architecture.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    if sha256 is not None:
        check_sha256(weights, sha256, fix="reinstall compression-subnet")
    try:
        tensors = load_file(weights)
    except (OSError, SafetensorError) as error:
        raise ConfigurationError(f"cannot read the compressor's weights {weights}: {error}") from error
    network, heads = build_encoder(encoder), Heads(HIDDEN)
    _fill(network, {n.removeprefix("encoder."): t for n, t in tensors.items() if n.startswith("encoder.")}, weights)
    _fill(heads, {n.removeprefix("heads."): t for n, t in tensors.items() if n.startswith("heads.")}, weights)
    return network, heads


def _fill(module: "torch.nn.Module", tensors: "dict[str, torch.Tensor]", path: Path) -> None:
    wanted = {n for n in module.state_dict() if not n.startswith("embeddings.")}
    fault = sorted(wanted ^ tensors.keys())
    if not fault:
        try:
            module.load_state_dict({n: t.float() for n, t in tensors.items()}, strict=False)
        except RuntimeError as error:
            raise ConfigurationError(f"{path} does not fit the compressor's architecture: {error}") from error
        return
    raise ConfigurationError(f"{path} does not fit the compressor's architecture: see {fault[:5]}")
