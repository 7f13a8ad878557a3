"""Compressing one text as the subnet would ask for it, and saying what came of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.registry import find_compressor
from compression_subnet.errors import ConfigurationError
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import DEFAULT_TOKENIZER, get_tokenizer

__all__ = ["CompressionResult", "compress_text"]


@dataclass(frozen=True, slots=True)
class CompressionResult:
    """What a compressor made of a text; every number is counted from the strings.

    Attributes:
        compressed_text: the reply, canonical and stripped, which is how a validator counts it.
        tokens: tokens of ``compressed_text``.
        budget_tokens: the most that it may have: ``tokens_in * level // 100``.
        tokens_in: tokens of the canonical text.
        level: target ratio in per cent.
        compressor: name by which the compressor was found.
        tokenizer: name of the tokenizer.
        tokenizer_sha256: hexadecimal SHA-256 of its vocabulary.
        seconds: time that ``compress`` took, without finding or loading anything.
    """

    compressed_text: str
    tokens: int
    budget_tokens: int
    tokens_in: int
    level: int
    compressor: str
    tokenizer: str
    tokenizer_sha256: str
    seconds: float

    @property
    def within_budget(self) -> bool:
        """Whether a validator would find the reply compliant in length: not empty, and not over the budget."""
        return 0 < self.tokens <= self.budget_tokens

    @property
    def ratio(self) -> float:
        """Share of the tokens that were kept; 0 for an empty text."""
        return self.tokens / self.tokens_in if self.tokens_in else 0.0


def compress_text(
    text: str,
    level: int,
    compressor_name: str = "reference",
    tokenizer_name: str = DEFAULT_TOKENIZER,
    clock: Callable[[], float] = time.perf_counter,
) -> CompressionResult:
    """Compress ``text`` to ``level`` per cent of its tokens.

    The text is made canonical first, as a validator's are.

    Args:
        text: any text.
        level: target ratio in per cent, 1 to 100; the subnet asks for 20, 40 and 60.
        compressor_name: registered name, or ``module:attribute``.
        tokenizer_name: what to count in.
        clock: gives the time in seconds.

    Raises:
        ConfigurationError: the level is out of range.
        CompressorError: the compressor cannot be found, or failed.
        TokenizerError: the tokenizer is unknown.
    """
    if not 1 <= level <= 100:
        raise ConfigurationError(f"level {level} is out of range: give a per cent from 1 to 100, such as 20")
    tokenizer = get_tokenizer(tokenizer_name)
    compressor = find_compressor(compressor_name)
    text = canonical(text)
    tokens_in = tokenizer.count(text)
    budget = TokenBudget(tokens_in * level // 100, tokenizer)
    started = clock()
    reply = compressor.compress(text, budget)
    seconds = clock() - started
    reply = canonical(reply).strip()
    return CompressionResult(
        compressed_text=reply,
        tokens=tokenizer.count(reply),
        budget_tokens=budget.tokens,
        tokens_in=tokens_in,
        level=level,
        compressor=compressor_name,
        tokenizer=tokenizer.name,
        tokenizer_sha256=tokenizer.sha256,
        seconds=seconds,
    )
