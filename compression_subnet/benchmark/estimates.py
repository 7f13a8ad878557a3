"""Means over challenges with 95 % intervals, weighted over levels as the mechanism weights them."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from compression_subnet.benchmark.results import Estimate
from compression_subnet.scoring import Tally, level_weight

__all__ = ["estimate", "pearson", "t_quantile", "weighted_estimate"]

_NORMAL: Final = 1.959963984540054
"""The normal distribution's quantile of 0.975."""


def t_quantile(freedom: float) -> float:
    """Return the quantile of 0.975 of Student's t, to 1 % from two degrees of freedom on, and 11 % low at one.

    The Cornish-Fisher expansion in 1/ν (Abramowitz and Stegun 26.7.5).
    """
    z = _NORMAL
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    freedom = max(1.0, freedom)
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def estimate(values: Sequence[Fraction], *, bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate:
    """Return the mean of ``values`` and its interval, cut to ``bounds``."""
    return weighted_estimate({100: values}, bounds=bounds)


def weighted_estimate(
    by_level: Mapping[int, Sequence[Fraction]], *, bounds: tuple[float, float] = (0.0, 1.0)
) -> Estimate:
    """Return Σ w(b)·mean(b) / Σ w(b) over the levels of ``by_level``, and its interval.

    The interval is Student's, with Welch and Satterthwaite's degrees of freedom. There is no mean where a level has
    no value, and no interval where one has a single value.
    """
    tallies = {level: Tally().add(values) for level, values in by_level.items()}
    count = sum(tally.count for tally in tallies.values())
    if not tallies or any(tally.count == 0 for tally in tallies.values()):
        return Estimate(None, None, None, count)
    total = math.fsum(map(level_weight, tallies))
    shares = {level: level_weight(level) / total for level in tallies}
    mean = math.fsum(shares[level] * tally.mean for level, tally in tallies.items())
    variances = [((shares[level] * tally.stderr) ** 2, tally.count - 1) for level, tally in tallies.items()]
    variance = math.fsum(v for v, _ in variances)
    if not math.isfinite(variance):
        return Estimate(mean, None, None, count)
    spread = math.fsum(v * v / freedom for v, freedom in variances)
    freedom = variance * variance / spread if spread > 0 else math.inf
    half = t_quantile(freedom) * math.sqrt(variance)
    return Estimate(mean, max(bounds[0], mean - half), min(bounds[1], mean + half), count)


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Return Pearson's r; None where one of both does not vary."""
    if len(x) < 2:
        return None
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    xx = math.fsum((a - mean_x) ** 2 for a in x)
    yy = math.fsum((b - mean_y) ** 2 for b in y)
    if xx <= 0 or yy <= 0:
        return None
    return math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / math.sqrt(xx * yy)
