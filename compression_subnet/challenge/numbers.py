"""Number words and digits: an answer that is right in one spelling is right in the other."""

import re
from collections.abc import Iterable
from typing import Final

__all__ = ["with_number_aliases"]

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def _word(number: int) -> str:
    """Return the English word for a number from 0 to 99."""
    if number < 20:
        return _UNITS[number]
    ten, unit = divmod(number, 10)
    return _TENS[ten - 2] + (f"-{_UNITS[unit]}" if unit else "")


_WORDS: Final = {number: _word(number) for number in range(100)}
_NUMBERS: Final = {word: number for number, word in _WORDS.items()}
# A number that stands alone: no sign, decimal part, group, currency or model number ("-5", "1.25", "$5", "B-52").
_DIGITS: Final = re.compile(r"(?<![\w.,:/$€£+-])\d{1,2}(?![\w:/]|[.,]\d)")
_SPELLED: Final = re.compile(
    rf"(?<![\w-])(?:(?:{'|'.join(_TENS)})(?:-(?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(_UNITS)})(?![\w-])",
    re.IGNORECASE,
)
_COMPOUND: Final = re.compile(r"\b(?:hundred|thousand|million|billion|dozen|half|quarter)", re.IGNORECASE)


def with_number_aliases(golds: Iterable[str]) -> tuple[str, ...]:
    """Return the accepted answers with the other spelling of each that holds one number from 0 to 99.

    The given ones come first and in their order; nothing is repeated. Compounds ("two hundred", "3 million"), and
    answers with more than one number, are left as they are.
    """
    given = tuple(dict.fromkeys(golds))
    return tuple(dict.fromkeys((*given, *(alias for gold in given if (alias := _other_spelling(gold))))))


def _other_spelling(gold: str) -> str | None:
    digits, words = _DIGITS.findall(gold), _SPELLED.findall(gold)
    if _COMPOUND.search(gold) or len(digits) + len(words) != 1:
        return None
    if words:
        # Digits that are part of something else ("one F-16") make the number ambiguous.
        if any(c.isdigit() for c in gold):
            return None
        return _SPELLED.sub(str(_NUMBERS[words[0].lower()]), gold)
    if sum(c.isdigit() for c in gold) != len(digits[0]):
        return None
    return _DIGITS.sub(_WORDS[int(digits[0])], gold)
