"""Applying a map to a text, and following places of the old text into the new one."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from compression_subnet.challenge.rewrite.dates import calendar_edits
from compression_subnet.challenge.rewrite.grammar import article_edits
from compression_subnet.challenge.rewrite.quantities import quantity_edits
from compression_subnet.challenge.rewrite.reading import Reading, read
from compression_subnet.challenge.rewrite.scan import Word
from compression_subnet.challenge.rewrite.types import Edit, NameRule, RewriteMap

__all__ = ["Applied", "apply", "rewrite"]


@dataclass(frozen=True, slots=True)
class Applied:
    """A text with its edits applied.

    Attributes:
        text: the new text.
        edits: in order, not overlapping; ranges of the old text.
        shifts: by how much the text after each edit has moved.
    """

    text: str
    edits: tuple[Edit, ...]
    shifts: tuple[int, ...]

    def place(self, at: int, *, end: bool = False) -> int:
        """Return where a place of the old text is in the new; within an edit, the edit's start (or its end)."""
        i = bisect_right(self.edits, at, key=lambda edit: edit.start) - 1
        if i >= 0 and self.edits[i].start < at < self.edits[i].end:
            if end:
                return self.edits[i].end + self.shifts[i]
            at = self.edits[i].start
        if i >= 0 and at < self.edits[i].end:
            i -= 1
        return at + (self.shifts[i] if i >= 0 else 0)

    def cuts(self, at: int) -> bool:
        """Whether a place of the old text lies within an edit."""
        i = bisect_right(self.edits, at, key=lambda edit: edit.start) - 1
        return i >= 0 and self.edits[i].start < at < self.edits[i].end


def apply(map: RewriteMap, text: str) -> str:
    """Return ``text`` rewritten: a question, an answer, or noise that goes with a rewritten article.

    Names and numbers that the map does not know stay; dates move as all dates do.
    """
    return rewrite(map, read(text)).text


def rewrite(map: RewriteMap, reading: Reading) -> Applied:
    """Return a text as ``apply`` does, with the edits."""
    edits = calendar_edits(reading.dates, map.calendar)
    # A month or weekday is no name.
    edits.extend(edit for edit in _name_edits(reading, map) if not _overlaps(edit, reading.dated))
    edits.extend(quantity_edits(reading.quantities, map.quantities))
    edits.extend(article_edits(reading.text, edits))
    edits.sort()
    return _applied(reading.text, edits)


def _applied(text: str, edits: Sequence[Edit]) -> Applied:
    pieces: list[str] = []
    shifts: list[int] = []
    done: list[Edit] = []
    at = shift = 0
    for edit in edits:
        if edit.start < at:
            continue
        pieces += (text[at : edit.start], edit.new)
        at = edit.end
        shift += len(edit.new) - (edit.end - edit.start)
        shifts.append(shift)
        done.append(edit)
    pieces.append(text[at:])
    return Applied("".join(pieces), tuple(done), tuple(shifts))


def _name_edits(reading: Reading, map: RewriteMap) -> list[Edit]:
    edits = []
    text, words = reading.text, reading.words
    for i, word in enumerate(words):
        if not word.capital:
            continue
        rule = map.names.get(word.text)
        if rule is None:
            new = _shouted(word.text, map)
            if new:
                edits.append(Edit(word.start, word.end, new, "name"))
            continue
        if rule.ordinary and word.opens and not (i + 1 < len(words) and (word.text, words[i + 1].text) in map.pairs):
            continue
        if rule.kind == "initial" and not _is_initial(words, i):
            continue
        new = rule.new
        if word.text[-1] == "s" and new[-1] != "s" and text[word.end : word.end + 1] in ("'", "’"):
            # The possessive of a plural ("Netmakers' Quarter"), unless an s stands behind the apostrophe.
            new += "" if text[word.end + 1 : word.end + 2] == "s" else "s"
        edits.append(Edit(word.start, word.end, new, rule.kind))
    return edits


def _shouted(word: str, map: RewriteMap) -> str:
    """Return the replacement of a name written in capitals only, or nothing."""
    if len(word) < 3 or not word.isupper():
        return ""
    rule: NameRule | None = map.names.get(word.capitalize())
    return rule.new.upper() if rule and not rule.ordinary else ""


def _is_initial(words: Sequence[Word], i: int) -> bool:
    """Whether a single capital is an initial: a dot and another capital behind it."""
    return i + 1 < len(words) and words[i + 1].capital and words[i + 1].joint in (". ", ".")


def _overlaps(edit: Edit, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(a < edit.end and edit.start < b for a, b in ranges)
