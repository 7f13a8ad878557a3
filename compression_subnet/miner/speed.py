"""How long a compressor will take, from how long it has taken."""

from dataclasses import dataclass
from typing import Final, Self

__all__ = ["Speed"]

# A slower measurement counts half, a faster one a tenth: careful soon, bold late.
_UP: Final = 0.5
_DOWN: Final = 0.1


@dataclass(frozen=True, slots=True)
class Speed:
    """A running estimate.

    Attributes:
        seconds_per_token: of texts, before compression.
    """

    seconds_per_token: float

    @classmethod
    def measured(cls, tokens: int, seconds: float) -> Self:
        """Return the speed of one call."""
        return cls(max(seconds, 0.0) / max(tokens, 1))

    def after(self, tokens: int, seconds: float) -> "Speed":
        """Return the estimate after another call, of ``tokens`` in all its texts."""
        step = Speed.measured(tokens, seconds).seconds_per_token - self.seconds_per_token
        return Speed(self.seconds_per_token + step * (_UP if step > 0 else _DOWN))

    def seconds(self, tokens: int) -> float:
        """Return how long ``tokens`` will take."""
        return self.seconds_per_token * tokens
