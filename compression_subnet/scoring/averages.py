"""Averages of a hotkey's scores over epochs, with their standard errors.

Old challenges are forgotten by a factor an epoch, in numerator and denominator alike, so that an epoch in which a
hotkey was asked little moves its average little.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from compression_subnet.scoring.levels import LEVELS, aggregate, level_shares

__all__ = ["Average", "ChallengeScore", "Standing", "Tally", "challenge_score"]


def challenge_score(f1s: Iterable[Fraction]) -> Fraction:
    """Return F of a challenge: the mean F1 over its questions; 0 where there are none."""
    values = tuple(f1s)
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


@dataclass(frozen=True, slots=True)
class ChallengeScore:
    """One counted challenge of one hotkey.

    Attributes:
        level: at which it was asked, in per cent.
        score: F of the reply; 0 where it was not compliant.
        baseline: F of head truncation on the same challenge.
    """

    level: int
    score: Fraction
    baseline: Fraction


@dataclass(frozen=True, slots=True)
class Tally:
    """Decayed sums over one series of numbers, enough for their mean and its standard error.

    Attributes:
        num: Σ weight · value.
        den: Σ weight.
        squares: Σ weight · value².
        den2: Σ weight².
        count: how many values were ever added, undecayed.
    """

    num: float = 0.0
    den: float = 0.0
    squares: float = 0.0
    den2: float = 0.0
    count: int = 0

    def forget(self, factor: float) -> "Tally":
        """Return the tally with every weight multiplied by ``factor``, in (0, 1]."""
        return replace(
            self,
            num=self.num * factor,
            den=self.den * factor,
            squares=self.squares * factor,
            den2=self.den2 * factor * factor,
        )

    def add(self, values: Iterable[Fraction]) -> "Tally":
        """Return the tally with each of ``values`` added at weight 1; their order does not matter."""
        exact = tuple(values)
        return Tally(
            num=math.fsum((self.num, *map(float, exact))),
            den=self.den + len(exact),
            squares=math.fsum((self.squares, *(float(v * v) for v in exact))),
            den2=self.den2 + len(exact),
            count=self.count + len(exact),
        )

    @property
    def mean(self) -> float:
        """The weighted mean; 0 where nothing was added."""
        return self.num / self.den if self.den else 0.0

    @property
    def stderr(self) -> float:
        """Standard error of the mean; infinite with fewer than two values.

        The unbiased weighted variance for reliability weights, times Σw²/(Σw)².
        """
        spread = self.den * self.den - self.den2
        if self.count < 2 or spread <= 0:
            return math.inf
        variance = max(0.0, self.squares / self.den - self.mean**2) * self.den**2 / spread
        return math.sqrt(variance * self.den2) / self.den


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a hotkey stands.

    Attributes:
        levels: S(b) by level; a level never asked is absent.
        score: the weighted score over all levels.
        stderr: its standard error over challenges.
        margin: score minus the baseline's over the same challenges.
        margin_stderr: standard error of that paired difference.
        challenges: scored challenges of the level that has fewest.
    """

    levels: Mapping[int, float]
    score: float
    stderr: float
    margin: float
    margin_stderr: float
    challenges: int


@dataclass(frozen=True, slots=True)
class Average:
    """A hotkey's scores and its differences to the baseline, by level, as of an epoch.

    Attributes:
        epoch: the epoch of the last update.
        scores: one tally a level that was asked.
        margins: likewise, of score minus baseline.
    """

    epoch: int
    scores: Mapping[int, Tally]
    margins: Mapping[int, Tally]

    @classmethod
    def empty(cls, epoch: int) -> "Average":
        """Return the average of a hotkey that was never asked."""
        return cls(epoch, {}, {})

    def update(self, epoch: int, results: Iterable[ChallengeScore], forgetting: float) -> "Average":
        """Return the average after an epoch's results.

        Args:
            epoch: number of the epoch, not before the last update.
            results: the challenges counted; none is allowed, and only forgets.
            forgetting: λ, the factor an epoch.

        Raises:
            ValueError: time runs backwards, or λ is not within (0, 1].
        """
        if epoch < self.epoch or not 0 < forgetting <= 1:
            raise ValueError(f"epoch {epoch} after {self.epoch}, forgetting {forgetting}")
        factor = forgetting ** (epoch - self.epoch)
        counted = tuple(results)
        scores, margins = {}, {}
        for level in LEVELS:
            here = [r for r in counted if r.level == level]
            if here or level in self.scores:
                scores[level] = self.scores.get(level, Tally()).forget(factor).add(r.score for r in here)
                margins[level] = self.margins.get(level, Tally()).forget(factor).add(r.score - r.baseline for r in here)
        return Average(epoch, scores, margins)

    def standing(self) -> Standing:
        """Return score, margin and their standard errors."""
        levels = {level: min(1.0, max(0.0, tally.mean)) for level, tally in self.scores.items()}
        shares = level_shares()
        return Standing(
            levels=levels,
            score=aggregate(levels),
            stderr=_stderr(self.scores, shares),
            margin=math.fsum(shares[level] * tally.mean for level, tally in self.margins.items()),
            margin_stderr=_stderr(self.margins, shares),
            challenges=min((self.scores[b].count if b in self.scores else 0) for b in LEVELS),
        )


def _stderr(tallies: Mapping[int, Tally], shares: Mapping[int, float]) -> float:
    """Return the standard error of the share-weighted sum of independent means; a level never asked adds none."""
    if not tallies:
        return math.inf
    return math.sqrt(math.fsum((shares[level] * tally.stderr) ** 2 for level, tally in tallies.items()))
