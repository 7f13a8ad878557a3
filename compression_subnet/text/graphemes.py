"""Where a text may not be cut, because a reader sees one character on both sides.

The cases of Unicode's grapheme clusters (UAX 29) that a splitter into words meets; letters of a word are kept
together anyway, so Hangul syllables and Indic conjuncts need no rule here.
"""

import unicodedata
from functools import lru_cache
from typing import Final

__all__ = ["extends", "is_stacked", "joins_next", "may_join"]

_JOINERS: Final = "\u200c\u200d"
# Letters to Unicode, but written onto the character before: Thai and Lao AM, half-width kana sound marks.
_SPACING: Final = "\u0e33\u0eb3\uff9e\uff9f"
# Marks by which the next consonant is joined to this one: Indic viramas, Khmer coeng, Myanmar, Tai Tham.
_STACKERS: Final = "\u094d\u09cd\u0acd\u0b4d\u0c4d\u0d4d\u17d2\u1039\u1a60"


def extends(character: str) -> bool:
    """Whether ``character`` belongs to the character before it: marks, joiners, skin tones, tags."""
    if character.isascii():
        return False
    return (
        unicodedata.category(character)[0] == "M"
        or character in _JOINERS
        or character in _SPACING
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
    )


def joins_next(character: str, following: str) -> bool:
    """Whether ``character`` draws the ``following`` one into its cluster: emoji sequences, flags."""
    if character.isascii():
        return False
    if character == "\u200d":
        return True
    if _is_regional(character):
        return _is_regional(following)
    # Signs written around or over the digits after them, such as the Arabic number sign.
    return unicodedata.category(character) == "Cf" and unicodedata.bidirectional(character) == "AN"


@lru_cache(maxsize=4096)
def may_join(character: str) -> bool:
    """Whether ``character`` can be drawn into a cluster with one beside it; a text without such needs no care."""
    return extends(character) or joins_next(character, character)


def is_stacked(text: str, at: int) -> bool:
    """Whether the letter at ``at`` is joined to those before it by a stacker, with other marks in between or none."""
    if not text[at].isalpha():
        return False
    while at > 0 and extends(text[at - 1]):
        at -= 1
        if text[at] in _STACKERS:
            return True
    return False


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
