"""Whether the averages of a record are enough to make weights of. Pure."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from compression_subnet.errors import InputError
from compression_subnet.scoring import Average

__all__ = ["WarmRule", "Warmth", "warmth_of"]


@dataclass(frozen=True, slots=True)
class WarmRule:
    """When a validator is warm.

    Attributes:
        share: of the serving hotkeys that must be warm, 0 to 1.
        rounds: that counted, after which the validator is warm however few of them are.
        stale_epochs: how old an average, or a round, may be to count for this. At the default forgetting 0.85, 30
            epochs leave less than 1 % of what was known.
    """

    share: float = 0.5
    rounds: int = 10
    stale_epochs: int = 30

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant."""
        if not (0 <= self.share <= 1 and self.rounds >= 1 and self.stale_epochs >= 1):
            raise InputError(f"unusable {self}: 0 <= share <= 1, rounds >= 1 and stale_epochs >= 1 are needed")


@dataclass(frozen=True, slots=True)
class Warmth:
    """How warm a validator is.

    Attributes:
        hotkeys: serving ones that are warm.
        serving: hotkeys that publish an address.
        needed: warm hotkeys that are enough.
        rounds: that counted lately.
        needed_rounds: that are enough.
    """

    hotkeys: int
    serving: int
    needed: int
    rounds: int
    needed_rounds: int

    @property
    def warm(self) -> bool:
        """Whether weights may be set."""
        return self.hotkeys >= self.needed or self.rounds >= self.needed_rounds

    def __str__(self) -> str:
        """Say how far it is."""
        return (
            f"{self.hotkeys} of {self.serving} serving hotkeys have enough scored challenges, and {self.needed} are "
            f"needed, or {self.needed_rounds} rounds that count, of which there are {self.rounds}"
        )


def warmth_of(
    averages: Mapping[str, Average],
    serving: Collection[str],
    epoch: int,
    rounds: int,
    min_challenges: int,
    rule: WarmRule,
) -> Warmth:
    """Return how warm a validator is.

    A hotkey has no weight until it has ``min_challenges`` scored challenges a level (MECHANISM.md, 8). That is not
    enough for the whole: weights are shares, so in a record that was begun anew, after damage or on a new machine, the
    few hotkeys that happen to get there first would be paid what all the others had earned. So nothing is set until
    ``rule.share`` of the serving hotkeys are there. Missing replies are scored, with 0, so dead miners do not hold this
    up; what does is a judge that fails or a bound on costs, and therefore ``rule.rounds`` rounds are enough in any
    case. The rule looks at the last ``rule.stale_epochs`` alone: after a longer stop the averages are kept, and fade as
    they do in any epoch, but a validator is not warm again before it has asked anew.

    Args:
        averages: by hotkey, after the last round that counted.
        serving: hotkeys that publish an address, the validator's own left out.
        epoch: of that round.
        rounds: how many rounds counted in the last ``rule.stale_epochs`` epochs, that round included.
        min_challenges: scored challenges a level before a hotkey has any weight.
        rule: when it is enough.
    """
    oldest = epoch - rule.stale_epochs
    warm = sum(
        (average := averages.get(hotkey)) is not None
        and average.epoch > oldest
        and average.standing().challenges >= min_challenges
        for hotkey in set(serving)
    )
    # 0.1 · 30 is a little more than 3.
    needed = math.ceil(round(rule.share * len(set(serving)), 9))
    return Warmth(warm, len(set(serving)), needed, rounds, rule.rounds)
