"""What averages and weights depend on beside a round's results: recorded with them, so that both can be recomputed."""

from collections.abc import Mapping
from dataclasses import dataclass

from compression_subnet.scoring import WeightRule

__all__ = ["RoundTerms", "VectorTerms"]


@dataclass(frozen=True, slots=True)
class RoundTerms:
    """What was so when a round began.

    Attributes:
        netuid: the subnet.
        hotkey: the validator's.
        spec_version: of this package, which is the version key of the weights.
        reuse: whether base texts and noise may come again: the answers of such a round stay secret.
        forgetting: λ, the factor by which an epoch's scores fade in the next.
        rule: how margins are paid.
        registered: uid by hotkey, of all that were registered.
    """

    netuid: int
    hotkey: str
    spec_version: int
    reuse: bool
    forgetting: float
    rule: WeightRule
    registered: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class VectorTerms:
    """What was so when a vector of weights was made, hours after its round began.

    Attributes:
        block: of the metagraph.
        registered: uid by hotkey, of all that were registered at that block.
        burn: hotkey of the subnet's owner, to which weight is burned; None where that is not wanted, or where the
            owner is not registered.
        burn_unearned: whether it gets all weight where nobody has earned any.
        burn_share: its share of all weight where somebody has, in [0, 1].
    """

    block: int
    registered: Mapping[str, int]
    burn: str | None = None
    burn_unearned: bool = False
    burn_share: float = 0.0
