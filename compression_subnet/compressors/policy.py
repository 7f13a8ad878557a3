"""How scores become a selection: what depends on the share of the text that may be kept."""

from dataclasses import dataclass
from typing import Final

import numpy as np

__all__ = ["Policy"]

_SHARES: Final = (0.2, 0.4, 0.6)

Levels = tuple[float, float, float]
"""A value for each of the budgets of 20, 40 and 60 %; in between it is interpolated, beyond it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a selection makes of scores; the defaults are those that suit the lexical scores.

    Attributes:
        caution: worth counts by the probability of being relevant to this power. Where there is room for most of the
            text, noise has nothing to offer, and misleads.
        coherence: what the words of a sentence are worth when next to nothing else of it is left. A small budget
            cannot tell the reader everything, so what it tells must be plain: whole sentences.
    """

    caution: Levels = (1.0, 1.5, 2.0)
    coherence: Levels = (0.6, 0.65, 0.75)

    def caution_at(self, share: float) -> float:
        """Return the caution where ``share`` of a text may be kept."""
        return float(np.interp(share, _SHARES, self.caution))

    def coherence_at(self, share: float) -> float:
        """Return the coherence where ``share`` of a text may be kept."""
        return float(np.interp(share, _SHARES, self.coherence))
