"""What a compressor is: one method, and the budget that it is given."""

from dataclasses import dataclass
from typing import Protocol

from compression_subnet.text.tokens import TokenCounter

__all__ = ["Compressor", "TokenBudget"]


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


class Compressor(Protocol):
    """Anything that shortens a text to a token budget.

    An implementation is a class that can be made without arguments, named by an entry point of the group
    ``compression_subnet.compressors`` or as ``module:attribute``.
    """

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return what is to be kept of ``text``, in at most ``budget.tokens`` tokens.

        The result may be empty where nothing fits; that is a valid reply, and scores 0.

        Raises:
            CompressorError: the text cannot be compressed (a model that is missing, say).
        """
