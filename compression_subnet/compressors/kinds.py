"""What a word is, as far as its spelling tells: looked up once for each spelling, then read from bits.

A word of a text is one of a few hundred spellings, so that all that needs its characters is packed into one integer
for each spelling, and what follows is arithmetic on arrays.
"""

import zlib
from collections.abc import Sequence
from enum import IntEnum, IntFlag
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.lexicon import (
    FILLERS,
    FREQUENT,
    FUNCTION_WORDS,
    LINKS,
    NEGATIONS,
    NUMBER_WORDS,
    UNITS,
)
from compression_subnet.compressors.stems import stem
from compression_subnet.text.words import is_unspaced

__all__ = ["CLOSERS", "Kind", "Look", "kind_elsewhere", "kind_in_front", "looks_of"]


Ints = npt.NDArray[np.int64]


class Kind(IntEnum):
    """What a word is, as far as its spelling and place tell."""

    PUNCTUATION = 0
    FILLER = 1
    FUNCTION = 2
    NEGATION = 3
    FREQUENT = 4
    CONTENT = 5
    NAME = 6
    NUMBER = 7


class Look(IntFlag):
    """What a spelling tells. The lowest eight bits hold two kinds: elsewhere, and at the start of a sentence."""

    LETTERED = 1 << 8  # its first character is a letter or digit
    CAPITAL = 1 << 9  # it has a capital and is no function word: where it opens no sentence, it is a name
    OPEN_NAME = 1 << 10  # it is a name at the start of a sentence too, if it is one elsewhere
    LINK = 1 << 11
    OPENER = 1 << 12
    DASH = 1 << 13
    STOP = 1 << 14
    UNSPACED = 1 << 15
    UNIT = 1 << 16
    CLOSER = 1 << 17
    DOTTED = 1 << 18  # it has a full stop within
    PAIRED = OPENER | CLOSER
    CLINGING = STOP | CLOSER


CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "„": "“", '"': '"', "「": "」"}
"""Brackets and quotation marks, each with the one that closes it."""

_CLOSING: Final = frozenset(CLOSERS.values())
_STOPS: Final = frozenset(",;:.!?")
_DASHES: Final = frozenset("-–/")
# Words in natural languages are shorter, and a cache of long ones would hold whole texts.
_LONGEST_CACHED: Final = 64
_SIZE: Final = 1 << 16


def looks_of(words: Sequence[str]) -> tuple[Ints, Ints]:
    """Return the look of each of ``words``, which have no white space at their ends, and the number of its term.

    Forms of a word have the same term; two words share one by chance once in two thousand million.
    """
    longest = max(map(len, words), default=0)
    both = np.fromiter(map(_cached_look if longest <= _LONGEST_CACHED else _look, words), np.int64, len(words))
    return both & 0xFFFFFFFF, both >> 32


def kind_elsewhere(looks: Ints) -> Ints:
    """Return the ``Kind`` of words that open no sentence."""
    return looks & 15


def kind_in_front(looks: Ints) -> Ints:
    """Return the ``Kind`` of words that open a sentence, where a capital says nothing."""
    return looks >> 4 & 15


def _look(word: str) -> int:
    lower = word.casefold().replace("’", "'")
    first = word[:1]
    elsewhere, in_front = _kind(word, lower, opening=False), _kind(word, lower, opening=True)
    look = int(elsewhere) | int(in_front) << 4
    look |= Look.LETTERED * first.isalnum()
    look |= Look.CAPITAL * (first.isupper() and lower not in FUNCTION_WORDS)
    look |= Look.OPEN_NAME * (first.isupper() and in_front in (Kind.FREQUENT, Kind.CONTENT))
    look |= Look.LINK * (lower in LINKS)
    look |= Look.OPENER * (first in CLOSERS and elsewhere is Kind.PUNCTUATION)
    look |= Look.CLOSER * (first in _CLOSING and elsewhere is Kind.PUNCTUATION)
    look |= Look.DASH * (word in _DASHES)
    look |= Look.STOP * (word in _STOPS)
    look |= Look.UNSPACED * (first != "" and is_unspaced(first))
    look |= Look.DOTTED * ("." in word)
    look |= Look.UNIT * (lower in UNITS)
    # Python's own hash differs from process to process.
    return look | (zlib.crc32(stem(word).encode("utf-8", "surrogatepass")) >> 1) << 32


_cached_look = lru_cache(maxsize=_SIZE)(_look)


def _kind(word: str, lower: str, *, opening: bool) -> Kind:
    if not any(c.isalnum() for c in word[:16]):
        return Kind.PUNCTUATION
    if any(c.isnumeric() for c in word):
        return Kind.NUMBER
    if not opening and word.isupper() and word != "I":
        return Kind.NAME  # "US", "WHO" or "Hepatitis A", whatever the same letters mean when small
    if lower in NEGATIONS:
        return Kind.NEGATION
    if lower in FILLERS:
        return Kind.FILLER
    if lower in FUNCTION_WORDS:
        return Kind.FUNCTION
    if lower in NUMBER_WORDS:
        return Kind.NUMBER
    if word[0].isupper() and (not opening or any(c.isupper() for c in word[1:])):
        return Kind.NAME
    return Kind.FREQUENT if lower in FREQUENT else Kind.CONTENT
