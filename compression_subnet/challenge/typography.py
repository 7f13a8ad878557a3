"""Habits of typing by which a sentence's source could be told."""

import re
from typing import Final

__all__ = ["clash", "habits"]

_HABITS: Final = {
    "straight quotes": re.compile("[\"']"),
    "curly quotes": re.compile("[“”‘’]"),
    "hyphen as dash": re.compile("--| - "),
    "dash": re.compile("[–—]"),
}
_RIVALS: Final = (
    ("straight quotes", "curly quotes"),
    ("hyphen as dash", "dash"),
)


def habits(text: str) -> frozenset[str]:
    """Return the names of the habits that ``text`` shows."""
    return frozenset(name for name, pattern in _HABITS.items() if pattern.search(text))


def clash(sentence: frozenset[str], base: frozenset[str]) -> bool:
    """Whether a sentence shows a habit where the base shows only its rival."""
    return any(
        (a in sentence and a not in base and b in base) or (b in sentence and b not in base and a in base)
        for a, b in _RIVALS
    )
