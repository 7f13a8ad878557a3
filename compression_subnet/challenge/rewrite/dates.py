"""Dates and times of day: where they stand, by how much all of them can move, and moving them."""

import calendar
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from compression_subnet.challenge.rewrite.types import CalendarShift, Edit

__all__ = ["DateMention", "Part", "calendar_edits", "date_parts", "find_dates", "is_calendar_word"]

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_SHORT_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTH_NUMBERS: Final = {name: i for names in (_SHORT_MONTHS, _MONTHS) for i, name in enumerate(names)}
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first", "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth",
    "twenty-seventh", "twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
_ORDINAL_DAYS: Final = {word: day for day, word in enumerate(_ORDINALS, start=1)}

_MONTH: Final = rf"(?:{'|'.join(_MONTHS)}|(?:{'|'.join(m for m in _SHORT_MONTHS if m != 'May')})(?=\.?\s\d|\.))"
_ORDINAL: Final = rf"(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_DAY: Final = rf"(?:\d{{1,2}}(?:st|nd|rd|th)?|{_ORDINAL})"
_YEAR: Final = r"(?:1\d|20)\d\d"
_END: Final = r"(?!,\d|[.:/]\d|[\w%°$€£])"
# Units and plurals behind four digits: "1500 m", "1850 houses" are no years; but "in 1850 houses ...".
_UNIT: Final = re.compile(r"-[a-z]|[ -](?:m|km|cm|mm|kg|g|ft|sq|mi|mph|per|percent|million|thousand|degrees)\b")
_PLURAL: Final = re.compile(
    r" (?!(?:was|is|has|as|its|this|his|does|across|us|thus|perhaps|always|towards|plus|series|census|crisis|less|"
    r"access|overseas|sometimes|besides|elections|olympics)\b)[a-z]{2,}(?<!s)s\b"
)
# Behind these four digits are a year whatever follows.
_BEFORE_YEAR: Final = re.compile(
    r"\b(?:in|since|until|till|before|after|during|circa|early|late|mid|year|spring|summer|autumn|winter|fall)[ -]\Z",
    re.IGNORECASE,
)
# And without such a word only from here on.
_FIRST_BARE_YEAR: Final = 1300
_DATE: Final = re.compile(
    rf"""
    (?<![\w/.-])(?:
      (?:(?P<wd1>{"|".join(_WEEKDAYS)}),?\s(?:the\s)?)?
      (?:(?P<d0>(?<![,.\d$€£])\d{{1,2}})(?:st|nd|rd|th)?(?:\sand\s|\sto\s|\sor\s|[-–]))?
      (?P<d1>{_DAY})(?:\sof)?\s(?P<m1>{_MONTH})(?![\w])(?:,?\s(?P<y1>{_YEAR}){_END})?
    | (?:(?P<wd2>{"|".join(_WEEKDAYS)}),?\s)?
      (?P<m2>{_MONTH})\.?\s(?P<d2>\d{{1,2}}(?:st|nd|rd|th)?)(?![\w%]|[.:,]\d)(?:,?\s(?P<y2>{_YEAR}){_END})?
    | (?P<y3>{_YEAR})-(?P<n3>0[1-9]|1[0-2])-(?P<d3>[0-3]\d)(?![\w-])
    | (?P<m4>{_MONTH})(?![\w'’])(?:,?\s(?:of\s)?(?P<y4>{_YEAR}){_END})?
    | (?P<wd5>{"|".join(_WEEKDAYS)})s?(?!\w)
    | (?<![$€£,\d]\s)(?<![$€£,])(?<!\d[ ,–-])(?P<y6>{_YEAR})[-–/](?P<t6>\d\d)(?![\w-]|[.,]\d)
    | (?P<c7>\d{{1,2}}(?:st|nd|rd|th)|{_ORDINAL})(?=[ -]centur)
    | (?P<e7>(?:1\d|20)\d0)['’]?s\b
    | (?<![$€£])(?P<y8>{_YEAR}){_END}
    )
    | (?<=[-–])(?<=\d\d\d\d[-–])(?P<y9>{_YEAR}){_END}
    """,
    re.VERBOSE,
)
# Without any of these there is no date: most short texts have none.
_TELLING: Final = re.compile(
    rf"\d|{'|'.join(_MONTHS)}|(?:{'|'.join(day[:-3] for day in _WEEKDAYS)})day|(?:Jan|Feb|Mar|Apr)\."
)
_CLOCK: Final = re.compile(
    r"(?<![\w.:,$€£])(?P<h>[01]?\d|2[0-3])(?P<dot>[:.])(?P<m>[0-5]\d)(?P<half>\s?[ap]\.?m\b)?(?![\w:%]|[.,]\d)"
)
_PREFIXES: Final = ("wd1", "d0", "d1", "m1", "y1", "wd2", "m2", "d2", "y2", "y3", "n3", "d3", "m4", "y4", "wd5", "y6",
                    "t6", "c7", "e7", "y8", "y9")  # fmt: skip
_WORDS: Final = frozenset((*_MONTHS, *_WEEKDAYS, *(f"{day}s" for day in _WEEKDAYS)))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a date: its range, its characters and its value (months from 0, weekdays from Monday as 0)."""

    start: int
    end: int
    text: str
    value: int


@dataclass(frozen=True, slots=True)
class DateMention:
    """A date or time of day as a text states it; what it does not state is None.

    ``first_day`` is that of a range, ``last_year`` the two digits behind a first year ("1914-18"); a ``decade`` is
    its first year, a ``century`` its number, ``clock`` minutes after midnight or noon.
    """

    weekday: Part | None = None
    first_day: Part | None = None
    day: Part | None = None
    month: Part | None = None
    year: Part | None = None
    last_year: Part | None = None
    decade: Part | None = None
    century: Part | None = None
    clock: Part | None = None
    half: str = ""


def is_calendar_word(word: str) -> bool:
    """Whether ``word`` names a month or a day of the week."""
    return word in _WORDS


def find_dates(text: str) -> Iterator[DateMention]:
    """Yield the dates and times of day that ``text`` states in figures or month names."""
    if not _TELLING.search(text):
        return
    for match in _DATE.finditer(text):
        parts = {name[:-1]: _part(match, name) for name in _PREFIXES if name != "d0" and match[name] is not None}
        if match["d0"] is not None:
            parts["first"] = _part(match, "d0")
        month = parts.get("m") or parts.get("n")
        if "y" in parts and len(parts) == 1 and not _is_year(text, parts["y"]):
            continue
        if month and "d" not in parts and "y" not in parts and _doubtful(text, month):
            continue
        if "d" in parts and not 1 <= parts["d"].value <= 31:
            continue
        yield DateMention(
            weekday=parts.get("wd"),
            first_day=parts.get("first"),
            day=parts.get("d"),
            month=month,
            year=parts.get("y"),
            last_year=parts.get("t"),
            decade=parts.get("e"),
            century=parts.get("c"),
        )
    for match in _CLOCK.finditer(text):
        if match["half"] or match["dot"] == ":":
            value = int(match["h"]) * 60 + int(match["m"])
            end = match.end("m")
            yield DateMention(
                clock=Part(match.start(), end, text[match.start() : end], value), half=(match["half"] or "").strip()
            )


def date_parts(date: DateMention) -> list[Part]:
    """Return the parts that a date states."""
    parts = (
        date.weekday, date.first_day, date.day, date.month, date.year, date.last_year, date.decade, date.century,
        date.clock,
    )  # fmt: skip
    return [part for part in parts if part]


def calendar_edits(dates: Iterable[DateMention], shift: CalendarShift) -> list[Edit]:
    """Return the edits that move every date; a part that would not exist then is left as it is."""
    return [edit for date in dates for edit in _moved(date, shift)]


def _moved(date: DateMention, shift: CalendarShift) -> Iterator[Edit]:
    if date.clock:
        yield from _moved_clock(date.clock, shift.minutes)
    if date.weekday and shift.weekdays:
        yield _edit(date.weekday, _WEEKDAYS[(date.weekday.value + shift.weekdays) % 7])
    carried = 0
    month = date.month.value if date.month else None
    if date.month and shift.months:
        carried, month = divmod(date.month.value + shift.months, 12)
        if date.month.text.isdigit():
            yield _edit(date.month, f"{month + 1:02}")
        else:
            names = _MONTHS if date.month.text in _MONTHS else _SHORT_MONTHS
            yield _edit(date.month, names[month])
    years = shift.years + carried
    if date.year and years:
        yield _edit(date.year, str(date.year.value + years))
    if date.last_year and date.year and years:
        yield _edit(date.last_year, f"{(date.last_year.value + years) % 100:02}")
    if date.decade and shift.years:
        yield _edit(date.decade, str(date.decade.value + shift.years))
    if date.century and shift.years and shift.years % 100 == 0 and date.century.value > -shift.years // 100:
        yield _edit(date.century, _day_like(date.century.text, date.century.value + shift.years // 100))
    for day in (date.first_day, date.day):
        if day and shift.days and month is not None:
            new = day.value + shift.days
            if 1 <= new <= calendar.monthrange(2001, month + 1)[1]:
                yield _edit(day, _day_like(day.text, new))


def _moved_clock(part: Part, minutes: int) -> Iterator[Edit]:
    new = part.value + minutes
    if minutes and 0 <= new < 24 * 60:
        hour = f"{new // 60:02}" if part.text[0] == "0" else str(new // 60)
        yield _edit(part, f"{hour}{part.text[-3]}{new % 60:02}")


def _edit(part: Part, new: str) -> Edit:
    return Edit(part.start, part.end, new, "date")


def _day_like(text: str, day: int) -> str:
    if text in _ORDINAL_DAYS:
        return _ORDINALS[day - 1]
    if text.isdigit():
        return f"{day:02}" if text[0] == "0" else str(day)
    suffix = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{suffix}"


def _part(match: re.Match[str], name: str) -> Part:
    text = match[name]
    if name.startswith("wd"):
        value = _WEEKDAYS.index(text)
    elif name.startswith("m"):
        value = _MONTH_NUMBERS[text]
    elif name.startswith("n"):
        value = int(text) - 1
    else:
        value = _ORDINAL_DAYS.get(text) or int(re.sub(r"\D", "", text))
    return Part(match.start(name), match.end(name), text, value)


def _is_year(text: str, part: Part) -> bool:
    """Whether four digits by themselves are a year rather than a number of things."""
    if _UNIT.match(text, part.end):
        return False
    if _BEFORE_YEAR.search(text, max(0, part.start - 10), part.start):
        return True
    return part.value >= _FIRST_BARE_YEAR and _PLURAL.match(text, part.end) is None


def _doubtful(text: str, month: Part) -> bool:
    """Whether a month's name by itself may be another word: "May I", "March on", "the august"."""
    if month.text not in ("May", "March", "August"):
        return False
    before = text[: month.start].rstrip()
    return not before or before[-1] in '.!?"“\n' or before[-1].isupper()
