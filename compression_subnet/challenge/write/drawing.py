"""Drawing a brief's values: nothing is drawn twice, so no fact of a brief can be taken for another."""

import random
from collections.abc import Mapping, Sequence
from typing import Final

from compression_subnet.challenge.write import vocabulary as words
from compression_subnet.challenge.write.kinds import Kind
from compression_subnet.challenge.write.topics import TOPICS, Topic
from compression_subnet.errors import ConfigurationError

__all__ = ["Drawer", "fewest_values"]

_YEARS: Final = (1820, 2019)
_LAST_DAY: Final = 28
# No count is a day of a month or a year.
_COUNTS: Final = (32, 999)
_MEASURES: Final = (32, 480)
_COSTS: Final = (21, 989)

# An interval is so many years, in words, and a date's day in digits: no number is both in one brief.
_INTERVALS: Final = {word: number for number, word in enumerate(words.INTERVAL_WORDS, start=2)}


class Drawer:
    """Random values for one brief, each distinct from those drawn before.

    Attributes:
        rng: source of every choice.
        topic: where offices, counted things and works come from.
        currency: the brief's one currency.
    """

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.topic: Topic = rng.choice(TOPICS)
        self.currency = rng.choice(words.CURRENCIES)
        self._used: set[str] = set()
        self._days: set[int] = set()
        self._intervals: set[int] = set()

    def person(self) -> str:
        """Return a full name; neither part of it is in use."""
        return f"{self._fresh(words.GIVEN)} {self.family()}"

    def family(self) -> str:
        """Return a family name."""
        return self._joined(words.FAMILY_STEMS, words.FAMILY_ENDINGS)

    def place(self) -> str:
        """Return a place's name."""
        return self._joined(words.PLACE_STEMS, words.PLACE_ENDINGS)

    def organisation(self) -> str:
        """Return a company's name."""
        return f"{self.family()} {self._fresh(words.TRADES)}"

    def office(self) -> str | None:
        """Return an office of the topic, or None where all are held."""
        return self._left(self.topic.roles)

    def counted(self) -> str | None:
        """Return something that the topic counts, or None where all is counted."""
        return self._left(self.topic.counted)

    def work(self) -> str:
        """Return a work of the topic with an adjective, such as ``lower sluice gate``."""
        while True:
            work = f"{self.rng.choice(words.ADJECTIVES)} {self.rng.choice(self.topic.works)}"
            if self._take(work):
                return work

    def material(self) -> str | None:
        """Return a material, or None where all are used."""
        return self._left(words.MATERIALS)

    def cause(self) -> str | None:
        """Return a cause, or None where all are used."""
        return self._left(words.CAUSES)

    def date(self) -> str:
        """Return a date such as ``14 March 1927``; its year is in no other."""
        day = self.rng.choice([d for d in range(1, _LAST_DAY + 1) if d not in self._intervals])
        self._days.add(day)
        return f"{day} {self.rng.choice(words.MONTHS)} {self._number(*_YEARS)}"

    def count(self) -> str:
        """Return a number in digits, 32 to 999."""
        return str(self._number(*_COUNTS))

    def measure(self) -> str:
        """Return a number of metres, in digits."""
        return str(self._number(*_MEASURES))

    def cost(self) -> str:
        """Return an amount of the brief's currency, such as ``18,400 crowns``."""
        return f"{self._number(*_COSTS)},{self.rng.randint(1, 9)}00 {self.currency}"

    def interval(self) -> str | None:
        """Return a small number as a word, or None where all are used."""
        word = self._left([word for word, number in _INTERVALS.items() if number not in self._days])
        if word is not None:
            self._intervals.add(_INTERVALS[word])
        return word

    def _number(self, low: int, high: int) -> int:
        while True:
            number = self.rng.randint(low, high)
            if self._take(str(number)):
                return number

    def _joined(self, stems: Sequence[str], endings: Sequence[str]) -> str:
        # No stem twice: no two names of a brief look alike.
        stem = self._fresh(stems)
        return stem + self.rng.choice([e for e in endings if e[0] != stem[-1]])

    def _fresh(self, choices: Sequence[str]) -> str:
        if (choice := self._left(choices)) is None:
            raise ConfigurationError("a brief of this length needs more names than there are; ask for a shorter text")
        return choice

    def _left(self, choices: Sequence[str]) -> str | None:
        left = [choice for choice in choices if choice not in self._used]
        if not left:
            return None
        choice = self.rng.choice(left)
        self._used.add(choice)
        return choice

    def _take(self, value: str) -> bool:
        taken = value in self._used
        self._used.add(value)
        return not taken


def fewest_values(n_facts: int) -> Mapping[Kind, int]:
    """Return how many values a fact can at least choose from, by kind, whatever a brief's other facts took.

    Kinds whose lists may run out are left out.
    """
    family = len(words.FAMILY_ENDINGS) - max(
        sum(e[0] == s[-1] for e in words.FAMILY_ENDINGS) for s in words.FAMILY_STEMS
    )
    place = len(words.PLACE_ENDINGS) - max(sum(e[0] == s[-1] for e in words.PLACE_ENDINGS) for s in words.PLACE_STEMS)
    days = _LAST_DAY - len(_INTERVALS)
    return {
        Kind.WHO: max(1, len(words.GIVEN) - n_facts) * family,
        Kind.WHEN: days * len(words.MONTHS) * (_YEARS[1] - _YEARS[0] + 1 - n_facts),
        Kind.WHERE: place,
        Kind.HOW_MANY: _MEASURES[1] - _MEASURES[0] + 1 - n_facts,
    }
