"""A text as the rules read it: its words, dates and numbers, found once and used for map and edits alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from compression_subnet.challenge.rewrite.dates import DateMention, date_parts, find_dates
from compression_subnet.challenge.rewrite.quantities import Quantity, find_quantities
from compression_subnet.challenge.rewrite.scan import Word, scan

__all__ = ["Reading", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules found in a text.

    Attributes:
        text: the text.
        words: its words and codes.
        dates: its dates and times of day.
        quantities: its numbers that are part of no date or code.
        dated: ranges of the parts of dates.
    """

    text: str
    words: Sequence[Word]
    dates: Sequence[DateMention]
    quantities: Sequence[Quantity]
    dated: Sequence[tuple[int, int]]


def read(text: str, *, phrase: bool = False) -> Reading:
    """Return what stands in ``text``.

    Args:
        text: the text.
        phrase: whether it is part of a sentence, so that a capital at its opening means something.
    """
    words = scan(text, phrase=phrase)
    dates = tuple(find_dates(text))
    dated = [(part.start, part.end) for date in dates for part in date_parts(date)]
    codes = [(word.start, word.end) for word in words if word.code]
    return Reading(text, words, dates, find_quantities(text, [*dated, *codes]), dated)
