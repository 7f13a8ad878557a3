"""Miners that a validator must cope with: one that ignores the budget, and one that often fails.

For demonstrations and tests of the validator; neither can earn anything on a network.
"""

from itertools import count

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.errors import CompressorError

__all__ = ["Flaky", "WholeText"]


class WholeText:
    """Returns the text as it is: over budget, so a validator must find it not compliant and score it 0."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return ``text``, whatever the ``budget``."""
        return text


class Flaky:
    """The lexical compressor, which fails on every second text: a validator must go on without it."""

    def __init__(self) -> None:
        self._calls = count()
        self._inner = LexicalCompressor()

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return what the lexical compressor does, or fail.

        The first call succeeds, so that a miner can start with it.

        Raises:
            CompressorError: on every second call.
        """
        if next(self._calls) % 2:
            raise CompressorError("this compressor fails on every second text, on purpose")
        return self._inner.compress(text, budget)
