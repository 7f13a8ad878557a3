"""Kinds of question: told by the wording, asked for in balance, counted before and after."""

import random
import re
from enum import StrEnum
from typing import Final

__all__ = ["Kind", "draw_kinds", "is_polar", "kind_of"]


class Kind(StrEnum):
    """What a question asks for."""

    WHO = "who"
    WHEN = "when"
    WHERE = "where"
    HOW_MANY = "how many"
    WHICH = "which"
    WHY = "why"
    RELATION = "relation"


# The order decides where a question holds several of these words.
_WORDINGS: Final = (
    (Kind.HOW_MANY, r"how (?:many|much|long|old|far|high|deep|wide|tall|large|big|heavy)\b|what (?:number|sum)\b"),
    (Kind.WHY, r"why\b|for (?:what|which) reason\b|what (?:\w+ )?(?:reason|caused?|led to|made)\b"),
    (Kind.WHEN, r"when\b|(?:what|which) (?:\w+ )?(?:date|day|month|year|decade|century|time)\b"),
    (Kind.WHERE, r"where\b|(?:what|which) (?:town|place|village|city|country|location|harbour|street|building)\b"),
    (Kind.WHO, r"who(?:m|se)?\b"),
    (Kind.WHICH, r"which\b|what\b|how\b"),
)
_KINDS: Final = tuple((kind, re.compile(rf"\b(?:{wording})", re.IGNORECASE)) for kind, wording in _WORDINGS)
# Words that put one fact in its place by another.
_RELATING: Final = re.compile(
    r"\b(?:after|before|since|until|than|both|between|compared|followed|succeeded|replaced|preceded|instead of|"
    r"took over|took the place|took up|same|whose|while|during the)\b",
    re.IGNORECASE,
)
_POLAR: Final = re.compile(
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n't)?\b",
    re.IGNORECASE,
)


def kind_of(question: str, *, asked: str = "") -> Kind | None:
    """Return the kind that the wording shows, or None where it shows none.

    ``relation`` is believed where it was ``asked`` for and the wording relates one fact to another.
    """
    shown = next((kind for kind, wording in _KINDS if wording.search(question)), None)
    if shown is not None and asked == Kind.RELATION and _RELATING.search(question):
        return Kind.RELATION
    return shown


def is_polar(question: str) -> bool:
    """Whether the question opens as one that yes or no answers."""
    return _POLAR.match(question.lstrip("\"'( ")) is not None


def draw_kinds(count: int, rng: random.Random) -> list[Kind]:
    """Return ``count`` kinds in random order, each as often as any other, give or take one."""
    kinds = list(Kind)
    rng.shuffle(kinds)
    drawn = [kinds[i % len(kinds)] for i in range(count)]
    rng.shuffle(drawn)
    return drawn
