"""The values of a rewriting: what replaces what, and what could not be replaced."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType

from compression_subnet.challenge.types import Article

__all__ = [
    "CalendarShift",
    "Edit",
    "Kept",
    "NameRule",
    "QuantityMap",
    "Replacement",
    "RewriteMap",
    "Rewritten",
    "Survivor",
]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """A range ``[start, end)`` of a text that becomes ``new``."""

    start: int
    end: int
    new: str
    kind: str


@dataclass(frozen=True, slots=True)
class NameRule:
    """What becomes of one capitalised word.

    Attributes:
        new: the word that replaces it.
        kind: given, family, place, body (an organisation), nation, acronym, code, initial.
        ordinary: whether it is an ordinary word too, which at the opening of a sentence is not the name.
    """

    new: str
    kind: str
    ordinary: bool = False


@dataclass(frozen=True, slots=True)
class CalendarShift:
    """By how much all dates move: one offset each, so that ages, durations and orders hold.

    Attributes:
        years: added to every year and decade.
        months: added to every month, and never beyond the year's ends but where the year stands beside it.
        days: added to every day of a month, and never beyond the month's ends.
        weekdays: added to every day of the week.
        minutes: added to every time of day.
    """

    years: int = 0
    months: int = 0
    days: int = 0
    weekdays: int = 0
    minutes: int = 0


def _empty() -> Mapping[str, Mapping[Decimal, Decimal]]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class QuantityMap:
    """What becomes of a number.

    Attributes:
        values: large or broken numbers, wherever they stand.
        counts: numbers up to twelve, by the noun they count (singular, small letters; "" without one).
    """

    values: Mapping[Decimal, Decimal] = field(default_factory=lambda: MappingProxyType({}))
    counts: Mapping[str, Mapping[Decimal, Decimal]] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True)
class RewriteMap:
    """Everything that ``apply`` needs to rewrite a text as another was.

    Attributes:
        names: by the original word.
        pairs: neighbouring words of which the first is ordinary, and yet part of the name at a sentence's opening.
        calendar: the shift of dates.
        quantities: the numbers.
    """

    names: Mapping[str, NameRule] = field(default_factory=lambda: MappingProxyType({}))
    pairs: frozenset[tuple[str, str]] = frozenset()
    calendar: CalendarShift = CalendarShift()
    quantities: QuantityMap = field(default_factory=QuantityMap)


@dataclass(frozen=True, slots=True)
class Replacement:
    """One thing that was replaced in the text, and how often."""

    kind: str
    original: str
    new: str
    count: int


@dataclass(frozen=True, slots=True)
class Kept:
    """Something of a replaceable type that was left alone, and why."""

    kind: str
    original: str
    reason: str


@dataclass(frozen=True, slots=True)
class Survivor:
    """A gold answer of the original that the rewritten text still holds.

    Attributes:
        question: the original question.
        gold: the answer.
        reason: ``ordinary`` (no name, date or number in it that could be replaced), ``kept`` (one that had to stay,
            see ``Rewritten.kept``), or ``elsewhere`` (replaced, but the same words stand in another place).
    """

    question: str
    gold: str
    reason: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A rewritten article.

    Attributes:
        article: the result, admitted; same id, questions in the same order.
        map: what noise of the same challenge is to be rewritten with.
        replacements: what was replaced in the text, in order of first place.
        kept: what was not, though of a replaceable type.
        survivors: original answers that still stand in the text.
        lost: questions left out because their rewritten form is not admissible.
        sentences: sentences of the text.
        untouched: those among them in which nothing was replaced, so that a look-up finds them verbatim.
    """

    article: Article
    map: RewriteMap
    replacements: tuple[Replacement, ...]
    kept: tuple[Kept, ...]
    survivors: tuple[Survivor, ...]
    lost: tuple[str, ...]
    sentences: int
    untouched: int
