"""The hotkeys of a scenario, and which of them the copy rule takes for one."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from compression_subnet.incentives.scenarios import Kind, Scenario, field_kinds
from compression_subnet.scoring import copy_groups
from compression_subnet.scoring.copies import MIN_COMMON

__all__ = ["Hotkey", "copies_among", "population"]

_WORDS: Final = 120
"""Different words of a reply; only shares of them matter."""


@dataclass(frozen=True, slots=True)
class Hotkey:
    """One registration.

    Attributes:
        name: unique.
        kind: what it is.
        source: number of the compressor that it replies with, the same for all that share one.
    """

    name: str
    kind: Kind
    source: int


def population(scenario: Scenario, miners: int) -> list[Hotkey]:
    """Return all hotkeys: the scenario's own, then the honest ones."""
    kinds = (*scenario.kinds, *field_kinds(miners))
    numbers: dict[str, int] = {}
    found = []
    for kind in kinds:
        # Without anything in common, each of a kind's hotkeys has a compressor of its own.
        for i in range(kind.hotkeys):
            origin = kind.origin if kind.alike else f"{kind.origin} {i}"
            source = numbers.setdefault(origin, len(numbers))
            found.append(Hotkey(f"{kind.origin}/{kind.name}/{i}", kind, source))
    return found


def copies_among(hotkeys: Sequence[Hotkey], rng: random.Random) -> list[frozenset[str]]:
    """Return the groups that the copy rule finds among hotkeys that reply, from replies as alike as they say they are.

    Two replies of a source that each put words of their own for x of w have the Jaccard similarity (w - 2x)/(w + 2x)
    where they put them in different places.
    """
    replies: dict[str, dict[str, frozenset[str]]] = {hotkey.name: {} for hotkey in hotkeys}
    for challenge in range(MIN_COMMON):
        for hotkey in hotkeys:
            alike = hotkey.kind.words
            own = round(_WORDS * (1 - alike) / (1 + alike) / 2)
            words = [f"{hotkey.source} {i}" for i in range(_WORDS)]
            for place in rng.sample(range(_WORDS), own):
                words[place] = f"{hotkey.name} {place}"
            replies[hotkey.name][str(challenge)] = frozenset(words)
    return copy_groups(replies)
