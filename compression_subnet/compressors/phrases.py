"""The phrases of a sentence: runs of words that are kept or dropped together.

A phrase is some function words and the content they lead to ("in the first half"); what must not come apart stays
in one: a negation and what it negates, a name with its links, brackets and short quotations with their inside.
"""

from typing import Final

from compression_subnet.compressors.document import Document, Kind, Word
from compression_subnet.compressors.lexicon import LINKS

__all__ = ["split_phrases"]

_CLOSERS: Final = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", "„": "“", '"': '"', "「": "」"}
# Brackets and quotations of more words than this are opened up.
_LONGEST_GROUP: Final = 12
# A run of content words with nothing to part it is cut here, so that scripts without spaces come in phrases too.
_LONGEST_RUN: Final = 12


def split_phrases(document: Document, first: int, last: int) -> list[tuple[int, int]]:
    """Return the phrases of the sentence with the words ``[first, last)``, as ranges of words that join to it."""
    words = document.words
    groups = _group_ends(words, first, last)
    cuts = [first]
    content = False
    place = first
    while place < last:
        if place > cuts[-1] and _opens(words, place, cuts[-1], content):
            cuts.append(place)
            content = False
        content = content or words[place].kind > Kind.NEGATION or place in groups
        place = groups.get(place, place + 1)
    return list(zip(cuts, [*cuts[1:], last], strict=True))


def _opens(words: tuple[Word, ...], place: int, start: int, content: bool) -> bool:
    """Whether a phrase starts at the word at ``place``, the one before having started at ``start``."""
    word, before = words[place], words[place - 1]
    if not content or word.kind is Kind.NEGATION or before.kind is Kind.NEGATION:
        return False
    if word.lower in LINKS or before.lower in LINKS:
        return False
    if word.kind is Kind.PUNCTUATION:
        return word.lower in _CLOSERS and before.stop > before.end
    if before.kind is Kind.PUNCTUATION:
        return before.stop > before.end or before.lower not in "-–/"
    return word.kind in (Kind.FILLER, Kind.FUNCTION) or place - start >= _LONGEST_RUN


def _group_ends(words: tuple[Word, ...], first: int, last: int) -> dict[int, int]:
    """Return, for the place of each opening bracket or quote that is closed soon, the place after its closer."""
    ends = {}
    place = first
    while place < last:
        closer = _CLOSERS.get(words[place].lower)
        if closer is not None:
            for ahead in range(place + 1, min(last, place + 2 + _LONGEST_GROUP)):
                if words[ahead].lower.startswith(closer):
                    ends[place] = ahead + 1
                    place = ahead
                    break
        place += 1
    return ends
