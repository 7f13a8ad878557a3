"""The controls of a round: whether its judge could be trusted at all.

Beside the miners' replies the judge answers from the full text (the ceiling), from no text (the floor) and from head
truncation (the naive baseline). A round whose controls fail moves nobody.
"""

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

__all__ = ["MIN_CEILING", "MIN_CEILING_ANSWERS", "Void", "void_reason"]

MIN_CEILING: Final = Fraction(4, 5)
MIN_CEILING_ANSWERS: Final = 50


class Void(StrEnum):
    """Why a round does not count."""

    CONTROLS_UNSCORED = "controls_unscored"
    """The judge could not answer the controls of any challenge."""
    WEAK_CEILING = "weak_ceiling"
    """The judge answers too badly from the full text."""
    NO_REPLY = "no_reply"
    """Not one miner replied: more likely our network than all of theirs."""


def void_reason(ceiling: Sequence[Fraction], replies: int) -> Void | None:
    """Return why a round is void, or None where it counts.

    Args:
        ceiling: F1 of every answer from a full text, over the challenges whose controls are all settled.
        replies: how many replies came from any miner, compliant or not.
    """
    if not ceiling:
        return Void.CONTROLS_UNSCORED
    if len(ceiling) >= MIN_CEILING_ANSWERS and sum(ceiling, Fraction(0)) < MIN_CEILING * len(ceiling):
        return Void.WEAK_CEILING
    if replies == 0:
        return Void.NO_REPLY
    return None
