"""Token F1 between an answer and the accepted answers, Unicode-aware and exact.

The measure is SQuAD's (Rajpurkar et al. 2016) with a stricter normalisation: numbers keep their signs and decimals,
every script has tokens, and nothing scores by being empty.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final

__all__ = ["is_supported", "normalise", "token_f1"]

_ARTICLES: Final = frozenset({"a", "an", "the"})

# Scripts written without spaces: one token a letter with its marks. Blocks of Han, kana, Thai, Lao, Myanmar and
# Khmer, as inclusive ranges.
_UNSPACED: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af"
    "\u3040-\u30ff\u31f0-\u31ff\U0001aff0-\U0001b16f"
    "\u0e00-\u0e7f\u0e80-\u0eff"
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"
    "\u1780-\u17ff\u19e0-\u19ff"
)

# A number whose commas group its digits by three, and that no digit, or comma or dot with a digit, adjoins before;
# a decimal part may follow.
_GROUPED: Final = re.compile(r"(?<!\d)(?<!\d[.,])\d{1,3}(?:,\d{3})+(?!\d)(?!,\d)")
_LEADING_POINT: Final = re.compile(r"(?<![\w.])\.(?=\d)")
# The mark of a sign that belongs to the number behind it; private-use characters are no part of any token.
_MINUS: Final = "\ue000"
# A sign stands at the start, or after a space or an opening bracket; one currency sign may stand on either side.
_BEFORE_SIGN: Final = r"(?:^|(?<=[\s(\[{\u2329\u3008\u300a\u300c\u300e\u3010\u3014\u3016\u3018\u301a\xab]))"


def normalise(text: str) -> list[str]:
    """Return the tokens of ``text`` that are compared, in order.

    Case, typography, articles before another token and punctuation do not count; letters, marks and numbers with
    their signs and decimals do. ``MECHANISM`` section 7 numbers the rules; the comments below follow it.
    """
    # 1: one spelling of letters and digits
    while (folded := unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())) != text:
        text = folded
    text = _ascii_digits(text).replace("\u2212", "-").replace("\u2019", "'").replace(_MINUS, " ")
    # 2: grouping commas, and the nought before a decimal point
    text = _GROUPED.sub(lambda m: m[0].replace(",", ""), text)
    text = _LEADING_POINT.sub("0.", text)
    # 4: possessives, and the dots of initials
    rules = _rules(text.isascii())
    text = rules.possessive.sub("", text)
    text = rules.initials.sub(r"\1", text)
    # 3 and 5: the sign is put where the number's pattern finds it, and tokens are taken
    text = rules.sign.sub(_signed, text)
    tokens = [m[0].replace(_MINUS, "-") for m in rules.token.finditer(text)]
    # 6: articles
    return [t for i, t in enumerate(tokens) if t not in _ARTICLES or i == len(tokens) - 1]


def token_f1(prediction: str, golds: Sequence[str]) -> Fraction:
    """Return the F1 of ``prediction`` against the best of ``golds``, over multisets of tokens, in [0, 1].

    An empty prediction scores 0, and so does one against golds that all normalise to nothing.

    Raises:
        TypeError: ``golds`` is one string rather than a list of them.
    """
    if isinstance(golds, str):
        raise TypeError("golds is a list of accepted answers, not one string")
    said = Counter(normalise(prediction))
    return max((_overlap(said, Counter(normalise(gold))) for gold in golds), default=Fraction(0))


def is_supported(answer: str, text: str) -> bool:
    """Whether at least half of the answer's tokens, as a multiset, are among the tokens of ``text``.

    An answer without tokens is not supported.
    """
    tokens = normalise(answer)
    if not tokens:
        return False
    known = _known(text)
    return 2 * sum(token in known for token in tokens) >= len(tokens)


@lru_cache(maxsize=1)  # all answers from one text are checked one after the other
def _known(text: str) -> frozenset[str]:
    return frozenset(normalise(text))


def _overlap(said: Counter[str], gold: Counter[str]) -> Fraction:
    common = (said & gold).total()
    return Fraction(2 * common, said.total() + gold.total()) if common else Fraction(0)


def _ascii_digits(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _signed(match: re.Match[str]) -> str:
    return (match["before"] or "") + (match["after"] or "") + _MINUS


class _Rules:
    """Patterns over the categories L, M, N and Sc, which ``re`` cannot name: they are built once, from ranges."""

    def __init__(self, letter: str, mark: str, other_number: str, currency: str, unspaced: str) -> None:
        word = f"[{letter}{mark}{other_number}0-9]"
        self.possessive = re.compile(f"(?<=[{letter}{mark}])'s(?!{word})")
        single = f"(?<!{word})([{letter}][{mark}]*)"
        self.initials = re.compile(rf"{single}\. ?(?=[{letter}][{mark}]*(?!{word}))")
        self.sign = re.compile(f"{_BEFORE_SIGN}(?P<before>[{currency}])?-(?P<after>[{currency}])?(?=[0-9])")
        self.token = re.compile(
            rf"(?:{_MINUS}?[0-9]+(?:\.[0-9]+)*|[{other_number}]+)"
            rf"|[{unspaced}](?<=[{letter}])[{mark}]*|(?:(?![{unspaced}])[{letter}][{mark}]*)+"
        )


# ASCII has small classes, and none of some: a character that it lacks stands for those. Three times as fast.
_ASCII: Final = ("a-z", "\u0300", "\u00b2", "$", "\u3400")


@cache
def _rules(ascii_only: bool) -> _Rules:
    return _Rules(*_ASCII) if ascii_only else _Rules(*_categories(), _UNSPACED)


def _categories() -> tuple[str, str, str, str]:
    """Return the insides of character classes for L, M, N other than ASCII digits, and Sc."""
    names = {"L": 0, "M": 1, "N": 2, "S": 3}
    spans: tuple[list[list[int]], ...] = ([], [], [], [])
    for code in range(0x110000):
        category = unicodedata.category(chr(code))
        if category == "Cn" or category[0] not in names or (category[0] == "S" and category != "Sc"):
            continue
        if 0x30 <= code <= 0x39:
            continue
        ranges = spans[names[category[0]]]
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    letter, mark, number, currency = ("".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in ranges) for ranges in spans)
    return letter, mark, number, currency
