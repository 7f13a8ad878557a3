"""What a run of capitalised words names: a person, a place or a body, by its nouns and what stands before it."""

from collections.abc import Sequence
from typing import Final

from compression_subnet.challenge.rewrite.inventory import is_given_name
from compression_subnet.challenge.rewrite.lexicon import (
    BODY_NOUNS,
    KEPT,
    LEADING_NOUNS,
    PLACE_NOUNS,
    PLACE_PREPOSITIONS,
    TITLES,
)
from compression_subnet.challenge.rewrite.scan import Word
from compression_subnet.challenge.rewrite.wordlists import word_set

__all__ = ["STREETS", "gender_before", "is_noun", "is_title", "kinds_of"]

_PLACES: Final = word_set(
    "town city port county village hamlet parish island isle province district state kingdom region coast river "
    "lake valley quarry farm borough duchy"
)
# Nouns of places that are nobody's name.
STREETS: Final = word_set("Street Road Avenue Row Terrace Square Court Bridge Station Island Islands River")
_WOMEN: Final = word_set("sister daughter wife mother niece aunt granddaughter widow girl woman actress sisters")
_MEN: Final = word_set("brother son husband father nephew uncle grandson widower boy man brothers")
# Words behind which a given name stands alone.
_GIVEN: Final = word_set(
    "sister brother daughter son wife husband mother father niece nephew cousin uncle aunt grandson granddaughter named"
)
_HYPHENS: Final = ("-", "‐", "‑")


def kinds_of(
    core: Sequence[Word], run: Sequence[Word], before: Sequence[Word], person: bool, ordinary: bool
) -> list[tuple[str, int]]:
    """Return the kind of each core word of a run, and the weight of that evidence.

    Args:
        core: the words of the run that name something.
        run: the run, without its titles.
        before: up to two words before it.
        person: whether it is known to be a person's.
        ordinary: whether its last word is an ordinary one.
    """
    texts = [word.text for word in run[1:]]
    after = before[-1].text if before and run[0].joint == " " else ""
    # "the port of Ostrel", "the river Tarve"
    if after in _PLACES or (after == "of" and before[0].text in _PLACES):
        return [("place", 3)] * len(core)
    if not person:
        if any(text in BODY_NOUNS for text in texts):
            return [("body", 3)] * len(core)
        nouns = any(text in PLACE_NOUNS for text in texts) or (len(run) > 1 and run[0].text in LEADING_NOUNS)
        if nouns or any(word.text in KEPT and len(word.text) > 3 for word in run):
            return [("place", 3)] * len(core)
        if ordinary:
            return [("body", 2)] * len(core)
    if len(core) == 1:
        if person:
            return [("family", 4)]
        if after in PLACE_PREPOSITIONS:
            return [("place", 2)]
        if after in _GIVEN or is_given_name(core[0].text):
            return [("given", 2)]
        return [("place", 1)] if after in ("from", "to") else [("family", 0)]
    # A person is not "the" anything, and rarely "in" or "at".
    if not person and after in ("in", "at", "near", "into", "the"):
        return [("place", 2)] * len(core)
    weight = 1 if after in ("of", "from", "to") and not person else 3
    family = len(core) - 1
    if all(word.joint in _HYPHENS for word in core[1:]):
        return [("family", 1)] * len(core)
    while family > 1 and core[family].joint in _HYPHENS:
        family -= 1
    return [("given", weight) if i < family else ("family", weight) for i in range(len(core))]


def gender_before(run: Sequence[Word], before: Sequence[Word]) -> str:
    """Return the gender that a word of kinship before a name tells: "his daughter Sidonie", "her father, Emil"."""
    if not before or run[0].joint not in (" ", ", "):
        return ""
    word = before[-1].text
    return "female" if word in _WOMEN else "male" if word in _MEN else ""


def is_title(word: str) -> bool:
    """Whether ``word`` is a title, or several holders of one ("Councillors")."""
    return word in TITLES or (word.endswith("s") and word[:-1] in TITLES)


def is_noun(word: str) -> bool:
    """Whether ``word`` says what kind of place or body a name is of."""
    return word in PLACE_NOUNS or word in BODY_NOUNS
