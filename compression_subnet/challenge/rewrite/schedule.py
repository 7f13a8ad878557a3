"""Drawing the shift of all dates of some texts so that what they state about time still holds."""

import calendar
import random
import re
from collections.abc import Iterable, Sequence
from typing import Final

from compression_subnet.challenge.rewrite.dates import DateMention
from compression_subnet.challenge.rewrite.reading import Reading
from compression_subnet.challenge.rewrite.types import CalendarShift, Kept

__all__ = ["draw_calendar"]

_SEASONS: Final = re.compile(r"\b(?:spring|summer|autumn|winter|season|harvest|snow|frost)", re.IGNORECASE)
# Days that keep their month.
_FEASTS: Final = re.compile(r"\b(?:Christmas|New Year|Hallowe'en|Halloween|Midsummer|Michaelmas|Candlemas|Boxing Day)")
_CENTURIES: Final = (-100, -200)
_WHOLE_HOURS: Final = re.compile(r"o'clock|o’clock|\bnoon\b|\bmidnight\b|\d\s?[ap]\.?m\b|\bpast\b", re.IGNORECASE)
_YEARS: Final = tuple(y for y in range(-45, 46) if abs(y) >= 3)
_LATEST: Final = 2026
# A calendar repeats after so many years, as long as no century year without a leap day lies between.
_SAME_CALENDAR: Final = (-28, 28, -56, 56)


def draw_calendar(readings: Sequence[Reading], rng: random.Random) -> tuple[CalendarShift, list[Kept]]:
    """Return one shift for every date that was read, and what of the calendar has to stay and why.

    One offset for all years keeps ages and spans of years; one for all months, without passing the ends of a year,
    and one for all days, without passing the ends of a month, keep orders and seasons; a weekday moves with the days,
    and where a weekday and a full date stand together, years move to one with the same calendar.
    """
    texts = [reading.text for reading in readings]
    dates = [date for reading in readings for date in reading.dates]
    kept: list[Kept] = []
    fixed_weekdays = any(d.weekday and d.day for d in dates)
    months = 0 if fixed_weekdays else _draw_months(texts, dates, rng)
    if not months and (seen := next((d.month for d in dates if d.month), None)):
        kept.append(Kept("month", seen.text, "another month would contradict an order, a season or a weekday"))
    days = _draw_days(dates, months, rng)
    if not days and (day := next((d.day for d in dates if d.day), None)):
        kept.append(Kept("day", day.text, "no other day lies in the same month for all dates"))
    years = _draw_years(texts, dates, fixed_weekdays, rng)
    if not years and (year := next((d.year or d.decade for d in dates if d.year or d.decade), None)):
        kept.append(Kept("year", year.text, "no other year keeps the decades, centuries or weekdays"))
    weekdays = days % 7 if fixed_weekdays else _draw_weekdays(texts, dates, rng)
    if not weekdays and (weekday := next((d.weekday for d in dates if d.weekday), None)):
        kept.append(Kept("weekday", weekday.text, "another weekday would contradict a weekend or a date"))
    return CalendarShift(years, months, days, weekdays, _draw_minutes(texts, dates, rng)), kept


def _draw_months(texts: Iterable[str], dates: Sequence[DateMention], rng: random.Random) -> int:
    named = [date for date in dates if date.month]
    if not named or any(_FEASTS.search(text) for text in texts):
        return 0
    reach = 1 if any(_SEASONS.search(text) for text in texts) else 5
    # Where years stand too, a move past the end of one would part a month from what is said of its year.
    loose = all(date.year is None for date in dates)
    bare = [date.month.value for date in named if date.month and not loose]
    low, high = (min(bare), max(bare)) if bare else (5, 5)
    options = [m for m in range(-reach, reach + 1) if m and low + m >= 0 and high + m <= 11 and _fitting_days(dates, m)]
    return rng.choice(options) if options else 0


def _draw_days(dates: Sequence[DateMention], months: int, rng: random.Random) -> int:
    options = [s for s in _fitting_days(dates, months) if s]
    return rng.choice(options) if options and any(date.day for date in dates) else 0


def _fitting_days(dates: Sequence[DateMention], months: int) -> list[int]:
    """Return the shifts of days with which every date stays in its month, that being ``months`` later."""
    placed = [
        (day.value, calendar.monthrange(2001, (date.month.value + months) % 12 + 1)[1])
        for date in dates
        for day in (date.first_day, date.day)
        if day and date.month
    ]
    return [s for s in range(-9, 10) if all(1 <= day + s <= length for day, length in placed)]


def _draw_years(texts: Iterable[str], dates: Sequence[DateMention], same_calendar: bool, rng: random.Random) -> int:
    years = [part.value for date in dates for part in (date.year, date.decade) if part]
    years += [d.year.value // 100 * 100 + d.last_year.value for d in dates if d.year and d.last_year]
    if not years:
        return 0
    options: Iterable[int] = _SAME_CALENDAR if same_calendar else _YEARS
    if any(date.decade for date in dates):
        options = [y for y in options if y % 10 == 0]
    if any(date.century for date in dates):
        # Within the centuries that the texts name, or all of them with their numbers.
        within = [y for y in options if all((v + y) // 100 == v // 100 for v in years)]
        options = [y for y in within if _is_past(years, y)] or _CENTURIES
    fitting = [y for y in options if _is_past(years, y)]
    return rng.choice(fitting) if fitting else 0


def _is_past(years: Sequence[int], shift: int) -> bool:
    """Whether shifted years have four digits and lie no further ahead than now, or than they did."""
    return min(years) + shift > 1000 and max(years) + shift <= max(_LATEST, *years)


def _draw_weekdays(texts: Iterable[str], dates: Sequence[DateMention], rng: random.Random) -> int:
    days = {date.weekday.value for date in dates if date.weekday}
    if not days or any("weekend" in text or "weekday" in text for text in texts):
        return 0
    # Working days stay working days; days of rest may become any, as long as none wraps.
    limit = 4 if max(days) <= 4 else 6
    options = [w for w in range(-6, 7) if w and min(days) + w >= 0 and max(days) + w <= limit]
    return rng.choice(options) if options else 0


def _draw_minutes(texts: Iterable[str], dates: Sequence[DateMention], rng: random.Random) -> int:
    clocks = [(date.clock.value, date.half) for date in dates if date.clock]
    if not clocks:
        return 0
    step = 60 if any(_WHOLE_HOURS.search(re.sub(r"\d[:.]\d\d\s?[ap]\.?m", "", text)) for text in texts) else 5
    options = [
        m
        for m in range(-120, 121, step)
        if m
        and all((0 if not half else 60) <= value + m < (24 if not half else 13) * 60 for value, half in clocks)
        and all(not half or (value + m) // 720 == value // 720 for value, half in clocks)
    ]
    return rng.choice(options) if options else 0
