"""What a simulated scenario comes to, as values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = ["MINER_ALPHA_PER_EPOCH", "KindSummary", "ScenarioResult", "Terms", "ValidatorSummary"]

MINER_ALPHA_PER_EPOCH: Final = 0.41 * 361
"""What a subnet's miners are paid an epoch of 361 blocks (tempo 360): 41 % of an emission of 1 alpha a block."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The settings that are played through; a validator's own.

    Attributes:
        epochs: how many.
        miners: honest miners that are there in every scenario.
        challenges: a validator asks an epoch, over all levels.
        z: standard errors taken off a margin.
        power: exponent of a margin.
        min_challenges: a level, before a hotkey has any weight.
        forgetting: λ.
        reveal: epochs after which weights can be read, and so copied; 1 is without commit-reveal.
        seed: same seed, same result.
    """

    epochs: int
    miners: int
    challenges: int
    z: float
    power: int
    min_challenges: int
    forgetting: float
    reveal: int
    seed: int


@dataclass(frozen=True, slots=True)
class KindSummary:
    """One kind of miner over the last quarter of the run.

    Attributes:
        name: of the kind.
        hotkeys: how many it has.
        score: mean score of a hotkey at the end, in the eyes of the validator with most stake.
        stderr: standard error of one hotkey's score.
        weight: share of that validator's weights, all hotkeys together.
        incentive: share of what miners are paid, all hotkeys together.
        emission: the same in alpha an epoch.
        to_one: incentive in multiples of what the one honest miner gets; None where that gets nothing.
        arrives: the epoch in which they register.
        series: incentive in each epoch of the run, all hotkeys together.
        best: likewise, of the one that is paid most.
    """

    name: str
    hotkeys: int
    score: float
    stderr: float
    weight: float
    incentive: float
    emission: float
    to_one: float | None
    arrives: int
    series: tuple[float, ...]
    best: tuple[float, ...]

    def leads_after(self, others: "KindSummary") -> int | None:
        """Return how many epochs after registering one of these is paid more than each of ``others``; None is never."""
        ahead = (mine > theirs for mine, theirs in zip(self.best, others.best, strict=True))
        return next((epoch - self.arrives for epoch, leads in enumerate(ahead) if leads), None)


@dataclass(frozen=True, slots=True)
class ValidatorSummary:
    """One validator over the whole run.

    Attributes:
        name: what it does.
        stake: its share.
        dividends: its share of what validators are paid.
        trust: mean share of its weights that lies within consensus.
    """

    name: str
    stake: float
    dividends: float
    trust: float

    @property
    def return_on_stake(self) -> float:
        """Dividends for each unit of stake; 1 is what all together get."""
        return self.dividends / self.stake


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """A scenario played through.

    Attributes:
        name: of the scenario.
        title: its question.
        terms: the settings.
        kinds: the scenario's own first, then the one honest miner and the field.
        validators: in the order of their stakes.
        baseline: score of head truncation.
    """

    name: str
    title: str
    terms: Terms
    kinds: tuple[KindSummary, ...]
    validators: tuple[ValidatorSummary, ...]
    baseline: float

    @property
    def by_name(self) -> Mapping[str, KindSummary]:
        """The kinds by their names."""
        return {kind.name: kind for kind in self.kinds}
