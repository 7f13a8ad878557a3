"""Validators of a simulated subnet: two honest ones, one that copies weights, one that asks little."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from compression_subnet.chain.dev.yuma import Vector
from compression_subnet.challenge.levels import level_counts
from compression_subnet.incentives.answers import Skill, draw_answers, draw_baseline, skill
from compression_subnet.incentives.averaging import updated
from compression_subnet.incentives.population import Hotkey, copies_among
from compression_subnet.incentives.results import Terms
from compression_subnet.scoring import LEVELS, Average, Standing, WeightRule, earned_weights, quantise

__all__ = ["VALIDATORS", "Judge", "ValidatorKind"]


@dataclass(frozen=True, slots=True)
class ValidatorKind:
    """One validator.

    Attributes:
        name: what it does.
        stake: its share of all.
        effort: share of the challenges that it asks; 0 copies the weights that it can read.
    """

    name: str
    stake: float
    effort: float


VALIDATORS: Final = (
    ValidatorKind("honest", 0.4, 1.0),
    ValidatorKind("honest, smaller", 0.3, 1.0),
    ValidatorKind("copies weights", 0.2, 0.0),
    ValidatorKind("asks a tenth", 0.1, 0.1),
)


class Judge:
    """A validator that asks: it keeps averages from epoch to epoch, and makes weights of them."""

    def __init__(self, hotkeys: Sequence[Hotkey], effort: float, terms: Terms, rng: np.random.Generator):
        self._hotkeys = hotkeys
        self._terms = terms
        self._rng = rng
        self._rule = WeightRule(terms.z, terms.power, terms.min_challenges)
        self._counts = dict(zip(LEVELS, level_counts(max(len(LEVELS), round(effort * terms.challenges))), strict=True))
        self._averages: dict[int, Average] = {}
        self._copies: tuple[frozenset[int], list[frozenset[str]]] = (frozenset(), [])

    def weights(self, epoch: int, registered: Sequence[int]) -> Vector:
        """Ask in one epoch, and return the 16-bit weights of all hotkeys."""
        moment = epoch / self._terms.epochs
        replying = [i for i in registered if self._hotkeys[i].kind.replies_at(moment)]
        scores, baselines = {}, {}
        for level, count in self._counts.items():
            skills = [self._skill(i, level, moment) for i in replying]
            answered = np.zeros((len(self._hotkeys), count))
            answered[replying] = draw_answers(skills, count, self._rng)
            baselines[level] = draw_baseline(level, count, self._rng)
            # Whoever replies with the baseline's own text gets its own score.
            answered[[i for i in replying if self._hotkeys[i].kind.method == "truncation"]] = baselines[level]
            scores[level] = answered[list(registered)]
        before = [self._averages.get(i) for i in registered]
        after = updated(before, epoch, scores, baselines, self._terms.forgetting)
        self._averages = dict(zip(registered, after, strict=True))
        standings = {self._hotkeys[i].name: standing for i, standing in self.standings().items()}
        earned = earned_weights(standings, self._rule, self._copies_of(frozenset(replying)))
        numbers = {hotkey.name: i for i, hotkey in enumerate(self._hotkeys)}
        vector = np.zeros(len(self._hotkeys))
        for i, weight in quantise({numbers[name]: weight for name, weight in earned.items()}).items():
            vector[i] = weight
        return vector

    def standings(self) -> Mapping[int, Standing]:
        """Return where every registered hotkey stands, by its number."""
        return {i: average.standing() for i, average in self._averages.items()}

    def _skill(self, i: int, level: int, moment: float) -> Skill:
        kind = self._hotkeys[i].kind
        return skill(kind.method, level, kind.shift_at(moment), self._hotkeys[i].source, kind.alike)

    def _copies_of(self, replying: frozenset[int]) -> list[frozenset[str]]:
        """Return the groups that reply alike; replies differ from epoch to epoch, how alike they are does not."""
        if self._copies[0] != replying:
            seed = int(self._rng.integers(2**32))
            found = copies_among([self._hotkeys[i] for i in sorted(replying)], random.Random(seed))
            self._copies = (replying, found)
        return self._copies[1]
