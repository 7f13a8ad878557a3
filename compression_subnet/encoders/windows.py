"""Cutting a text of any length into overlapping windows that an encoder can take."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["best_windows", "cut", "spread"]


def cut(n: int, room: int, overlap: int) -> Iterator[range]:
    """Yield ranges of at most ``room`` that cover ``range(n)``, neighbours sharing at least ``overlap``.

    Every run of ``overlap + 1`` or fewer neighbouring tokens lies whole within some range. All but the last have
    exactly ``room``.

    Raises:
        ValueError: ``room`` is not larger than ``overlap``.
    """
    if room <= overlap:
        raise ValueError(f"windows of {room} tokens cannot overlap by {overlap}")
    start = 0
    while n > 0:
        yield range(start, min(start + room, n))
        if start + room >= n:
            return
        start += room - overlap


def spread(n: int, room: int, overlap: int) -> list[range]:
    """Return as few ranges as ``cut`` does, with the same promise, but all of (nearly) one length.

    No window is short of context, and together they are as cheap as can be.

    Raises:
        ValueError: ``room`` is not larger than ``overlap``.
    """
    count = sum(1 for _ in cut(n, room, overlap))
    if count < 2:
        return [range(n)] * count
    length = -((-(n + (count - 1) * overlap)) // count)
    return [range(start, start + length) for start in (i * (n - length) // (count - 1) for i in range(count))]


def best_windows(windows: Sequence[range], n: int) -> npt.NDArray[np.int64]:
    """Return, for each of ``n`` tokens, the number of the window in which it stands farthest from an edge.

    Of equals it is the earlier one. The edges of the text itself are no edges: nothing is missing beyond them.

    Args:
        windows: cover ``range(n)``, in order of both their starts and their stops.
        n: number of tokens.
    """
    if not windows:
        return np.zeros(0, dtype=np.int64)
    # Neighbours change places in the middle of what they share; a token in three windows is in the inner one.
    borders = [(left.stop + right.start + 1) // 2 for left, right in itertools.pairwise(windows)]
    return np.searchsorted(np.array(borders, dtype=np.int64), np.arange(n), side="right")
