"""From standings to the integers that go on chain.

weight ∝ max(0, Score − baseline − z · s.e.)^p, divided by the number of a reply's copies, then scaled so that the
largest is 65535, which is what the chain itself does.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from compression_subnet.errors import InputError
from compression_subnet.scoring.averages import Standing

__all__ = ["U16_MAX", "WeightRule", "earned_weights", "quantise", "shares"]

U16_MAX: Final = 65535


@dataclass(frozen=True, slots=True)
class WeightRule:
    """How a margin over the baseline is paid.

    Attributes:
        z: how many standard errors of the paired difference are taken off.
        power: the integer exponent p; more than 1 makes one good hotkey worth more than two middling ones.
        min_challenges: scored challenges a level before a hotkey has any weight.
    """

    z: float = 2.0
    power: int = 2
    min_challenges: int = 40

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant."""
        if not (math.isfinite(self.z) and self.z >= 0 and self.power >= 1 and self.min_challenges >= 1):
            raise InputError(f"unusable weight rule {self}: z >= 0, power >= 1 and min_challenges >= 1 are needed")


def earned_weights(
    standings: Mapping[str, Standing], rule: WeightRule, copies: Collection[frozenset[str]] = ()
) -> dict[str, float]:
    """Return each hotkey's weight, not normalised; those who earn none are left out.

    Args:
        standings: by hotkey.
        rule: how margins are paid.
        copies: sets of hotkeys whose replies are copies of each other; each member's weight is divided by the size
            of its set, so that a set earns what one of it would.
    """
    size = {hotkey: len(group) for group in copies for hotkey in group}
    earned = {}
    for hotkey, standing in standings.items():
        if standing.challenges < rule.min_challenges:
            continue
        allowance = rule.z * standing.margin_stderr if rule.z else 0.0  # 0 · ∞ is no number
        excess = standing.margin - allowance
        if excess > 0:  # NaN is not
            earned[hotkey] = excess**rule.power / size.get(hotkey, 1)
    return earned


def quantise(weights: Mapping[int, float]) -> dict[int, int]:
    """Return the weights as the 16-bit integers of the chain: the largest is 65535, zeros are left out.

    Args:
        weights: by uid, not negative, finite.

    Raises:
        InputError: a weight is NaN, infinite or negative.
    """
    for uid, weight in weights.items():
        if not (math.isfinite(weight) and weight >= 0):
            raise InputError(f"the weight of uid {uid} is {weight}; nothing was sent")
    largest = max(weights.values(), default=0.0)
    if largest == 0:
        return {}
    scaled = {uid: round(weight / largest * U16_MAX) for uid, weight in sorted(weights.items())}
    return {uid: value for uid, value in scaled.items() if value}


def shares(weights: Mapping[int, int]) -> dict[int, float]:
    """Return integer weights as shares that sum to 1; nothing where all are 0."""
    total = sum(weights.values())
    return {uid: value / total for uid, value in weights.items()} if total else {}
