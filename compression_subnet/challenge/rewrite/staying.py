"""Numbers that the text itself bears out, and that have to stay: lists of so many things, spans between years."""

import re
from decimal import Decimal
from typing import Final

from compression_subnet.challenge.rewrite.quantities import Quantity
from compression_subnet.challenge.rewrite.reading import Reading
from compression_subnet.challenge.rewrite.wordlists import word_set

__all__ = ["durations", "listed"]

# So far behind a count, what it counts is listed.
_REACH: Final = 420
_PAIR: Final = re.compile(
    r"\b(?:both|either|neither|the other|each other|the latter|the former|(?:a|the) second|another)\b", re.IGNORECASE
)
_ORDINALS: Final = {
    3: re.compile(r"\bthe third\b|\(c\)", re.IGNORECASE), 4: re.compile(r"\bthe fourth\b", re.IGNORECASE),
    5: re.compile(r"\bthe fifth\b", re.IGNORECASE), 6: re.compile(r"\bthe sixth\b", re.IGNORECASE),
    7: re.compile(r"\bthe seventh\b", re.IGNORECASE),
}  # fmt: skip
_CLAUSE_END: Final = re.compile(r"[.!?](?:\s|\Z)")
_ITEM: Final = re.compile(r"[,;] (?:and )?| and ")
# What is counted at a sentence's opening, or by such a word, is told next: "Two stations saw changes."
_OPENING: Final = re.compile(r"(?:\A|[.!?]\s+|\n)(?:the |these |those )?\Z", re.IGNORECASE)
_HEADING: Final = word_set("place way part thing aim reason stage group kind sort point respect half class step")
# A list is announced by a colon, a dash or a phrase.
_ANNOUNCED: Final = re.compile(
    r":\s|, (?=(?:the|an?) )|\s[–—-]\s|, (?:namely|among them|of whom|one of|of which)\b|\bof (?:whom|which|them)\b"
)
_TIME: Final = frozenset({"year", "month", "week", "day", "decade"})
_AGED: Final = re.compile(r"\b(?:aged|age of|was|at|turned)\s*\Z", re.IGNORECASE)
_NEAR: Final = 400


def listed(reading: Reading) -> set[Quantity]:
    """Return the counts whose things the text goes on to tell one by one ("both", "the third", "three: a, b and c")."""
    found = set()
    text = reading.text
    for quantity in reading.quantities:
        if not quantity.is_count:
            continue
        behind = text[quantity.end : quantity.end + _REACH]
        n = int(quantity.value)
        stop = _CLAUSE_END.search(behind)
        rest = behind[: stop.start()] if stop else behind
        opening = text[max(0, quantity.start - 8) : quantity.start]
        before = text[max(0, quantity.start - 240) : quantity.start]
        told = (
            (n == 2 and (_PAIR.search(behind) or _PAIR.search(before)))
            or (n in _ORDINALS and _ORDINALS[n].search(behind))
            or (n <= 6 and (quantity.head in _HEADING or _OPENING.search(opening)))
        )
        announced = _ANNOUNCED.search(rest)
        if told or (announced and len(_ITEM.findall(rest, announced.end())) == n - 1):
            found.add(quantity)
    return found


def durations(reading: Reading) -> set[Quantity]:
    """Return the spans of time and ages that are differences between dates standing near."""
    text, dates = reading.text, reading.dates
    years = [(part.start, part.value) for date in dates for part in (date.year, date.decade) if part]
    days = [(date.day.start, date.month.value, date.day.value) for date in dates if date.day and date.month]
    found = set()
    for quantity in reading.quantities:
        if quantity.head not in _TIME and not _AGED.search(text, max(0, quantity.start - 10), quantity.start):
            continue
        near = [value for start, value in years if abs(start - quantity.start) <= _NEAR]
        spans = {Decimal(abs(a - b)) for a in near for b in (value for _, value in years)}
        # An age is a year less where the birthday is still to come.
        if quantity.value in spans or (quantity.head not in _TIME and quantity.value + 1 in spans):
            found.add(quantity)
        elif quantity.head in ("day", "week"):
            times = 7 if quantity.head == "week" else 1
            close = [(month, day) for start, month, day in days if abs(start - quantity.start) <= _NEAR]
            if quantity.value * times in {Decimal(abs(a - b)) for m, a in close for n, b in close if m == n}:
                found.add(quantity)
    return found
