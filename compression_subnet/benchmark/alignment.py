"""Which words of a text a reply keeps: an alignment of both, word by word."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.benchmark.records import Range
from compression_subnet.text.words import split_words

__all__ = ["Alignment", "align", "overlap"]

# What it is worth that two words kept one after the other are neighbours in the text too: more than nothing, so that
# a common word is seen in the sentence that is kept, and less than a word.
_NEIGHBOURS: Final = 0.5
# The same for a mark and the word before it, to which it belongs more than to the word behind it.
_MARK: Final = 0.625
# Beyond so many pairs of words the exact alignment would take hundreds of megabytes; a heuristic one is made then.
_MOST_PAIRS: Final = 30_000_000


@dataclass(frozen=True, slots=True)
class Alignment:
    """What of a text is kept.

    Attributes:
        kept: ranges of the text, in order; white space between kept neighbours belongs to them.
        added: words of the reply that the text does not have in their place.
    """

    kept: tuple[Range, ...]
    added: int


def align(text: str, reply: str) -> Alignment:
    """Return the alignment that keeps most words, and of those the one with most neighbours."""
    ours, theirs = _words(text), _words(reply)
    a, b = [text[start:end] for start, end in ours], [reply[start:end] for start, end in theirs]
    pairs = _exact(a, b) if len(a) * len(b) <= _MOST_PAIRS else _heuristic(a, b)
    kept: list[Range] = []
    before = -2
    for place, _ in pairs:
        start, end = ours[place]
        if place == before + 1:
            start = kept.pop()[0]
        kept.append((start, end))
        before = place
    return Alignment(tuple(kept), len(theirs) - len(pairs))


def overlap(ranges: Sequence[Range], kept: Sequence[Range]) -> int:
    """Return how many characters of ``ranges`` lie within ``kept``; both in order, neither overlapping itself."""
    total = place = 0
    for start, end in ranges:
        while place < len(kept) and kept[place][1] <= start:
            place += 1
        at = place
        while at < len(kept) and kept[at][0] < end:
            total += min(end, kept[at][1]) - max(start, kept[at][0])
            at += 1
    return total


def _words(text: str) -> list[Range]:
    """Return the words without the white space that belongs to them."""
    return [(start, start + len(word)) for start, end in split_words(text) if (word := text[start:end].strip())]


def _exact(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of the best alignment, by dynamic programming over the words of ``b``."""
    if not a or not b:
        return []
    numbers = {word: number for number, word in enumerate(dict.fromkeys(a))}
    codes = np.array([numbers[word] for word in a], dtype=np.int64)
    # best[i, j]: most that can be had if word i of b is paired with word j of a; -1 where they differ.
    best = np.full((len(b), len(a)), -1.0, dtype=np.float32)
    # reach[j]: most that can be had of earlier words of b and words of a before j.
    reach = np.zeros(len(a) + 1, dtype=np.float32)
    bonuses = _bonuses(b)
    for i, word in enumerate(b):
        places = np.flatnonzero(codes == numbers.get(word, -1))
        if not len(places):
            continue
        value = reach[places].copy()
        if i:
            joined = np.where(places > 0, best[i - 1, places - 1], -1.0)
            value = np.where(joined >= 0, np.maximum(value, joined + bonuses[i]), value)
        best[i, places] = value + 1.0
        np.maximum(reach[1:], np.maximum.accumulate(best[i]), out=reach[1:])
    return _traced(best, bonuses)


def _bonuses(words: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return what each word gets for following its neighbour; eighths, which floats add up exactly."""
    return np.array([_NEIGHBOURS if word[0].isalnum() else _MARK for word in words], dtype=np.float32)


def _traced(best: npt.NDArray[np.float32], bonuses: npt.NDArray[np.float32]) -> list[tuple[int, int]]:
    """Return the pairs that led to the highest value."""
    pairs: list[tuple[int, int]] = []
    # Flat argmax finds the earliest; ties decide nothing of interest.
    i, j = (int(x) for x in np.unravel_index(int(np.argmax(best)), best.shape))
    if best[i, j] < 0:
        return []
    while True:
        pairs.append((j, i))
        value = best[i, j] - 1.0
        if value <= 0:
            return pairs[::-1]
        if i and j and best[i - 1, j - 1] >= 0 and best[i - 1, j - 1] + bonuses[i] >= value:
            i, j = i - 1, j - 1
            continue
        # What was reached is in one of the rows before, mostly in the last one.
        while True:
            i -= 1
            place = int(np.argmax(best[i, :j]))
            if best[i, place] >= value:
                j = place
                break


def _heuristic(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    blocks = difflib.SequenceMatcher(None, a, b).get_matching_blocks()
    return [(block.a + k, block.b + k) for block in blocks for k in range(block.size)]
