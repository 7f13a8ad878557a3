"""What answers cost: the provider's token counts at the operator's prices."""

import math
from dataclasses import dataclass

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.types import Usage

__all__ = ["Prices"]

PER: float = 1e6
"""Tokens that a price is for."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of a million tokens, in whatever currency.

    Attributes:
        prompt: of prompt tokens.
        completion: of completion tokens.
        cached: of prompt tokens that the provider read from its cache; those of ``prompt`` if None.

    Raises:
        ConfigurationError: a price is negative or no number.
    """

    prompt: float = 0.0
    completion: float = 0.0
    cached: float | None = None

    def __post_init__(self) -> None:
        for price in (self.prompt, self.completion, self.cached):
            if price is not None and not 0 <= price < math.inf:
                raise ConfigurationError(f"a price of {price} a million tokens cannot be; give 0 or more")

    def cost(self, usage: Usage) -> float:
        """Return what ``usage`` costs."""
        cached = self.prompt if self.cached is None else self.cached
        # A provider that reports more cached tokens than prompt tokens is wrong; nobody is paid for it.
        fresh = max(0, usage.prompt_tokens - usage.cached_tokens)
        terms = (fresh * self.prompt, usage.cached_tokens * cached, usage.completion_tokens * self.completion)
        return math.fsum(terms) / PER
