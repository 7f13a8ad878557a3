"""A lossless splitter into words: ranges that join to the text, whatever the text.

Identifiers, numbers, addresses and links stay whole; scripts written without spaces come by character; a grapheme
cluster is never split. One pass, linear in the length of the text.
"""

import re
from typing import Final

from compression_subnet.text.graphemes import extends, is_stacked, joins_next

__all__ = ["is_unspaced", "split_words"]

# Scripts written without spaces between words: Thai, Lao, Myanmar, Khmer, kana, bopomofo, ideographs.
_UNSPACED: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u3040-\u30ff\u3105-\u312f\u31f0-\u31ff"
    r"\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_UNSPACED_CHARACTER: Final = re.compile(f"[{_UNSPACED}]")
_LETTER: Final = rf"[^\W{_UNSPACED}]"
_WORD: Final = re.compile(
    rf"""
    (?:
        (?:https?|ftp)://[^\s<>"]*[\w/]                     # links
      | (?:[^\W\d_{_UNSPACED}]\.){{2,}}+                    # U.S., e.g.
      | (?:[$€£¥₹#@§]|(?<![^\s(\[])[-−+±~≈])?               # $5, #7, -3
        {_LETTER}++
        (?:
            (?:[-‐‑'’./@&]|(?<=\d)[,:–](?=\d)) {_LETTER}++  # KX-7714-Q, 19,6, 10.0.0.7:8080, can't
        )*+
        (?:°[CF]?|[%‰]|(?<=[A-Z])(?:\+\+|\#)(?!\w))?        # 20 %, C++
      | [{_UNSPACED}]
      | (?P<mark>[^\w\s])(?P=mark)*+                        # punctuation, runs of one mark whole
    )?\s*+
    """,
    re.VERBOSE,
)


def split_words(text: str) -> list[tuple[int, int]]:
    """Return the words and punctuation marks of ``text`` as half-open ranges, in order and without gaps.

    White space belongs to the word before it; that at the very start is a range of its own. The ranges join to
    the text; the empty text has none.
    """
    spans = [match.span() for match in _WORD.finditer(text) if match.end() > match.start()]
    return spans if text.isascii() else _whole_clusters(text, spans)


def is_unspaced(character: str) -> bool:
    """Whether ``character`` is of a script written without spaces between words, and so a word by itself."""
    return _UNSPACED_CHARACTER.match(character) is not None


def _whole_clusters(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join those of ``spans`` whose border lies within a grapheme cluster or within a word with marks."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and _inseparable(text, start):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _inseparable(text: str, at: int) -> bool:
    """Whether ``text`` may not be cut before its character at ``at``, which is not the first."""
    before, first = text[at - 1], text[at]
    if extends(first):
        return before not in "\n\r"
    if joins_next(before, first) or is_stacked(text, at):
        return True
    # Python's \w leaves out vowel signs and other marks, after which an Indic or Arabic word goes on.
    return extends(before) and first.isalnum() and re.match(_LETTER, first) is not None
