"""A lossless splitter into words: ranges that join to the text, whatever the text.

Identifiers, numbers, addresses and links stay whole; scripts written without spaces come by character; a grapheme
cluster is never split. One pass, linear in the length of the text.
"""

import re
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from compression_subnet.text.graphemes import extends, is_stacked, joins_next, may_join

__all__ = ["is_unspaced", "split_words", "word_pieces"]

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, bopomofo, ideographs.
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u3105-\u312f\u31f0-\u31ff"
    r"\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
# Nothing extends these, which are controls to Unicode (GB4 of UAX 29).
_LINE_BREAKS: Final = "\n\r\v\f\x85\u2028\u2029"
_UNSPACED_CHARACTER: Final = re.compile(f"[{_UNSPACED}]")
_LETTER: Final = rf"[^\W{_UNSPACED}]"


def _pattern(marks: str) -> re.Pattern[str]:
    """Return what matches one word or run of marks, and the white space after it."""
    return re.compile(
        rf"""
        [A-Za-z]++\s++                                              # most words, without looking further
      | (?:
            (?:https?|ftp)://[^\s<>"]*[\w/]                         # links
          | (?:[^\W\d_{_UNSPACED}]\.){{2,}}+                        # U.S., e.g.
          | (?:[$€£¥₹\#@§]|(?<![^\s(\[])[-−+±~≈])?                  # $5, #7, -3
            {_LETTER}++
            (?:
                (?:[-‐‑'’./@&]|(?<=\d)[,:–](?=\d)) {_LETTER}++      # KX-7714-Q, 19,6, 10.0.0.7:8080, can't
            )*+
            (?:°[CF]?|[%‰]|(?<=[A-Z])(?:\+\+|\#)(?!\w))?            # 20 %, C++
          | [{_UNSPACED}]
          | {marks}                                                 # punctuation, runs of one mark whole
        )?\s*+
        """,
        re.VERBOSE,
    )


# A back reference says what a run is, but needs a group, with which ``findall`` is slow: so the usual marks are spelt
# out, and texts with runs of others take the other way.
_USUAL_MARKS: Final = ".,-'\"()!?:;*=#/…—–"
_WORD: Final = _pattern("|".join(re.escape(mark) + "++" for mark in _USUAL_MARKS) + r"|[^\w\s]")
_WORD_WITH_ANY_RUN: Final = _pattern(r"(?P<mark>[^\w\s])(?P=mark)*+")
_UNUSUAL_MARK: Final = re.compile(rf"[^\w\s{re.escape(_USUAL_MARKS)}]")


def split_words(text: str) -> list[tuple[int, int]]:
    """Return the words and punctuation marks of ``text`` as half-open ranges, in order and without gaps.

    White space belongs to the word before it; that at the very start is a range of its own. The ranges join to
    the text; the empty text has none.
    """
    return list(pairwise(accumulate(map(len, word_pieces(text)), initial=0)))


def word_pieces(text: str) -> list[str]:
    """Return the words and punctuation marks of ``text`` with their white space: ``split_words`` as strings."""
    distinct = set(text)
    if any(2 * character in text for character in distinct if _is_unusual_mark(character)):
        pieces = [match[0] for match in _WORD_WITH_ANY_RUN.finditer(text)]
    else:
        pieces = _WORD.findall(text)
    if pieces and not pieces[-1]:
        pieces.pop()  # what matches at the very end is empty
    return _whole_clusters(text, pieces) if any(map(may_join, distinct)) else pieces


@lru_cache(maxsize=4096)
def _is_unusual_mark(character: str) -> bool:
    return _UNUSUAL_MARK.match(character) is not None


def is_unspaced(character: str) -> bool:
    """Whether ``character`` is of a script written without spaces between words, and so a word by itself."""
    return _UNSPACED_CHARACTER.match(character) is not None


def _whole_clusters(text: str, pieces: list[str]) -> list[str]:
    """Join those of ``pieces`` whose border lies within a grapheme cluster or within a word with marks."""
    starts = [
        start for start in accumulate(map(len, pieces[:-1]), initial=0) if start == 0 or not _inseparable(text, start)
    ]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _inseparable(text: str, at: int) -> bool:
    """Whether ``text`` may not be cut before its character at ``at``, which is not the first."""
    before, first = text[at - 1], text[at]
    if extends(first):
        return before not in _LINE_BREAKS
    if joins_next(before, first) or is_stacked(text, at):
        return True
    # Python's \w leaves out vowel signs and other marks, after which an Indic or Arabic word goes on.
    return extends(before) and first.isalnum() and re.match(_LETTER, first) is not None
