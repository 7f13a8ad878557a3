"""From kept words back to text: the text's own characters, in order, and its own white space."""

import re
from itertools import chain
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind, Look
from compression_subnet.text.words import word_pieces

__all__ = ["Renderer"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]

# Words before a joint that may have a say in where the next one is cut.
_CONTEXT: Final = 2
_LINE_BREAK: Final = re.compile("\n")


class Renderer:
    """Renders selections of the words of one document.

    Neighbours keep what stands between them. Across a gap one white-space character of the gap is kept, a line
    break if there is one; where it has none but leaving it out would make other words of the two, its first word or
    mark is. A comma or the like clings to the word before it, as it does in the text.
    """

    def __init__(self, document: Document):
        n = len(document.words)
        self._document = document
        self._text = document.text
        self._joints: dict[tuple[int, int], tuple[int, int]] = {}
        self._starts, self._ends = document.starts, document.ends
        # For each word the place of the last white space and of the last line break up to the end of what it owns.
        self._space = np.maximum.accumulate(np.where(document.stops > document.ends, document.stops - 1, -1))
        breaks = [match.start() for match in _LINE_BREAK.finditer(document.text)]
        self._break = np.full(n, -1)
        self._break[np.searchsorted(document.stops, breaks, side="right")] = breaks
        self._break = np.maximum.accumulate(self._break)
        spoken = document.kinds != Kind.PUNCTUATION
        self._spoken = spoken
        # Scripts without spaces are cut at every character.
        self._alone = document.has(Look.UNSPACED) & (document.ends - document.starts == 1)
        # With no space before the mark and some after it, it makes no other word of what is about it, unless that has
        # full stops of its own ("x.y" is no "x.y.").
        attached = np.concatenate(([False], document.stops[:-1] == document.ends[:-1])) if n else spoken
        parted = document.stops > document.ends
        parted[-1:] = True
        self._clings = attached & parted & document.has(Look.CLINGING)
        self._bears = spoken & ~document.has(Look.DOTTED)

    def render(self, kept: Bools) -> str:
        """Return the words that are ``kept``, as a subsequence of the text's characters, without space at its ends."""
        places = np.flatnonzero(kept)
        if not len(places):
            return ""
        gaps = np.flatnonzero(places[1:] - places[:-1] > 1)
        before, after = places[gaps], places[gaps + 1]
        filling, filled = self._across(before, after)
        starts = self._starts[np.concatenate((places[:1], after))].tolist()
        ends = self._ends[np.concatenate((before, places[-1:]))].tolist()
        text = self._text
        runs = [text[a:b] for a, b in zip(starts, ends, strict=True)]
        joints = [text[a:b] for a, b in zip(filling.tolist(), filled.tolist(), strict=True)]
        return ("".join(chain.from_iterable(zip(runs, joints, strict=False))) + runs[-1]).strip()

    def _across(self, before: Ints, after: Ints) -> tuple[Ints, Ints]:
        """Return the ranges of what is kept between words that are not neighbours."""
        end = self._ends[before]
        space, line_break = self._space[after - 1], self._break[after - 1]
        space = np.where(line_break >= end, line_break, space)
        clings = self._clings[after] & self._bears[before]
        spaced = (space >= end) & ~clings
        start = np.where(spaced, space, end)
        stop = start + spaced
        free = self._alone[before] & self._spoken[after]
        for gap in np.flatnonzero(~(spaced | clings | free)).tolist():
            start[gap], stop[gap] = self._joint(int(before[gap]), int(after[gap]))
        return start, stop

    def _joint(self, before: int, after: int) -> tuple[int, int]:
        """Return the range of what is to be kept between two words with no white space in the gap."""
        found = self._joints.get((before, after))
        if found is None:
            starts, ends, words = self._starts, self._ends, self._document.words
            until = min(after + _CONTEXT, len(words))
            lefts = [self._text[starts[max(before - _CONTEXT, 0)] : ends[before]]]
            if not self._spoken[before]:
                # Anything may have come before the mark, or nothing: "a'" and "b" would be "a'b", "-" and "3" be "-3".
                lefts += [f"{any_word}{words[before]}" for any_word in ("", "0", "a")]
            right = self._text[starts[after] : ends[until - 1]]
            first, last = before + 1, after - 1
            for a, b in ((before, before), (first, first), (last, last), (first, last)):
                kept = words[before : before + 1] + (words[a : b + 1] if a > before else ()) + words[after:until]
                found = int(ends[before] if a == before else starts[a]), int(ends[b])
                middle = self._text[slice(*found)]
                if all(_ends_with(word_pieces(f"{left}{middle}{right}"), kept) for left in lefts):
                    break
            self._joints[before, after] = found or (0, 0)
            assert found is not None
        return found


def _ends_with(pieces: list[str], words: tuple[str, ...]) -> bool:
    return tuple(map(str.rstrip, pieces[-len(words) :])) == words
