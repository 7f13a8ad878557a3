"""What one step of the service came to, as a value."""

from dataclasses import dataclass

from compression_subnet.chain.port import Committed, WeightsOutcome, WeightsSet
from compression_subnet.scoring.controls import Void
from compression_subnet.validator.rewarding.settlement import Settled
from compression_subnet.validator.rewarding.warmth import Warmth

__all__ = ["Step", "step_of"]


@dataclass(frozen=True, slots=True)
class Step:
    """What one round came to.

    Attributes:
        round_number: in the record; of an earlier round where the record is full, and 0 before any that counted.
        void: why it moved nobody, or None.
        vector: 16-bit weights by uid that were computed; empty where nobody has earned any, or the round is void.
        outcome: what the chain made of them; None where nothing was sent.
        warmth: how warm the validator is: no vector is made before it is warm. None where that was not looked at.
        full: whether there was no room for a round, and the weights are of the last averages there were.
    """

    round_number: int
    void: Void | None
    vector: dict[int, int]
    outcome: WeightsOutcome | None
    warmth: Warmth | None = None
    full: bool = False

    @property
    def confirmed(self) -> bool:
        """Whether the chain has this round's weights."""
        return isinstance(self.outcome, WeightsSet | Committed)


def step_of(settled: Settled | None, full: bool = False) -> Step:
    """Return the step that ended in this; None is that there were no averages yet."""
    if settled is None:
        return Step(0, None, {}, None, full=full)
    attempt = settled.attempt
    if attempt is None:
        return Step(settled.round_number, None, {}, None, settled.warmth, full)
    return Step(settled.round_number, None, attempt.by_uid, attempt.outcome, settled.warmth, full)
