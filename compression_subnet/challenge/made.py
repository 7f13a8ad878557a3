"""A challenge made ahead, with what is known of its making."""

from dataclasses import dataclass, replace

from compression_subnet.challenge.filters import Checks
from compression_subnet.challenge.types import Challenge

__all__ = ["Made", "Recipe"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What challenges must have been made by to be drawn.

    Attributes:
        settings: hash of the corpus source and of all settings of the builder and the filter.
        profile: hash of the judge that filtered the questions.
    """

    settings: str
    profile: str


@dataclass(frozen=True, slots=True)
class Made:
    """A challenge with what is known of its making.

    Attributes:
        candidate: the challenge with all its candidate questions, so that they can be filtered anew.
        kept: indices of the questions that passed and were chosen.
        checks: what the filter found.
    """

    candidate: Challenge
    kept: tuple[int, ...]
    checks: Checks

    @property
    def challenge(self) -> Challenge:
        """The challenge as it is asked."""
        return replace(self.candidate, questions=tuple(self.candidate.questions[i] for i in self.kept))
