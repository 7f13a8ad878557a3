"""When to set weights next: a pure function of block numbers.

Weights count for an epoch where they are on chain before it runs. So a validator sets them once per epoch, late,
when its averages have seen most of the epoch's rounds, but with a margin for blocks that are full or slow.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from compression_subnet.chain.port import Metagraph
from compression_subnet.errors import ChainError

__all__ = ["LEAST_MARGIN", "Decision", "Position", "Reason", "position", "when_to_set"]

LEAST_MARGIN = 2
"""What is sent at a block is in the next one at the earliest, and an epoch runs before its block's own calls."""


class Reason(StrEnum):
    """Why a decision is what it is."""

    DUE = "the epoch is near and nothing stands in the way"
    EARLY = "the epoch is not near yet"
    RATE_LIMIT = "the rate limit has not passed"
    DONE = "weights are set for this epoch"
    MISSED = "what is sent now would miss this epoch"
    BARRED = "the rate limit passes too late for this epoch"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a validator stands in its subnet's epoch. All are block numbers, or counts of blocks."""

    block: int
    """The newest block."""
    next_epoch: int
    """The block at which the next epoch runs."""
    tempo: int
    """Blocks from one epoch to the next."""
    last_update: int
    """The hotkey's last update on chain; the chain counts its registration as one."""
    registered_at: int
    """The block of that registration."""
    rate_limit: int
    """Least blocks between two updates."""

    def __post_init__(self) -> None:
        least = min(self.block, self.next_epoch, self.last_update, self.registered_at, self.rate_limit)
        if least < 0 or self.tempo < 1:
            raise ValueError(f"not a position in an epoch: {self}")


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do about weights."""

    action: Literal["set", "wait", "skip"]
    """``set`` now; ``wait`` until ``block`` and set then; ``skip`` this epoch and look again at ``block``."""
    block: int
    """Past the newest block, except for ``set``, where it is the newest block."""
    reason: Reason


def position(metagraph: Metagraph, hotkey: str, next_epoch: int) -> Position:
    """Return where ``hotkey`` stands.

    Raises:
        ChainError: it is not registered on the subnet.
    """
    neuron = metagraph.by_hotkey(hotkey)
    if neuron is None:
        raise ChainError(
            f"{hotkey} is not registered on subnet {metagraph.netuid}; register it with: "
            f"btcli subnets register --netuid {metagraph.netuid}"
        )
    return Position(
        block=metagraph.block,
        next_epoch=next_epoch,
        tempo=metagraph.hyperparameters.tempo,
        last_update=neuron.last_update,
        registered_at=neuron.registered_at,
        rate_limit=metagraph.hyperparameters.weights_rate_limit,
    )


def when_to_set(position: Position, margin: int) -> Decision:
    """Return whether to set weights now.

    Never before the rate limit has passed, at most once an epoch, and ``margin`` blocks before the epoch where the
    rate limit leaves that much room; where it leaves less, as soon as it has passed, while that is still in time.

    Args:
        position: where the validator stands.
        margin: blocks before the epoch at which to send weights, at least ``LEAST_MARGIN``. More than the tempo
            means as soon as the last epoch has run.

    Raises:
        ValueError: ``margin`` is too small.
    """
    if margin < LEAST_MARGIN:
        raise ValueError(f"a margin of {margin} blocks is too late for the epoch; give at least {LEAST_MARGIN}")
    now, epoch = position.block, position.next_epoch
    began, latest = epoch - position.tempo, epoch - LEAST_MARGIN
    free = position.last_update + position.rate_limit if position.last_update else 0
    again = max(epoch, now + 1)
    if position.last_update > position.registered_at and position.last_update >= began:
        return Decision("skip", again, Reason.DONE)
    if now > latest:
        return Decision("skip", again, Reason.MISSED)
    if free > latest:
        return Decision("skip", again, Reason.BARRED)
    due = max(min(max(epoch - margin, began), latest), free)
    if now >= due:
        return Decision("set", now, Reason.DUE)
    return Decision("wait", due, Reason.RATE_LIMIT if due == free else Reason.EARLY)
