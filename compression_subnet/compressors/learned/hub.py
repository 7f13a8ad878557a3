"""Any encoder or token classifier in Hugging Face's form, by folder or by name on the hub.

What it can do is read from its configuration and its modules, never from its name. Code that a repository brings is
not run, and weights are read from safetensors only. ``HF_HUB_OFFLINE`` is honoured.
"""

from pathlib import Path
from typing import Any, Final

import torch
from tokenizers import Tokenizer

from compression_subnet.compressors.learned.classifier import ClassifierModel
from compression_subnet.compressors.learned.devices import sums_overflow
from compression_subnet.compressors.learned.int8 import to_int8
from compression_subnet.compressors.learned.model import Model
from compression_subnet.compressors.learned.plain import PlainModel
from compression_subnet.compressors.learned.tokens import frame_of
from compression_subnet.errors import CompressorError

__all__ = ["load_from_hub"]

LONGEST: Final = 512
"""Most tokens of a window, special ones included, for a model that could take more: attention costs their square."""
_KEEP: Final = ("keep", "preserve")


def load_from_hub(name: str, device: torch.device, dtype: torch.dtype) -> Model:
    """Return the model of a folder or of a repository on the hub; with int8, its encoder has its matrices in that.

    Raises:
        CompressorError: it cannot be had, or is neither an encoder nor a token classifier with a fast tokenizer.
    """
    from transformers import AutoConfig, AutoModel, AutoModelForTokenClassification, AutoTokenizer

    loaded = torch.float32 if dtype == torch.int8 else dtype
    options: dict[str, Any] = {"trust_remote_code": False, "local_files_only": Path(name).is_dir()}
    try:
        config = AutoConfig.from_pretrained(name, **options)
        architectures = list(config.architectures or [])
        _refuse_decoders(name, config, architectures)
        classifies = any(a.endswith("ForTokenClassification") for a in architectures)
        kind = AutoModelForTokenClassification if classifies else AutoModel
        module = kind.from_pretrained(name, config=config, use_safetensors=True, dtype=loaded, **options)
        fast = getattr(AutoTokenizer.from_pretrained(name, **options), "backend_tokenizer", None)
    except CompressorError:
        raise
    except Exception as error:  # a damaged folder can make the library raise anything
        raise CompressorError(
            f"cannot load the model {name}: {type(error).__name__}: {error}; --compressor.model takes a folder with "
            "config.json, model.safetensors and tokenizer.json, or a name on the hub"
        ) from error
    if fast is None:
        raise CompressorError(f"the model {name} has no fast tokenizer, which is needed to know where its tokens stand")
    tokenizer = Tokenizer.from_str(fast.to_str())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    frame = frame_of(tokenizer, int(getattr(config, "pad_token_id", None) or 0))
    room = min(LONGEST, _positions(module, config)) - len(frame.before) - len(frame.after)
    if room < 64:
        raise CompressorError(f"the model {name} takes {room} tokens at a time, too few to judge a text by")
    module.train(False).to(device)
    if dtype == torch.int8:
        to_int8(module.base_model, reduced=sums_overflow())  # not the head, which decides
    if classifies:
        return ClassifierModel(module, tokenizer, frame, room, _keep_label(config))
    return PlainModel(module, tokenizer, frame, room)


def _refuse_decoders(name: str, config: Any, architectures: list[str]) -> None:
    if getattr(config, "is_decoder", False) or any(a.endswith(("CausalLM", "LMHeadModel")) for a in architectures):
        raise CompressorError(f"{name} generates text; --compressor.model takes an encoder or a token classifier")
    if getattr(config, "is_encoder_decoder", False):
        raise CompressorError(f"{name} has a decoder; --compressor.model takes an encoder or a token classifier")


def _positions(module: torch.nn.Module, config: Any) -> int:
    """Return how many tokens the model has positions for. Some keep the first ones, up to padding's id, free."""
    for part_name, part in module.named_modules():
        if part_name.endswith("position_embeddings") and isinstance(part, torch.nn.Embedding):
            return part.num_embeddings - (0 if part.padding_idx is None else part.padding_idx + 1)
    return int(getattr(config, "max_position_embeddings", None) or LONGEST)


def _keep_label(config: Any) -> int:
    """Return the number of the label that says to keep a token: one named so, else the last."""
    labels: dict[int, str] = {int(number): str(label).casefold() for number, label in config.id2label.items()}
    named = [number for number, label in sorted(labels.items()) if label.startswith(_KEEP)]
    return named[0] if named else max(labels)
