"""llmlingua's LLMLingua-2, made ready to be measured beside ours: the same weights, and no network."""

import gzip
import hashlib
import os
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from proxy import Sample

VOCABULARY: Final = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
# llmlingua takes the kind of model from the folder's path.
FOLDER_NAME: Final = "bert-base-multilingual-cased"


def make_classifier(folder: Path) -> None:
    """Write a token classifier of the installed encoder's shape and weights, its head random, to ``folder``."""
    import torch
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    from compression_subnet.encoders.minilm import find_encoder

    source = find_encoder().weights.parent
    torch.manual_seed(0)
    AutoModelForTokenClassification.from_pretrained(source, num_labels=2).save_pretrained(folder)
    AutoTokenizer.from_pretrained(source).save_pretrained(folder)


def give_vocabulary(folder: Path) -> None:
    """Put the vocabulary that llmlingua counts with, which is in ``bpe-openai``, where tiktoken looks for it."""
    packed = (resources.files("bpe_openai") / "data" / "cl100k_base.tiktoken.gz").read_bytes()
    (folder / hashlib.sha1(VOCABULARY.encode()).hexdigest()).write_bytes(gzip.decompress(packed))
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def free_module() -> Any:
    """Return an encoder that costs nothing: random logits of two labels."""
    import torch

    class Free(torch.nn.Module):
        def forward(self, input_ids: Any = None, attention_mask: Any = None, **_: Any) -> Any:
            return SimpleNamespace(logits=torch.rand(*input_ids.shape, 2), loss=None)

    return Free()


def lingua(folder: Path, level: int) -> tuple[Callable[[Sequence[Sample]], None], Callable[[Sequence[Sample]], None]]:
    """Return what runs LLMLingua-2 over texts, with its encoder and with one that costs nothing."""
    try:
        from llmlingua import PromptCompressor
    except ImportError as error:
        raise SystemExit(f"llmlingua cannot be imported ({error}): pip install 'compression-subnet[peers]'") from error
    options: dict[str, Any] = {
        "use_llmlingua2": True,
        "device_map": "cpu",
        "model_config": {"trust_remote_code": False},
    }
    real, free = (PromptCompressor(model_name=str(folder), **options) for _ in range(2))
    free.model = free_module()

    def runs(model: Any) -> Callable[[Sequence[Sample]], None]:
        def run(samples: Sequence[Sample]) -> None:
            for sample in samples:
                model.compress_prompt_llmlingua2([sample.text], rate=level / 100)

        return run

    return runs(real), runs(free)
