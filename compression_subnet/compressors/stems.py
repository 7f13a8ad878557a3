"""A light stemmer: enough that *defence*, *defences* and *defended* meet."""

import re
from functools import lru_cache
from typing import Final

__all__ = ["stem"]

# The longest ending that leaves a stem of at least four letters; shorter stems collide.
_ENDINGS: Final = re.compile(
    r"(?P<stem>.{4,}?)(?:ations?|ments?|ingly|edly|iness|ness|ities|ity|ings?|ions?|ively|ives?|ally|als?|ical|"
    r"ers?|ors?|ies|ied|ed|es|ly|y|s|e)"
)
# Words in natural languages are shorter; the bound keeps a megabyte of one letter from costing its square.
_LONGEST: Final = 64


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of ``word``: case-folded, without possessive and without common English endings."""
    word = word.casefold().replace("’", "'")
    word = word.removesuffix("'s").removesuffix("'")
    if len(word) > _LONGEST or not word.isalpha() or not word.isascii():
        return word
    for _ in range(2):
        match = _ENDINGS.fullmatch(word)
        if match is None:
            break
        word = match["stem"]
    return word.removesuffix("y") + "i" if word.endswith("y") else word
