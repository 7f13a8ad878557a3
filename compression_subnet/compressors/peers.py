"""Other people's compressors, through their own packages, to compare with on the same work.

Their packages and weights are not part of this one: ``pip install 'compression-subnet[peers]'``, and an environment
variable that names a folder with the weights. Both aim at a ratio; here the budget is exact.
"""

import os
from importlib import import_module
from typing import Any, Final

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.errors import CompressorError

__all__ = ["CtxPrune", "LlmLingua2"]

_INSTALL: Final = "pip install 'compression-subnet[peers]'"
# Calls of LLMLingua-2 for one text: it cannot count our tokens, so that its rate is corrected by what came of it.
_TRIES: Final = 4
# Enough of the budget to leave it at that.
_ENOUGH: Final = 0.97
# What a corrected rate aims at, below the budget, since a little more is as bad as a lot.
_AIM: Final = 0.985


class LlmLingua2:
    """LLMLingua-2 (Pan et al. 2024) of the package ``llmlingua``.

    ``LLMLINGUA_MODEL`` names the folder with its weights. The package takes the kind of model from the folder's path,
    which must hold ``bert-base-multilingual-cased`` or ``xlm-roberta-large``. It fetches tiktoken's cl100k_base when
    it is made; without a network ``TIKTOKEN_CACHE_DIR`` names the folder that has it.

    Raises:
        CompressorError: the package or the weights are missing.
    """

    def __init__(self) -> None:
        package = _package("llmlingua")
        folder = _weights("LLMLINGUA_MODEL")
        device = "cuda" if import_module("torch").cuda.is_available() else "cpu"
        self._model: Any = package.PromptCompressor(
            model_name=folder,
            use_llmlingua2=True,
            device_map=device,
            # Its default, one dictionary for all, is changed in place.
            model_config={"trust_remote_code": False},
        )

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return LLMLingua-2's compression at the highest of a few rates that fits ``budget``.

        Where none does, the last one is cut.
        """
        size = budget.counter.count(text)
        if budget.tokens < 1 or not text.strip():
            return ""
        if size <= budget.tokens:
            return text.strip()
        rate, best, most, reply = budget.tokens / size, "", 0, ""
        for _ in range(_TRIES):
            reply = str(self._model.compress_prompt_llmlingua2([text], rate=rate)["compressed_prompt"]).strip()
            tokens = budget.counter.count(reply)
            if most <= tokens <= budget.tokens:
                best, most = reply, tokens
            if _ENOUGH * budget.tokens <= tokens <= budget.tokens or not tokens:
                break
            rate = min(1.0, rate * _AIM * budget.tokens / tokens)
        return best or head_truncation(reply, budget)


class CtxPrune:
    """The package ``ctxprune``; ``CTXPRUNE_MODEL`` names the folder with its weights.

    Raises:
        CompressorError: the package or the weights are missing.
    """

    def __init__(self) -> None:
        package = _package("ctxprune.compress")
        self._model: Any = package.Compressor(model=_weights("CTXPRUNE_MODEL"))

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return ctxprune's compression, whose cut it finds itself by counting with ``budget``'s counter."""
        size = budget.counter.count(text)
        if budget.tokens < 1 or not text.strip():
            return ""
        if size <= budget.tokens:
            return text.strip()
        found = self._model.compress(text, rate=budget.tokens / size, measure=budget.counter.count)
        reply = str(found["text"]).strip()
        return reply if budget.fits(reply) else head_truncation(reply, budget)


def _package(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise CompressorError(
            f"{name.partition('.')[0]} cannot be imported ({error}); install it: {_INSTALL}"
        ) from error


def _weights(variable: str) -> str:
    folder = os.environ.get(variable, "")
    if not os.path.isdir(folder):
        given = f"names {folder}, which is no folder" if folder else "is not set"
        raise CompressorError(f"{variable} {given}; set it to the folder with the model's weights")
    return folder
