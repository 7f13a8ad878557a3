"""What the demo shows: every miner's scores, and whether the chain has the weights that were computed. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from compression_subnet.scoring import LEVELS, Average, shares

__all__ = ["DemoMiner", "DemoResult", "MinerRow", "demo_result"]

# Both sides are integers over the sum of the same integers: they differ by rounding of a double at most.
TOLERANCE: Final = 1e-9


@dataclass(frozen=True, slots=True)
class DemoMiner:
    """A miner of the demo.

    Attributes:
        name: of the miner and of its compressor.
        uid: on the subnet.
        hotkey: its address.
        over_budget: whether it is there to be caught: it must not have any weight.
    """

    name: str
    uid: int
    hotkey: str
    over_budget: bool


@dataclass(frozen=True, slots=True)
class MinerRow:
    """One line of the table; weights are shares that sum to 1 over all miners."""

    miner: DemoMiner
    levels: Mapping[int, float]
    score: float
    stderr: float
    challenges: int
    reasons: Mapping[str, int]
    weight_computed: float
    weight_on_chain: float


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The outcome of the demo.

    Attributes:
        agree: whether chain and computation agree, there are weights at all, and the miner over budget has none.
        rows: one a miner.
        seconds: wall time.
    """

    agree: bool
    rows: Sequence[MinerRow]
    seconds: float

    @property
    def challenges(self) -> int:
        """Over how many challenges the scores are, of the miner that was scored in most."""
        return max((row.challenges for row in self.rows), default=0)

    def as_json(self) -> dict[str, Any]:
        """Return the result as plain values for ``json``; an unknown standard error is None."""
        return {
            "agree": self.agree,
            "miners": [
                {
                    "name": row.miner.name,
                    "uid": row.miner.uid,
                    "hotkey": row.miner.hotkey,
                    "scores": {str(level): row.levels.get(level, 0.0) for level in LEVELS},
                    "score": row.score,
                    "stderr": row.stderr if row.stderr != float("inf") else None,
                    "weight_computed": row.weight_computed,
                    "weight_on_chain": row.weight_on_chain,
                    "reasons": dict(row.reasons),
                }
                for row in self.rows
            ],
            "seconds": self.seconds,
        }


def demo_result(
    miners: Sequence[DemoMiner],
    averages: Mapping[str, Average],
    reasons: Mapping[str, Mapping[str, int]],
    computed: Mapping[str, int],
    on_chain: Mapping[int, float],
    seconds: float,
) -> DemoResult:
    """Put the validator's record beside the chain.

    Args:
        miners: of the demo.
        averages: by hotkey, from the record.
        reasons: how often each hotkey's replies got each verdict.
        computed: 16-bit weights by hotkey, from the record.
        on_chain: the validator's row of weights as read from the chain, as shares by uid.
        seconds: wall time.
    """
    by_uid = {m.uid: computed[m.hotkey] for m in miners if m.hotkey in computed}
    share = shares(by_uid)
    rows = []
    for miner in miners:
        average = averages.get(miner.hotkey, Average.empty(0))
        standing = average.standing()
        rows.append(
            MinerRow(
                miner=miner,
                levels=standing.levels,
                score=standing.score,
                stderr=standing.stderr,
                challenges=sum(tally.count for tally in average.scores.values()),
                reasons=reasons.get(miner.hotkey, {}),
                weight_computed=share.get(miner.uid, 0.0),
                weight_on_chain=on_chain.get(miner.uid, 0.0),
            )
        )
    known = {m.uid for m in miners}
    agree = (
        bool(share)
        and len(by_uid) == len(computed)
        and all(abs(row.weight_computed - row.weight_on_chain) <= TOLERANCE for row in rows)
        and not any(weight for uid, weight in on_chain.items() if uid not in known)
        and not any(row.weight_on_chain or row.weight_computed for row in rows if row.miner.over_budget)
    )
    return DemoResult(agree, rows, seconds)
