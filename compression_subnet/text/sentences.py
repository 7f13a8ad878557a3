"""A lossless sentence splitter: ranges that join to the text, whatever the text.

Rules, no model: one pass over the stops and line breaks, each judged by a bounded stretch of text around it,
so the time is linear in the length of the text. A sentence owns the white space that follows it.
"""

import re
from typing import Final

from compression_subnet.text.abbreviations import (
    ALWAYS_INSIDE,
    BEFORE_NUMBER,
    SENTENCE_OPENERS,
    SOMETIMES_LAST,
    TIMES_OF_DAY,
)
from compression_subnet.text.graphemes import extends

__all__ = ["split_sentences"]

# Stops that need no space after them: ideographic, Arabic, Urdu, Indic, Ethiopic, Armenian, Khmer, Burmese.
_UNSPACED_STOPS: Final = "。｡！？．؟۔।॥።፧։។៕။"
_LINE_BREAKS: Final = "\n\r\v\f\x85\u2028\u2029"

# Every alternative matches wherever its first character stands, so the scan never goes back.
_CANDIDATE: Final = re.compile(
    rf"(?P<stop>[.!?…‽{_UNSPACED_STOPS}]++)"
    r"(?P<close>(?:[\"'”’»›)\]}」』）】》〉〕］｝〞]|[“‘«](?=\s|\Z)|\[\d{1,3}\])*+)"
    rf"(?P<gap>\s*+)|[{_LINE_BREAKS}]\s*+"
)
_LINE_BREAK: Final = re.compile(rf"\r\n|[{_LINE_BREAKS}]")
_ITEM: Final = re.compile(
    r"(?:[-*+•‣◦▪·–—]|\d{1,3}[.)]|\((?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\)|[A-Za-z]\)|#{1,6})[ \t]|\||>[ \t]"
)
_ENUMERATOR: Final = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){0,3}|[A-Za-z]|[ivx]{1,4}|[IVX]{1,4})\Z")
_LETTERS_WITH_STOPS: Final = re.compile(r"(?:\w\.)+\w\Z")
_WORD: Final = re.compile(r"\w+")
# Ideographs, kana, bopomofo, Hangul, their punctuation and full-width forms.
_CJK: Final = re.compile(r"[\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
_OPENERS: Final = "\"'“‘«‹([{「『（【《〈〔„‚¿¡"
_ZONES_AND_DATES: Final = re.compile(
    r"[A-Z]{2,4}\b|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|(?:Jan|Febr)uary\b|March\b|April\b|May\b|"
    r"June\b|July\b|August\b|(?:Septem|Octo|Novem|Decem)ber\b|(?:Eastern|Central|Pacific|Mountain)\b"
)
# Characters before a stop, or after its gap, that a decision may look at.
_REACH: Final = 32
# A line within these lengths that breaks off in mid-sentence was wrapped by a program or a typist.
_WRAPPED: Final = range(45, 121)
_WRAPPED_CJK: Final = range(20, 61)


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Return the sentences of ``text`` as half-open ranges of characters, in order and without gaps.

    Headings, list items and table rows count as sentences. White space belongs to the sentence before it
    (that at the very start, to the first). The ranges join to the text; the empty text has none.
    """
    spans: list[tuple[int, int]] = []
    start = line = 0
    for match in _CANDIDATE.finditer(text):
        end = match.end()
        if end == len(text):
            break
        gap_start = match.start("gap") if match["stop"] else match.start()
        # Most gaps are one space.
        breaks = 0 if text[gap_start:end] == " " else len(_LINE_BREAK.findall(text, gap_start, end))
        ends = (match["stop"] and _ends_at_stop(text, match, line)) or (
            breaks and _ends_at_line_break(text, line, gap_start, end, breaks)
        )
        # White space at the very start has no sentence before it, so it opens the first one.
        if ends and (spans or not text[:end].isspace()):
            spans.append((start, end))
            start = end
        if breaks:
            line = end
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _ends_at_stop(text: str, match: re.Match[str], line: int) -> bool:
    """Whether the run of stops that ``match`` found ends a sentence; ``line`` is where its line starts."""
    stop, close, end = match["stop"], match["close"], match.end()
    first, before = text[end], text[match.start() - 1 : match.start()]
    if extends(first):
        return False
    if not stop.isascii() and any(c in _UNSPACED_STOPS for c in stop[:_REACH]):
        # A quotation that the sentence goes on from, as in 「…。」と言った.
        return not (close and first in "とって、，,")
    if not match["gap"]:
        # NFKC makes ASCII of the full-width stops, so between ideographs no space is needed.
        return _is_cjk(before) and (_is_cjk(first) or first in _OPENERS)
    head = text[end : end + _REACH]
    opened = head.lstrip(_OPENERS)
    word = _WORD.match(opened)
    if word is None:
        # Punctuation: a bullet opens a sentence, a comma or dash goes on with this one.
        return opened[:1] not in ",;:)]}-–—.!?…%/&=+*|"
    if _goes_on(word[0]):
        # Only a question mark that nothing closes ends a sentence before small letters.
        return stop.endswith("?") and not close
    if stop != ".":
        return True
    return _ends_at_full_stop(text, match.start(), line, opened, word[0], bool(close))


def _goes_on(word: str) -> bool:
    """Whether ``word`` is no opening of a sentence: small letters, unlike *iPhone*."""
    return word[0].islower() and not any(c.isupper() for c in word[1:3])


def _ends_at_full_stop(text: str, at: int, line: int, opened: str, word: str, closed: bool) -> bool:
    """Whether the single full stop at ``at`` ends a sentence, given the ``word`` that follows."""
    reach = text[max(line, at - _REACH) : at]
    tokens = reach.split()
    last = tokens[-1].lstrip(_OPENERS) if tokens and not reach[-1:].isspace() else ""
    name = last.rpartition("-")[2]
    opens = word.casefold() in SENTENCE_OPENERS
    if closed and name not in ALWAYS_INSIDE:
        return True
    starts_line = at - line <= _REACH and not text[line : at - len(last)].strip(_OPENERS + " \t")
    if name in ALWAYS_INSIDE or (starts_line and _ENUMERATOR.match(last)):
        return False
    if name.casefold() in BEFORE_NUMBER and (word[0].isnumeric() or _is_roman(word)):
        return False
    if name in TIMES_OF_DAY:
        return not _ZONES_AND_DATES.match(opened)
    if name in SOMETIMES_LAST or _LETTERS_WITH_STOPS.match(last):
        return opens
    if len(last) == 1 and last.isupper() and not _is_cjk(last):
        # An initial, unless a sentence plainly starts: "vitamin C. The".
        return opens and opened[len(word) : len(word) + 1] != "."
    return True


def _is_roman(word: str) -> bool:
    return len(word) <= 6 and not word.strip("IVXLC")


def _ends_at_line_break(text: str, line: int, stop: int, end: int, breaks: int) -> bool:
    """Whether the line ``text[line:stop]`` ends a sentence, the next line starting at ``end``."""
    if extends(text[end]) and text[end - 1] not in _LINE_BREAKS:
        return False
    if breaks > 1 or _ITEM.match(text, end):
        return True
    if text[line] in "|#" or text.find("\t", line, stop) > line:
        return True
    first = text[end]
    if first.islower():
        return False
    last = text[line:stop].rstrip()[-1:]
    if last and last in ":;,-–—":
        return last == ":"
    if _is_cjk(last) and _is_cjk(first):
        return stop - line not in _WRAPPED_CJK
    return stop - line not in _WRAPPED


def _is_cjk(character: str) -> bool:
    """Whether ``character`` is of a script written without spaces between sentences."""
    return _CJK.match(character) is not None
