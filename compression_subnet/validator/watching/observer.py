"""What the service tells of itself while it works, for whoever watches it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.scoring import Average
from compression_subnet.validator.rewarding.warmth import Warmth
from compression_subnet.validator.rewarding.weighting import Attempt
from compression_subnet.validator.rounds.results import RoundResult

__all__ = ["Observer", "Phase", "Unobserved"]


class Phase(StrEnum):
    """What a validator is about."""

    DRAWING = "drawing challenges"
    ASKING = "asking and judging"
    SETTING = "setting weights"
    TIDYING = "archiving old rounds"
    WAITING = "waiting for the next epoch"
    RETRYING = "waiting to try again"


class Observer(Protocol):
    """Is told; must neither raise nor block."""

    def entered(self, phase: Phase) -> None:
        """A phase began."""

    def scored_challenge(self) -> None:
        """One challenge of the round is judged and recorded."""

    def finished_round(self, number: int, result: RoundResult, averages: Mapping[str, Average] | None) -> None:
        """A round is recorded, with the averages after it; None where it is void."""

    def found_warmth(self, warmth: Warmth) -> None:
        """Whether there is enough to make weights of was looked at."""

    def set_weights(self, attempt: Attempt) -> None:
        """A round's weights were dealt with."""

    def failed(self, error: CompressionSubnetError) -> None:
        """A step failed, and will be tried again."""

    def succeeded(self) -> None:
        """A step went well."""


class Unobserved:
    """Nobody watches."""

    def entered(self, phase: Phase) -> None:
        """Do nothing."""

    def scored_challenge(self) -> None:
        """Do nothing."""

    def finished_round(self, number: int, result: RoundResult, averages: Mapping[str, Average] | None) -> None:
        """Do nothing."""

    def found_warmth(self, warmth: Warmth) -> None:
        """Do nothing."""

    def set_weights(self, attempt: Attempt) -> None:
        """Do nothing."""

    def failed(self, error: CompressionSubnetError) -> None:
        """Do nothing."""

    def succeeded(self) -> None:
        """Do nothing."""
