"""What a compressor is: one method, the budget that it is given, and the options that a model takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from compression_subnet.text.tokens import TokenCounter

__all__ = ["BatchCompressor", "Compressor", "CompressorOptions", "TokenBudget"]


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """The most tokens that a reply may have, and the counter that will be used to check it.

    Attributes:
        tokens: the limit, in tokens; it binds, and there is no tolerance.
        counter: counts as the validator will.
    """

    tokens: int
    counter: TokenCounter

    def fits(self, text: str) -> bool:
        """Whether ``text`` is within the limit."""
        return self.counter.count(text) <= self.tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressorOptions:
    """How a compressor with a model is to run it.

    Attributes:
        model: name on the hub or folder of an encoder or token classifier; None is the compressor's own.
        device: ``auto`` (a GPU if there is one, else the CPU), or as torch writes it: ``cpu``, ``cuda:1``.
        dtype: ``auto`` (bfloat16 on a GPU or a CPU that computes in it, else int8 on a CPU that is faster so, else
            float32), ``float32``, ``bfloat16``, ``float16`` or, on a CPU, ``int8``.
        batch_tokens: most of the model's tokens in one forward pass, padding included.
        threads: threads for the CPU's arithmetic; None leaves the process as it is.
        compile: whether the model is compiled for each length of window, at the start; on a GPU only.
    """

    model: str | None = None
    device: str = "auto"
    dtype: str = "auto"
    batch_tokens: int = 16384
    threads: int | None = None
    compile: bool = False


class Compressor(Protocol):
    """Anything that shortens a text to a token budget.

    An implementation is a class that can be made without arguments, named by an entry point of the group
    ``compression_subnet.compressors`` or as ``module:attribute``. One that has options is made by a class method
    ``from_options(options: CompressorOptions)`` in place of that.
    """

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return what is to be kept of ``text``, in at most ``budget.tokens`` tokens.

        The result may be empty where nothing fits; that is a valid reply, and scores 0.

        Raises:
            CompressorError: the text cannot be compressed (a model that is missing, say).
        """


class BatchCompressor(Compressor, Protocol):
    """A compressor that is faster with several texts at a time."""

    def compress_batch(self, requests: Sequence[tuple[str, TokenBudget]]) -> list[str]:
        """Return for each text and budget, in order, what ``compress`` would.

        Raises:
            CompressorError: the texts cannot be compressed.
        """
