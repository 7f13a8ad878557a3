"""Who is on the subnet: kinds of miners beside a field of honest ones, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

__all__ = ["ALONE", "FIELD", "SCENARIOS", "Kind", "Scenario", "field_kinds"]

FIELD: Final = "honest field"
"""Name of the miners that are there in every scenario."""
ALONE: Final = "one honest"
"""Name of the single miner, of the reference's skill, that every other is compared with."""
_SPREAD: Final = 0.2
"""How far the field's skills lie on either side of the reference's, as shifts."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Hotkeys of one kind.

    Shifts are of the probit scale: a question that the reference answers with probability p is answered with
    Φ(Φ⁻¹(p) + shift). Moments are shares of the run, from 0 to 1.

    Attributes:
        name: what they are called.
        hotkeys: how many.
        method: whose scores they start from: ``reference``, ``truncation`` or ``random``.
        shift: skill beside that method's.
        falls_to: shift at the end of their fall, which takes from one third of the run to two thirds; None stays.
        arrives: when they register.
        dark_from: from when they reply no more; None is never.
        source: of their replies; kinds with the same one reply from the same compressor. Its name if empty.
        alike: correlation of what hotkeys of one source get right beyond what any two miners have in common; with 1
            and equal skill they get the same right.
        words: Jaccard similarity of their replies' words within a source, which is what the copy rule looks at.
    """

    name: str
    hotkeys: int = 1
    method: str = "reference"
    shift: float = 0.0
    falls_to: float | None = None
    arrives: float = 0.0
    dark_from: float | None = None
    source: str = ""
    alike: float = 1.0
    words: float = 1.0

    @property
    def origin(self) -> str:
        """The source of their replies."""
        return self.source or self.name

    def shift_at(self, moment: float) -> float:
        """Return the shift at a moment of the run."""
        if self.falls_to is None:
            return self.shift
        fallen = min(1.0, max(0.0, 3 * moment - 1))
        return self.shift + fallen * (self.falls_to - self.shift)

    def replies_at(self, moment: float) -> bool:
        """Return whether they reply at a moment of the run."""
        return self.dark_from is None or moment < self.dark_from


@dataclass(frozen=True, slots=True)
class Scenario:
    """A question about the mechanism, and the kinds of miners that answer it.

    Attributes:
        name: on the command line.
        title: the question.
        kinds: beside the field and the one honest miner.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...]


def field_kinds(miners: int) -> tuple[Kind, ...]:
    """Return the honest field, one kind a hotkey, each with a compressor of its own, and the one honest miner."""
    steps = max(1, miners - 1)
    shifts = [_SPREAD * (2 * i / steps - 1) for i in range(miners)]
    return (*(Kind(FIELD, shift=shift, source=f"field {i}") for i, shift in enumerate(shifts)), Kind(ALONE))


_ALL: Final = (
    Scenario(
        "clones",
        "Eight registrations of one unmodified compressor: do they earn more than one?",
        (Kind("8 clones", hotkeys=8),),
    ),
    Scenario(
        "sybils",
        "Eight registrations whose replies differ in a fifth of their words: does the copy rule hold?",
        (Kind("8 sybils", hotkeys=8, alike=0.9, words=0.8),),
    ),
    Scenario(
        "better",
        "A better miner registers after a third of the run: does it overtake those who were there?",
        (Kind("better", shift=0.35, arrives=1 / 3),),
    ),
    Scenario(
        "entrenched",
        "The two best miners rest on what they have: one decays to the middle of the field, one goes dark.",
        (Kind("decays", shift=0.35, falls_to=0.0), Kind("goes dark", shift=0.35, dark_from=1 / 3)),
    ),
    Scenario(
        "copier",
        "The reference, an unmodified copy of it, and a copy edited until it passes for its own.",
        (
            Kind("reference", source="reference"),
            Kind("copier", source="reference"),
            Kind("edited copy", source="reference", shift=-0.05, alike=0.9, words=0.8),
        ),
    ),
    Scenario(
        "noise",
        "Eight hotkeys that pick sentences at random, and one that cuts the text off: do they earn anything?",
        (
            Kind("8 at random", hotkeys=8, method="random", alike=0.0, words=0.3),
            Kind("truncation", method="truncation", alike=0.0),
        ),
    ),
)
SCENARIOS: Final[Mapping[str, Scenario]] = MappingProxyType({scenario.name: scenario for scenario in _ALL})
"""All scenarios by name, in the order in which they are shown."""
