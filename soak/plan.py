"""Which faults happen when: a pure function of the seed."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeVar

from soak.damage import DAMAGES
from soak.judge import OUTAGES

__all__ = ["Fault", "Kind", "Phase", "plan_faults"]

T = TypeVar("T")


class Phase(StrEnum):
    """What the validator is doing when a fault begins."""

    START = "start"
    """The epoch has just begun."""
    ASKING = "asking"
    """Miners are being asked: ``after`` requests have come in."""
    JUDGING = "judging"
    """The judge is being asked: ``after`` requests have come in."""
    SENDING = "sending"
    """Weights have been handed to the chain, and no block has them yet, or the next one just has."""
    SET = "set"
    """A block has the weights; the record may not have them yet."""


class Kind(StrEnum):
    """What goes wrong."""

    KILL = "kill"
    """SIGKILL, and a restart as by a supervisor."""
    DAMAGE = "damage"
    """The same, and the record's file is damaged while nobody has it open."""
    STOP = "stop"
    """SIGTERM, and a restart."""
    CHAIN_DROP = "chain-drop"
    CHAIN_HANG = "chain-hang"
    CHAIN_SLOW = "chain-slow"
    CHAIN_REFUSE = "chain-refuse"
    """Reads are answered with errors."""
    POOL_REFUSE = "pool-refuse"
    """Extrinsics are refused."""
    BLOCK_JUMP = "block-jump"
    """More than an epoch of blocks at once."""
    JUDGE = "judge"
    """The judge fails in the manner of ``way``."""
    CLOCK_JUMP = "clock-jump"
    """The machine's clock is wrong by ``amount`` seconds, then right again."""
    SWAP = "swap"
    """``amount`` uids go to other hotkeys."""
    SHRINK = "shrink"
    """The ``amount`` highest uids are gone."""
    GROW = "grow"
    """``amount`` new miners register."""
    DISK_FULL = "disk-full"
    """SQLite finds no page to write to, and the folder shows no free space."""
    DISK_ERROR = "disk-error"
    """Every write to a file fails, the log's too."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of a plan.

    Attributes:
        epoch: of the soak, from 0.
        phase: when in it.
        after: how many requests into the phase, where it counts them; else milliseconds.
        kind: what goes wrong.
        seconds: how long.
        amount: how much, where the kind has an amount.
        way: how, where the kind has several ways.
    """

    epoch: int
    phase: Phase
    after: int
    kind: Kind
    seconds: float = 0.0
    amount: int = 0
    way: str = ""


STRETCH: Final = 200
"""Epochs after which the plan's rhythm repeats."""
BUSY: Final = 80
"""Of a stretch, the epochs in which processes die. In the others one lives on, so that a leak would show."""
KILLS_AN_EPOCH: Final = 0.4
DAMAGES_AN_EPOCH: Final = 0.1

_DYING: Final = frozenset({Kind.KILL, Kind.DAMAGE, Kind.STOP})
_DECK: Final = (*(kind for kind in Kind if kind is not Kind.DAMAGE), Kind.JUDGE, Kind.JUDGE, Kind.SWAP)
_COUNTED: Final = {Phase.ASKING: 180, Phase.JUDGING: 60}
"""By phase: about how many requests a round makes."""
_LARGEST_DELAY: Final = 300
"""Milliseconds into a phase that counts no requests."""


def plan_faults(seed: int, epochs: int) -> tuple[Fault, ...]:
    """Return the faults of a soak of so many epochs, by epoch; a longer one begins with the same.

    Every kind comes before any comes again, but for kills and damage, which come between them.
    """
    rng = random.Random(f"{seed}:soak")
    deck, damages = _deal(_DECK, rng), _deal(DAMAGES, rng)
    found: list[Fault] = []
    for epoch in range(epochs):
        dies = epoch % STRETCH < BUSY
        if dies and rng.random() < KILLS_AN_EPOCH:
            found.append(_fault(Kind.KILL, epoch, rng))
        if dies and rng.random() < DAMAGES_AN_EPOCH:
            found.append(replace(_fault(Kind.DAMAGE, epoch, rng), way=next(damages)))
        for _ in range(rng.choices((0, 1, 2), (30, 50, 20))[0]):
            kind = next(deck)
            if dies or kind not in _DYING:
                found.append(_fault(kind, epoch, rng))
    return tuple(found)


def _deal(cards: Sequence[T], rng: random.Random) -> Iterator[T]:
    while True:
        yield from rng.sample(cards, len(cards))


def _fault(kind: Kind, epoch: int, rng: random.Random) -> Fault:
    # Each from draws of its own, so that a new kind's needs do not change the others'.
    own = random.Random(rng.getrandbits(64))
    phase = own.choice(list(Phase))
    after = own.randrange(_COUNTED.get(phase, _LARGEST_DELAY))
    seconds = round(own.uniform(0.5, 3.0), 1)
    match kind:
        case Kind.BLOCK_JUMP:
            return Fault(epoch, phase, after, kind, amount=own.randint(5, 60))
        case Kind.JUDGE:
            return Fault(epoch, own.choice((Phase.START, phase)), after, kind, 2 * seconds, way=own.choice(OUTAGES))
        case Kind.CLOCK_JUMP:
            # Small ones are what time servers correct; large ones, what a machine without a battery wakes up with.
            amount = own.choice((1, -1)) * own.choice((3, 5, 60, 3_600, 86_400, 40 * 86_400))
            return Fault(epoch, phase, after, kind, seconds, amount)
        case Kind.SWAP | Kind.SHRINK | Kind.GROW:
            return Fault(epoch, phase, after, kind, amount=own.randint(1, 6))
        case Kind.DISK_FULL | Kind.DISK_ERROR:
            return Fault(epoch, phase, after, kind, 2 * seconds)
        case Kind.KILL | Kind.STOP | Kind.DAMAGE:
            return Fault(epoch, phase, after, kind)
    return Fault(epoch, phase, after, kind, seconds)
