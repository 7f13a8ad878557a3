"""Averages of many hotkeys at once: the sums are taken by numpy, all that follows from them is the scoring's own."""

from collections.abc import Mapping, Sequence

from compression_subnet.incentives.answers import Scores
from compression_subnet.scoring import Average, Tally

__all__ = ["updated"]


def updated(
    averages: Sequence[Average | None],
    epoch: int,
    scores: Mapping[int, Scores],
    baselines: Mapping[int, Scores],
    forgetting: float,
) -> list[Average]:
    """Return each miner's average after an epoch, as ``Average.update`` would to the last bits of a float.

    Args:
        averages: before it, of each miner; None for a new one.
        epoch: its number.
        scores: F by level, each [miners, challenges].
        baselines: F of head truncation by level, each [challenges].
        forgetting: λ.
    """
    added = {level: _tallies(values) for level, values in scores.items()}
    margins = {level: _tallies(values - baselines[level]) for level, values in scores.items()}
    found = []
    for i, average in enumerate(averages):
        before = average or Average.empty(epoch)
        factor = forgetting ** (epoch - before.epoch)
        found.append(
            Average(
                epoch,
                {b: _sum(before.scores.get(b, Tally()).forget(factor), one[i]) for b, one in added.items()},
                {b: _sum(before.margins.get(b, Tally()).forget(factor), one[i]) for b, one in margins.items()},
            )
        )
    return found


def _tallies(values: Scores) -> list[Tally]:
    """Return the tally of each row."""
    count = values.shape[1]
    sums = values.sum(axis=1).tolist()
    squares = (values * values).sum(axis=1).tolist()
    return [Tally(num, count, square, count, count) for num, square in zip(sums, squares, strict=True)]


def _sum(one: Tally, other: Tally) -> Tally:
    return Tally(
        one.num + other.num,
        one.den + other.den,
        one.squares + other.squares,
        one.den2 + other.den2,
        one.count + other.count,
    )
