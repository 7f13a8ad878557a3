"""The phrases of a text: runs of words that are kept or dropped together.

A phrase is some function words and the content they lead to ("in the first half"); what must not come apart stays
in one: a negation and what it negates, a number and its unit, a name with its links, brackets and short quotations
with their inside.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind, Look
from compression_subnet.compressors.kinds import CLOSERS

__all__ = ["Phrases", "split_phrases"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

# Brackets and quotations of more words than this are opened up.
_LONGEST_GROUP: Final = 12
# A run of content words with nothing to part it is cut here, so that scripts without spaces come in phrases too.
_LONGEST_RUN: Final = 12
# Marks that were opened before this many others are not looked for.
_DEEPEST: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """The phrases of a document, which join to it, and what ties words of it together besides.

    Attributes:
        starts: first word of each phrase, ascending.
        of: for each word its phrase.
        sentences: for each phrase the sentence that it lies in.
        pairs: places of opening and closing marks of which none is to stand without the other, ``[pairs, 2]``.
    """

    starts: Ints
    of: Ints
    sentences: Ints
    pairs: Ints


def split_phrases(document: Document) -> Phrases:
    """Return the phrases of ``document``. No phrase reaches over the end of a sentence."""
    n = len(document.words)
    firsts = document.borders[:-1]
    pairs = _pairs(document)
    inside, grouped = _groups(pairs, n)
    content = (document.kinds > Kind.NEGATION) | grouped
    may, opens = _cuts(document)
    opens[firsts] = True
    opens &= ~inside
    # A phrase has content before the next one opens. Whether there was some since the last cut is whether there was
    # some since the last place that could be one: without content in between that place was none.
    places = np.flatnonzero(opens)
    met = np.concatenate(([0], np.cumsum(content)))[places]
    start = np.zeros(n, dtype=np.bool_)
    start[places[1:][met[1:] > met[:-1]]] = True
    start[firsts] = True
    _cut_long_runs(start, may & ~inside)
    starts = np.flatnonzero(start)
    return Phrases(
        starts=starts,
        of=np.cumsum(start) - 1,
        sentences=np.searchsorted(firsts, starts, side="right") - 1,
        pairs=pairs,
    )


def _cuts(document: Document) -> tuple[Bools, Bools]:
    """Return before which words a phrase may be cut at all, and before which one opens if there is content."""
    kinds = document.kinds
    bound = (kinds == Kind.NEGATION) | document.has(Look.LINK)
    mark = kinds == Kind.PUNCTUATION
    after_space = _after(document.stops > document.ends)
    after_mark = _after(mark)
    measure = _after(kinds == Kind.NUMBER) & document.has(Look.UNIT)
    may = ~(bound | _after(bound) | measure)
    weak = (kinds == Kind.FILLER) | (kinds == Kind.FUNCTION)
    after = np.where(after_mark, after_space | ~_after(document.has(Look.DASH)), weak)
    return may & ~mark & ~after_mark, may & np.where(mark, document.has(Look.OPENER) & after_space, after)


def _after(flags: Bools) -> Bools:
    """Return which words follow one with the flag."""
    moved = np.empty_like(flags)
    moved[:1] = False
    moved[1:] = flags[:-1]
    return moved


def _cut_long_runs(start: Bools, may: Bools) -> None:
    """Cut phrases of more than a dozen words where that is allowed."""
    starts = np.concatenate((np.flatnonzero(start), [len(start)]))
    for phrase in np.flatnonzero(starts[1:] - starts[:-1] > _LONGEST_RUN).tolist():
        allowed = np.flatnonzero(may[starts[phrase] : starts[phrase + 1]]).tolist()
        last = 0
        for place in allowed:
            if place - last >= _LONGEST_RUN:
                start[starts[phrase] + place] = True
                last = place


def _pairs(document: Document) -> Ints:
    """Return the places of each opening mark and of the mark of its sentence that closes it, as they are nested."""
    places = np.flatnonzero(document.has(Look.PAIRED))
    if len(places) < 2:
        return np.zeros((0, 2), dtype=np.int64)
    found: list[tuple[int, int]] = []
    open_marks: list[tuple[int, str]] = []
    current = -1
    for place, sentence in zip(places.tolist(), document.sentence_of[places].tolist(), strict=True):
        mark = document.words[place][0]
        if sentence != current:
            current, open_marks = sentence, []
        wanted = [closer for _, closer in open_marks[-_DEEPEST:]]
        if mark in wanted:
            while open_marks[-1][1] != mark:
                open_marks.pop()  # never closed
            found.append((open_marks.pop()[0], place))
        elif mark in CLOSERS:
            open_marks.append((place, CLOSERS[mark]))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def _groups(pairs: Ints, n: int) -> tuple[Bools, Bools]:
    """Return which words lie within a pair that stays whole, after its opening mark, and which open one."""
    inside, opener = np.zeros(n + 1, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    for place, closer in _short(pairs):
        inside[place + 1] += 1
        inside[closer + 1] -= 1
        opener[place] = True
    return np.cumsum(inside[:n]) > 0, opener


def _short(pairs: Ints) -> Iterable[tuple[int, int]]:
    return ((a, b) for a, b in pairs.tolist() if b - a <= _LONGEST_GROUP + 1)
