"""The reader's network: BERT of six layers with a question-answering head, from two files of weights.

The embeddings are those of the base encoder; the layers and the head were trained (``train.py``) and ship with
this package. The architecture is written down here, so no configuration file is trusted.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from compression_subnet.encoders.minilm import Encoder, check_sha256
from compression_subnet.errors import ConfigurationError

if TYPE_CHECKING:
    import torch
    from transformers import BertForQuestionAnswering

__all__ = ["READER_SHA256", "READER_WEIGHTS", "QuestionAnsweringModel", "build_network"]

READER_WEIGHTS: Final = Path(__file__).parent / "weights" / "reader.safetensors"
READER_SHA256: Final = "02fdbe674bc0450d005d90233d979e363cdbb38643613495ef846b923d326c70"

EMBEDDINGS: Final = "bert.embeddings."
TRAINED: Final = ("bert.encoder.", "qa_outputs.")


class QuestionAnsweringModel:
    """Gives the logits of one window. Safe to use from several threads at once.

    A window is computed alone, at its own length. That makes its logits independent of what else is asked, and
    costs next to nothing on a CPU: 52 ms for 250 tokens on one core, against 48 to 49 in batches of 4 or 16.
    """

    def __init__(self, network: "BertForQuestionAnswering"):
        network.train(False)
        self._network = network

    def logits(self, ids: Sequence[int], first: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return start and end logits, one each a token.

        Args:
            ids: token ids of the window, at most 512.
            first: where its second segment, the text, begins.
        """
        import torch

        segments = [0] * first + [1] * (len(ids) - first)
        with torch.inference_mode():
            output = self._network(
                input_ids=torch.tensor([list(ids)]),
                token_type_ids=torch.tensor([segments]),
                attention_mask=torch.ones((1, len(ids)), dtype=torch.long),
            )
        return output.start_logits[0].double().numpy(), output.end_logits[0].double().numpy()


def build_network(
    encoder: Encoder, weights: Path | None = READER_WEIGHTS, sha256: str | None = READER_SHA256
) -> "BertForQuestionAnswering":
    """Return the network in float32, on the CPU.

    Args:
        encoder: the base encoder.
        weights: the trained tensors; None leaves the base encoder's own layers and a fresh head, for training.
        sha256: what ``weights`` must hash to; None takes any file (one that was trained by its user).

    Raises:
        ConfigurationError: ``weights`` is missing, altered, or does not fit the architecture.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file
    from transformers import BertConfig, BertForQuestionAnswering

    base = {f"bert.{name}": tensor for name, tensor in load_file(encoder.weights).items()}
    if weights is None:
        tensors = {n: t for n, t in base.items() if n.startswith((EMBEDDINGS, *TRAINED))}
    else:
        if sha256 is not None:
            check_sha256(weights, sha256, fix="reinstall compression-subnet")
        try:
            trained = load_file(weights)
        except (OSError, SafetensorError) as error:
            raise ConfigurationError(f"cannot read the reader's weights {weights}: {error}") from error
        tensors = {n: t for n, t in base.items() if n.startswith(EMBEDDINGS)} | trained
    tensors.pop(f"{EMBEDDINGS}position_ids", None)  # a constant that older files hold
    network = BertForQuestionAnswering(
        BertConfig(
            vocab_size=30522,
            hidden_size=384,
            num_hidden_layers=6,
            num_attention_heads=12,
            intermediate_size=1536,
            max_position_embeddings=512,
            type_vocab_size=2,
        )
    )
    return _filled(network, {name: tensor.float() for name, tensor in tensors.items()}, fresh_head=weights is None)


def _filled(
    network: "BertForQuestionAnswering", tensors: "dict[str, torch.Tensor]", *, fresh_head: bool
) -> "BertForQuestionAnswering":
    try:
        result = network.load_state_dict(tensors, strict=False)
    except RuntimeError as error:
        raise ConfigurationError(f"the reader's weights do not fit its architecture: {error}") from error
    missing = [n for n in result.missing_keys if not (fresh_head and n.startswith("qa_outputs."))]
    if missing or result.unexpected_keys:
        raise ConfigurationError(
            f"the reader's weights do not fit its architecture: missing {missing}, unexpected {result.unexpected_keys}"
        )
    return network
