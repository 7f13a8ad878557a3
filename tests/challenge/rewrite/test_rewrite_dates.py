"""Dates: one shift for all, so that ages, spans, orders and weekdays hold."""

import datetime
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rewrite_cases import rewritten

from compression_subnet.challenge.rewrite.dates import calendar_edits, find_dates
from compression_subnet.challenge.rewrite.reading import read
from compression_subnet.challenge.rewrite.schedule import draw_calendar
from compression_subnet.challenge.rewrite.types import CalendarShift


def moved(text: str, shift: CalendarShift) -> str:
    for edit in sorted(calendar_edits(find_dates(text), shift), reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on 4 May 2015", "on 6 June 2025"),
        ("On May 4, 2015, it", "On June 6, 2025, it"),
        ("on the 1st of May", "on the 3rd of June"),
        ("the ninth of May", "the eleventh of June"),
        ("in the 1970s and 1978", "in the 1980s and 1988"),
        ("the war of 1914-18", "the war of 1924-28"),
        ("1914–1918", "1924–1928"),
        ("between 4 and 9 May", "between 6 and 11 June"),
        ("2015-05-04", "2025-06-06"),
        ("it sold 1500 houses for $1900", "it sold 1500 houses for $1900"),
        ("1850 metres of 1,978 and 1978.5", "1850 metres of 1,978 and 1978.5"),
        ("in 1898 prices rose", "in 1908 prices rose"),
        ("You may march on. May I?", "You may march on. May I?"),
        ("Sept 2011, Jan. 2011", "Sept 2021, Feb. 2021"),
        ("on Monday and Tuesdays", "on Wednesday and Thursdays"),
        ("on 30 June", "on 30 July"),
        ("the nineteenth century", "the nineteenth century"),
    ],
)
def test_a_shift_moves_each_part_of_a_date(text: str, expected: str) -> None:
    assert moved(text, CalendarShift(years=10, months=1, days=2, weekdays=2)) == expected


def test_centuries_move_with_a_shift_of_whole_centuries() -> None:
    assert moved("the nineteenth-century mill of the 18th century, 1899", CalendarShift(years=-100)) == (
        "the eighteenth-century mill of the 17th century, 1799"
    )


def test_times_of_day_move_together_and_stay_in_their_half() -> None:
    assert moved("from 9:15 to 10.40 a.m., at 1:2, 10.40 m", CalendarShift(minutes=25)) == (
        "from 9:40 to 11.05 a.m., at 1:2, 10.40 m"
    )


@given(st.integers(0, 2**32))
def test_ages_and_spans_of_years_hold(seed: int) -> None:
    text = "She was born in 1871, moved in 1889 and died in 1944 at the age of 73. She taught for eighteen years."
    new = rewritten(text, seed=seed).article.text
    born, moved_in, died = (int(year) for year in re.findall(r"\d{4}", new))
    assert born != 1871 and moved_in - born == 18 and died - born == 73
    assert "at the age of 73" in new


@given(st.integers(0, 2**32))
def test_a_weekday_beside_a_full_date_is_that_date_s(seed: int) -> None:
    shift, _ = draw_calendar(
        [read("On Friday, 4 May 2012 they met, and again on Monday, 14 May 2012.")], random.Random(seed)
    )
    assert shift.months == 0 and shift.years
    names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    new = moved("Friday, 4 May 2012 and Monday, 14 May 2012", shift)
    for name, day, year in re.findall(r"(\w+), (\d+) May (\d{4})", new):
        assert names[datetime.date(int(year), 5, int(day)).weekday()] == name


@given(st.integers(0, 2**32), st.lists(st.dates(datetime.date(1700, 1, 1), datetime.date(2020, 12, 28)), min_size=1))
def test_every_moved_date_exists_and_the_order_of_days_within_a_year_holds(
    seed: int, dates: list[datetime.date]
) -> None:
    months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
              "November", "December"]  # fmt: skip
    dates = [date for date in dates if (date.month, date.day) != (2, 29)]
    text = ". ".join(f"on {date.day} {months[date.month - 1]} {date.year}" for date in dates)
    shift, _ = draw_calendar([read(text)], random.Random(seed))
    new = [
        datetime.date(int(year), months.index(month) + 1, int(day))
        for day, month, year in re.findall(r"on (\d+) (\w+) (\d+)", moved(text, shift))
    ]
    assert len(new) == len(dates)
    assert sorted(range(len(new)), key=new.__getitem__) == sorted(range(len(dates)), key=dates.__getitem__)


def test_decades_centuries_and_feasts_limit_the_shift() -> None:
    for seed in range(20):
        shift, _ = draw_calendar([read("In the 1920s and in 1927 it was.")], random.Random(seed))
        assert shift.years % 10 == 0 and shift.years
        shift, _ = draw_calendar([read("In the nineteenth century, in 1850 and 1890, it was.")], random.Random(seed))
        assert (1850 + shift.years) // 100 == (1890 + shift.years) // 100 == 18
        shift, _ = draw_calendar(
            [read("From the 17th to the twentieth century, in 1600 and 1999.")], random.Random(seed)
        )
        assert shift.years in (-100, -200)
        shift, kept = draw_calendar([read("On 25 December, Christmas Day, it was.")], random.Random(seed))
        assert shift.months == 0 and any(what.kind == "month" for what in kept)
