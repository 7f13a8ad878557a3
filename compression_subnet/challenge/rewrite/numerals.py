"""English number words, both ways."""

import re
from decimal import Decimal
from typing import Final

__all__ = ["NUMBER_WORDS", "parse_words", "spell", "spell_decimal"]

_UNITS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = {"thousand": 1000, "million": 10**6, "billion": 10**9}
_SMALL: Final = {word: i for i, word in enumerate(_UNITS)} | {word: 10 * i for i, word in enumerate(_TENS, start=2)}
_WORD: Final = rf"(?:{'|'.join(sorted((*_SMALL, 'hundred', *_SCALES), key=len, reverse=True))})"
# A phrase begins with a plain number word: "a hundred" and "hundreds" count nothing exactly. It begins with literal
# letters, small or capital, so that a search skips quickly to where one may be.
_FIRST: Final = "|".join(form for word in sorted(_SMALL, key=len, reverse=True) for form in (word, word.capitalize()))
NUMBER_WORDS: Final = (
    rf"(?:{_FIRST})(?:(?:-|[ ](?:and[ ])?){_WORD}(?![\w]))*"
    rf"(?:[ ]point(?:[ ](?:{'|'.join(_UNITS[:10])})(?![\w]))+(?:[ ](?:{'|'.join(_SCALES)})(?![\w]))?)?"
)


def parse_words(phrase: str) -> Decimal | None:
    """Return the value of a phrase of number words, or None where it is not one number ("two three")."""
    if " point " in phrase.lower():
        return _parse_decimal(phrase.lower())
    total = current = 0
    room = 10**12
    last = 0
    for word in re.split(r"[ -]+", phrase.lower()):
        if word == "and":
            continue
        if word == "hundred":
            if not 0 < current < 100 or last == 100:
                return None
            current, last = current * 100, 100
        elif word in _SCALES:
            scale = _SCALES[word]
            if not current or scale >= room:
                return None
            total, current, room, last = total + current * scale, 0, scale, 0
        else:
            value = _SMALL[word]
            # After "twenty" only a unit, after "hundred" anything below; else two numbers stand side by side.
            fits = (
                current == 0
                or (last == 100 and value < 100)
                or (last >= 20 and last < 100 and last % 10 == 0 and 0 < value < 10)
            )
            if not fits:
                return None
            current, last = current + value, value
    return Decimal(total + current)


def spell(number: int, joint: str = " and ", hyphen: str = "-") -> str:
    """Return the words of a whole number from 0 to below 10^12.

    Args:
        number: the number.
        joint: what stands between hundreds and the rest.
        hyphen: what stands between tens and units.
    """
    if number < 20:
        return _UNITS[number]
    if number < 100:
        ten, unit = divmod(number, 10)
        return _TENS[ten - 2] + (f"{hyphen}{_UNITS[unit]}" if unit else "")
    for word, scale in (("billion", 10**9), ("million", 10**6), ("thousand", 1000), ("hundred", 100)):
        if number >= scale:
            head, rest = divmod(number, scale)
            words = f"{spell(head, joint, hyphen)} {word}"
            if rest:
                words += (joint if rest < 100 else " ") + spell(rest, joint, hyphen)
            return words
    raise AssertionError("a scale fits every number from 100 up")


def spell_decimal(number: Decimal, like: str) -> str:
    """Return the words of a decimal number with as many places, and the same scale word, as ``like``."""
    words = like.lower().partition(" point ")[2].split()
    scale = words[-1] if words[-1] in _SCALES else ""
    places = len(words) - bool(scale)
    whole, _, digits = f"{number / _SCALES.get(scale, 1):.{places}f}".partition(".")
    spelled = f"{spell(int(whole))} point {' '.join(_UNITS[int(digit)] for digit in digits)}"
    return f"{spelled} {scale}".rstrip()


def _parse_decimal(phrase: str) -> Decimal | None:
    whole, _, behind = phrase.partition(" point ")
    *digits, last = behind.split()
    scale = _SCALES.get(last)
    if scale is None:
        digits.append(last)
    value = parse_words(whole)
    if value is None or not digits:
        return None
    return Decimal(f"{value}.{''.join(str(_SMALL[digit]) for digit in digits)}") * (scale or 1)
