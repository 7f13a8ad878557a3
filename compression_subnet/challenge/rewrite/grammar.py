"""The article before a replaced word: "a" or "an", by the sound of what follows."""

import re
from collections.abc import Iterable
from typing import Final

from compression_subnet.challenge.rewrite.types import Edit

__all__ = ["article_edits", "begins_with_vowel_sound"]

_ARTICLE: Final = re.compile(r"(?<![\w'’.-])([Aa])(n?)[ ][\"“'‘(]?\Z")
# Letters whose names begin with a vowel.
_SPELLED: Final = frozenset("AEFHILMNORSX")
_CONSONANTS: Final = re.compile(r"eu|uni(?!n)|use|usu|one\b|once\b|ut[ie]|ub[i]|ur[aou]", re.IGNORECASE)
_SILENT_H: Final = re.compile(r"hour|honest|honou?r|heir", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(\d{1,3})(?:,\d{3})*(?!\d)|(\d+)")


def begins_with_vowel_sound(word: str) -> bool:
    """Whether ``word`` (or number, or acronym) takes "an"."""
    if match := _NUMBER.match(word):
        leading = match[1] or match[2]
        return leading[0] == "8" or leading in ("11", "18")
    if len(word) > 1 and word.isupper():
        return word[0] in _SPELLED
    if _SILENT_H.match(word):
        return True
    return word[:1].lower() in "aeiouàáâäåæèéêëìíîïòóôöøùúûü" and not _CONSONANTS.match(word)


def article_edits(text: str, edits: Iterable[Edit]) -> list[Edit]:
    """Return the edits that make the indefinite articles of ``text`` agree with what ``edits`` put behind them."""
    agreeing = []
    for edit in edits:
        match = _ARTICLE.search(text, max(0, edit.start - 6), edit.start)
        if match is None:
            continue
        wanted = "n" if begins_with_vowel_sound(edit.new) else ""
        had = "n" if begins_with_vowel_sound(text[edit.start : edit.end]) else ""
        # Where the author wrote another article than the sound asks for ("an historian"), the habit is left.
        if wanted != had and match[2] == had:
            agreeing.append(Edit(match.start(1), match.end(2), match[1] + wanted, "article"))
    return agreeing
