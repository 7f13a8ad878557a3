"""Numbers that count or measure: where they stand, what they count, and how another is written in their place."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from compression_subnet.challenge.rewrite.numerals import NUMBER_WORDS, parse_words, spell, spell_decimal
from compression_subnet.challenge.rewrite.types import Edit, QuantityMap
from compression_subnet.challenge.rewrite.wordlists import word_set

__all__ = ["Quantity", "find_quantities", "look_up", "quantity_edits"]

_SCALES: Final = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_FIGURES: Final = re.compile(
    r"""
    \d(?:
        (?<![\w.,:/@#-].)(?<!\d–.)(?P<digits>(?:\d{0,2}(?:,\d{3})+|\d{0,11})(?:\.\d{1,4})?)
        (?![\w/@:]|[.,]\d|-\d)(?:[ -](?P<scale>hundred|thousand|million|billion|trillion)\b)?
      | (?<![\w.,:/@#-].)(?P<glued>\d{0,5}(?:\.\d{1,3})?)
        (?=(?:km|m|cm|mm|kg|g|lbs?|oz|ft|mph|kph|in|mi|ml|[kMG]?W|[kMG]?Hz|[kMGT]B|mAh|V|k|K|M|bn|am|pm|x|°C|°F|°)\b)
      | (?<=\d–.)(?P<range>\d{0,8}(?:\.\d{1,3})?)(?![\w/@:–]|[.,]\d|-\d)
    )
    """,
    re.VERBOSE,
)
_SPELLED: Final = re.compile(rf"{NUMBER_WORDS}(?![\w]|-(?:fold|third|fifth|quarter))")
# What a number counts: the next word, past an adjective-like measure ("per cent" is one word here).
_HEAD: Final = re.compile(r"[\s-]*(?:of the |of a )?([A-Za-z]+|[%°$€£])")
_SPENT: Final = word_set("of the a an and or to in on at by from for with that which who as was were is are had")
# Numbers that are names: "clause 7", "No. 4".
_REFERENCE: Final = re.compile(
    r"(?:\b(?:clause|section|article|chapter|paragraph|rule|step|table|figure|fig|number|no|nos|page|version|type|"
    r"line|item|appendix|annex|schedule|part|volume|vol|psalm|level|grade|class|room|flight|route|highway|road|unit)"
    r"s?\.?|№|(?-i:\b[A-Z]{2,}))\s*\Z",
    re.IGNORECASE,
)
_FRACTIONS: Final = re.compile(
    r"[\s-](?:thirds?|quarters?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?|hal(?:f|ves))\b"
)
_HOUR: Final = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)"
_CLOCK_BEHIND: Final = re.compile(rf" (?:minutes? )?(?:past|to) {_HOUR}\b(?! [a-z]+s\b)| o['’]clock")
_CLOCK_BEFORE: Final = re.compile(r"\b(?:half past|quarter past|quarter to|minutes? past|minutes? to) \Z")
_ERA: Final = re.compile(r"\s(?:BC|BCE|AD|CE)\b")
_FIXED: Final = {
    (7, "day"), (24, "hour"), (12, "month"), (365, "day"), (60, "minute"), (60, "second"), (52, "week"), (100, "per"),
    (100, "percent"), (100, "%"), (360, "degree"), (4, "season"), (180, "degree"), (90, "degree"),
}  # fmt: skip
_TENS_JOINT: Final = re.compile(r"hundred and ")
LARGEST_COUNT: Final = 12


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a text.

    Attributes:
        start: of its range, the scale word ("million") not in it.
        end: of its range.
        text: its characters.
        value: with its scale.
        scale: what the characters' own value is multiplied by.
        head: what it counts: the next word, singular, in small letters; "" for none.
        style: digits or words.
        fixed: why it cannot be another number, or "".
    """

    start: int
    end: int
    text: str
    value: Decimal
    scale: int
    head: str
    style: str
    fixed: str

    @property
    def is_count(self) -> bool:
        """Whether it is so small that it is known by what it counts."""
        return self.value <= LARGEST_COUNT and self.value == self.value.to_integral_value() and self.scale == 1

    @property
    def is_trivial(self) -> bool:
        """Whether it is nought or one, which are words more than numbers."""
        return self.value <= 1

    @property
    def grain(self) -> Decimal:
        """The unit of its last digit that is not a nought behind the others: 1,300 is given to the hundred."""
        if self.style == "words" and " point " in self.text.lower():
            return self.value.normalize() and Decimal(1).scaleb(int(self.value.normalize().as_tuple().exponent))
        if "." in self.text:
            return self.scale * Decimal(1).scaleb(-len(self.text.partition(".")[2]))
        grain = Decimal(self.scale)
        while self.value and self.value % (grain * 10) == 0:
            grain *= 10
        return grain


def find_quantities(text: str, taken: Sequence[tuple[int, int]]) -> list[Quantity]:
    """Return the numbers of ``text`` that stand outside the ranges ``taken`` (dates and codes), in order."""
    ranges = sorted(taken)
    starts = [start for start, _ in ranges]
    return [q for q in _quantities(text) if not _meets(q, ranges, starts)]


def _meets(quantity: Quantity, ranges: Sequence[tuple[int, int]], starts: Sequence[int]) -> bool:
    # Ranges do not overlap, so only the last that starts before the number's end can meet it.
    i = bisect_left(starts, quantity.end) - 1
    return i >= 0 and ranges[i][1] > quantity.start


def look_up(quantity: Quantity, numbers: QuantityMap) -> Decimal | None:
    """Return what becomes of a number, or None where it stays."""
    if quantity.fixed:
        return None
    if not quantity.is_count:
        return numbers.values.get(quantity.value)
    if quantity.head in numbers.counts:
        return numbers.counts[quantity.head].get(quantity.value)
    # Counted by another word than in the text, or by none: what all its counts become, if that is one number.
    become = {counts[quantity.value] for counts in numbers.counts.values() if quantity.value in counts}
    return become.pop() if len(become) == 1 else None


def quantity_edits(quantities: Iterable[Quantity], numbers: QuantityMap) -> list[Edit]:
    """Return the edits that put the mapped numbers in the place of others, each as the other was written."""
    edits = []
    for quantity in quantities:
        new = look_up(quantity, numbers)
        if new is not None and new != quantity.value:
            edits.append(Edit(quantity.start, quantity.end, _write(new, quantity), "quantity"))
    return edits


def _quantities(text: str) -> list[Quantity]:
    found = []
    for match in _FIGURES.finditer(text):
        name = next(name for name in ("digits", "glued", "range") if match[name] is not None)
        start, end = match.start(), match.end(name)
        scale = _SCALES[match["scale"]] if match["scale"] else 1
        value = Decimal(text[start:end].replace(",", "")) * scale
        found.append(_quantity(text, start, end, match.end(), value, scale, "digits"))
    for match in _SPELLED.finditer(text):
        start, end = match.span()
        inside = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-")
        if not inside and (spelled := parse_words(match[0])) is not None:
            found.append(_quantity(text, start, end, end, spelled, 1, "words"))
    return sorted(found, key=lambda quantity: quantity.start)


def _quantity(text: str, start: int, end: int, after: int, value: Decimal, scale: int, style: str) -> Quantity:
    behind = text[after : after + 40]
    written = text[start:end]
    return Quantity(
        start, end, written, value, scale, _head(behind), style, _fixed(text, start, written, value, behind)
    )


def _head(behind: str) -> str:
    match = _HEAD.match(behind)
    if match is None:
        return ""
    word = match[1].lower()
    if word in _SPENT:
        return ""
    return _singular(word)


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _fixed(text: str, start: int, written: str, value: Decimal, behind: str) -> str:
    if _CLOCK_BEHIND.match(behind) or _CLOCK_BEFORE.search(text[max(0, start - 16) : start]):
        return "a time of day"
    if value <= 1:
        return "nought and one are words more than numbers"
    if _FRACTIONS.match(behind):
        return "part of a fraction"
    if _ERA.match(behind):
        return "a year of another era"
    if _REFERENCE.search(text[max(0, start - 14) : start]):
        return "names something by number"
    if written[0] == "0" and "." not in written:
        return "a code"
    if (int(value), _head(behind)) in _FIXED:
        return "a fixed measure of the calendar, the clock or the circle"
    return ""


def _write(new: Decimal, like: Quantity) -> str:
    if " point " in like.text.lower():
        return spell_decimal(new, like.text)
    if like.style == "words":
        joint = " and " if _TENS_JOINT.search(like.text.lower()) or "hundred" not in like.text.lower() else " "
        written = spell(int(new), joint)
        return written[0].upper() + written[1:] if like.text[0].isupper() else written
    own = new / like.scale
    places = len(like.text.partition(".")[2])
    return f"{own:,.{places}f}" if "," in like.text else f"{own:.{places}f}"
