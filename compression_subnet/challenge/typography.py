"""Habits of typing by which a sentence's source could be told."""

import re
from typing import Final

__all__ = ["clash", "habits", "shape"]

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

# What a sentence's shape counts, and how many words one of each is worth when shapes are compared.
_SHAPE: Final = (
    (re.compile(r"\w+"), 1),
    (re.compile(r"[^\W\d_a-z]"), 3),
    (re.compile(r"\d+"), 3),
    (re.compile(r","), 3),
    (re.compile(r"[;:()\[\]?!–—-]"), 4),
    (re.compile(r"[\"'“”‘’]"), 4),
)


def shape(text: str) -> tuple[int, ...]:
    """Return how many words, capitals, numbers and marks ``text`` has, weighted so that distances compare them."""
    return tuple(weight * len(pattern.findall(text)) for pattern, weight in _SHAPE)


def habits(text: str) -> frozenset[str]:
    """Return the names of the habits that ``text`` shows."""
    return frozenset(name for name, pattern in _HABITS.items() if pattern.search(text))


def clash(sentence: frozenset[str], base: frozenset[str]) -> bool:
    """Whether a sentence shows a habit where the base shows only its rival."""
    return any(
        (a in sentence and a not in base and b in base) or (b in sentence and b not in base and a in base)
        for a, b in _RIVALS
    )
