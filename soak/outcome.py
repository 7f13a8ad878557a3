"""What a soak came to, and whether what the processes held stayed flat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

__all__ = ["Growth", "Outcome", "Sample", "growth_of"]

WARM_UP: Final = 60
"""Epochs of a process's life that are not looked at: caches fill, that of base texts (256 of them) last of all."""
LEAST_SAMPLES: Final = 40
"""Epochs of life after that, from which on a slope is fitted."""
MOST_BYTES_AN_EPOCH: Final = 32 * 1024
"""Of resident memory; an epoch of mainnet is 72 minutes. A pool of connections that once leaked took 80 KB an epoch."""
MOST_IN_USE_AN_EPOCH: Final = 16 * 1024
"""Of that, what is in use, and no gap between what is: one reply of a miner that is kept in each round takes more."""
MOST_BLOCKS_AN_EPOCH: Final = 200.0
"""Objects of Python; one round makes and frees some hundred thousand."""
MOST_DESCRIPTORS_AN_EPOCH: Final = 0.1
MOST_DESCRIPTORS: Final = 60
"""Between rounds: the chain's connection, the judge's sixteen, files with their logs, the loop's own."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process held.

    Attributes:
        epoch: number of the epoch.
        life: the how-manieth process.
        resident: bytes of memory at the epoch's end.
        descriptors: the fewest that were open within the epoch.
        in_use: the least that C's allocator had in use within the epoch, in bytes; 0 if it does not say.
        blocks: the least that Python's had, in objects.
    """

    epoch: int
    life: int
    resident: int
    descriptors: int
    in_use: int = 0
    blocks: int = 0


@dataclass(frozen=True, slots=True)
class Growth:
    """Least-squares slopes over one process's life.

    Attributes:
        life: the how-manieth process.
        epochs: over so many.
        bytes_an_epoch: of resident memory.
        in_use_an_epoch: bytes of C's allocator that are in use.
        blocks_an_epoch: of Python's allocator, likewise.
        descriptors_an_epoch: likewise.
        most_descriptors: of all samples.
    """

    life: int
    epochs: int
    bytes_an_epoch: float
    in_use_an_epoch: float
    blocks_an_epoch: float
    descriptors_an_epoch: float
    most_descriptors: int

    @property
    def flat(self) -> bool:
        """Whether it is within the bounds."""
        return (
            self.bytes_an_epoch <= MOST_BYTES_AN_EPOCH
            and self.in_use_an_epoch <= MOST_IN_USE_AN_EPOCH
            and self.blocks_an_epoch <= MOST_BLOCKS_AN_EPOCH
            and self.descriptors_an_epoch <= MOST_DESCRIPTORS_AN_EPOCH
            and self.most_descriptors <= MOST_DESCRIPTORS
        )


@dataclass(slots=True)
class Outcome:
    """A soak's result, filled in as it runs.

    Attributes:
        seed: of the plan.
        first: the epoch it began with.
        epochs: that were run.
        seconds: of wall clock.
        starts: of the validator.
        faults: how many of each kind were injected.
        exits: how often it left by itself, by exit status.
        rounds: that were recomputed as a whole at the end, and are equal, by status.
        archived: of these, how many had left their record for an archive.
        vectors: weights on chain that were compared with the record.
        unrecorded: of those, how many the record does not have: the process died, or the disk failed, in between.
        set_aside: damaged records that were set aside.
        samples: what the processes held.
        problems: each breach of what must always hold.
    """

    seed: int
    first: int
    epochs: int = 0
    seconds: float = 0.0
    starts: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    exits: dict[str, int] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    vectors: int = 0
    unrecorded: int = 0
    archived: int = 0
    set_aside: int = 0
    samples: list[Sample] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def growth(self) -> list[Growth]:
        """The slopes of every process that lived long enough."""
        lives: dict[int, list[Sample]] = {}
        for sample in self.samples:
            lives.setdefault(sample.life, []).append(sample)
        return [growth for samples in lives.values() if (growth := growth_of(samples)) is not None]


def growth_of(samples: Sequence[Sample]) -> Growth | None:
    """Return how one process grew; None where it did not live long enough."""
    settled = samples[WARM_UP:]
    if len(settled) < LEAST_SAMPLES:
        return None
    slopes: Mapping[str, float] = {
        name: float(np.polyfit([s.epoch for s in settled], [getattr(s, name) for s in settled], 1)[0])
        for name in ("resident", "in_use", "blocks", "descriptors")
    }
    return Growth(
        life=settled[0].life,
        epochs=len(settled),
        bytes_an_epoch=slopes["resident"],
        in_use_an_epoch=slopes["in_use"],
        blocks_an_epoch=slopes["blocks"],
        descriptors_an_epoch=slopes["descriptors"],
        most_descriptors=max(s.descriptors for s in settled),
    )
