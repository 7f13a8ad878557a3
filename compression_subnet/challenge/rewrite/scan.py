"""The capitalised words of a text, in runs, and whether a word stands where any word has a capital."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from compression_subnet.text.sentences import split_sentences

__all__ = ["Word", "runs", "scan"]

# Codes (KX-7714), else runs of letters; "O'" belongs to the name behind it.
_WORD: Final = re.compile(
    r"(?P<code>(?<![\w/@.-])(?=[A-Za-z/-]*\d)(?=[\d/-]*[A-Z])[A-Z\d]+(?:[-/][A-Za-z\d]+)*(?![\w/@-]))"
    r"|(?:\b[OD]['’](?=[A-Z]))?[^\W\d_]+"
)
_QUOTES: Final = '"“‘«([{\n'
_LATIN: Final = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ'’]+\Z")


class Word(NamedTuple):
    """A word or code of a text.

    Attributes:
        start: of its range.
        end: of its range.
        text: its characters.
        capital: whether it begins with a Latin capital.
        opens: whether it stands where any word has a capital: a sentence's or quotation's opening.
        code: whether it is an identifier of capitals and digits.
        joint: the characters between the word before and this one.
    """

    start: int
    end: int
    text: str
    capital: bool
    opens: bool
    code: bool
    joint: str


def scan(text: str, *, phrase: bool = False) -> list[Word]:
    """Return the words of ``text`` in order; numbers and words that a combining mark adjoins are not among them.

    Args:
        text: the text.
        phrase: whether it is part of a sentence, so that nothing opens one.
    """
    openings = iter(() if phrase else [start for start, _ in split_sentences(text)])
    ascii = text.isascii()
    next_opening = next(openings, len(text))
    words: list[Word] = []
    previous = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        word = match[0]
        opens = False
        while next_opening <= start:
            opens = True
            next_opening = next(openings, len(text) + 1)
        joint = text[previous:start]
        # A quotation opens only behind a pause: 'she said, "Come"', but not 'the "Calliope Rose"'.
        if joint and joint[-1] in _QUOTES and (opens or joint[:-1].strip(" ") or joint[-1] == "\n"):
            opens = True
        marked = not ascii and (
            _combines(text, end) or (start > 0 and _combines(text, start)) or not _LATIN.match(word)
        )
        capital = word[0].isupper() and not marked
        words.append(Word(start, end, word, capital, opens, match.lastgroup == "code", joint))
        previous = end
    return words


def runs(words: Sequence[Word]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of indices of consecutive capitalised words: joined by a space, a hyphen or an initial's dot."""
    first: int | None = None
    for i, word in enumerate(words):
        if not word.capital or word.code:
            if first is not None:
                yield first, i
                first = None
            continue
        if first is not None and not _joined(words[i - 1], word):
            yield first, i
            first = None
        if first is None:
            first = i
    if first is not None:
        yield first, len(words)


def _joined(before: Word, word: Word) -> bool:
    if word.opens:
        return False
    if word.joint in (" ", "-", "‐", "‑"):
        return True
    # An initial or a title: "J. R. Harker", "Dr. Aldous".
    return word.joint in (". ", ".") and len(before.text) <= 4


def _combines(text: str, at: int) -> bool:
    return at < len(text) and unicodedata.combining(text[at]) != 0
