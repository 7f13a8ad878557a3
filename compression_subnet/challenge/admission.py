"""What a base text and its questions must be, whatever source they come from (MECHANISM 5)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from compression_subnet.challenge.numbers import with_number_aliases
from compression_subnet.challenge.types import Question
from compression_subnet.errors import InputError
from compression_subnet.scoring.f1 import normalise
from compression_subnet.text.canonical import canonical
from compression_subnet.text.special import find_special_token

__all__ = ["admit_question", "admit_text", "contains_tokens", "reveals", "token_string"]

# Characters whose NFKC form would run into an adjoining digit: "10²" would become "102", "3½" would become "31⁄2".
_RAISED: Final = "\u00aa\u00b2\u00b3\u00b9\u00ba\u2070-\u209c\u1d2c-\u1d6a\u00bc-\u00be\u2150-\u215f\u2189\u2044"
_TOUCHING: Final = re.compile(rf"\d[{_RAISED}]|[{_RAISED}]\d")
_SPACED_GROUPS: Final = re.compile(r"(?<![\d.,])\d{1,3}[ \u00a0\u2007\u2009\u202f]\d{3}(?!\d)")
_POLAR: Final = frozenset({"yes", "no", "true", "false"})
_ARTICLES: Final = frozenset({"a", "an", "the"})


def admit_text(raw: str) -> str:
    """Return the canonical form of a base text, stripped.

    Raises:
        InputError: the text is empty, or holds what no base text may; the message names the place and the fix.
    """
    if match := _TOUCHING.search(raw):
        raise InputError(
            f"a superscript, subscript or fraction touches a digit: {_around(raw, match)}; "
            "write it out in words or plain digits"
        )
    if match := _SPACED_GROUPS.search(raw):
        raise InputError(f"a number is grouped by a space: {_around(raw, match)}; write it like 1,300 or 1300")
    text = canonical(raw).strip()
    if not text:
        raise InputError("the text is empty; give the article's text")
    if token := find_special_token(text):
        raise InputError(f"the text holds the special token {token!r}; remove it")
    return text


def admit_question(question: Question, text: str) -> Question:
    """Return a question about the admitted ``text``, canonical, its gold list complete in number words and digits.

    Raises:
        InputError: the question or its gold list cannot be used; the message names the fix.
    """
    asked = canonical(question.text).strip()
    golds = tuple(canonical(gold).strip() for gold in question.gold)
    if not asked:
        raise InputError("the question is empty; write it or remove the entry")
    if not golds:
        raise InputError(f"{asked!r} has no gold answer; give at least one")
    span = question.evidence
    if not 0 <= span.start < span.end <= len(text):
        raise InputError(f"the evidence of {asked!r} lies outside the text; give a range of the text")
    for gold in golds:
        tokens = normalise(gold)
        if not tokens or set(tokens) <= _ARTICLES:
            raise InputError(f"the gold answer {gold!r} of {asked!r} has no word that counts; give another")
        if len(tokens) == 1 and tokens[0] in _POLAR:
            raise InputError(f"{asked!r} is answered by {gold!r}; ask for something other than yes or no")
    evidence = token_string(span.of(text))
    # Other spellings need not occur: an alias serves answers, not readers.
    if not any(contains_tokens(evidence, token_string(gold)) for gold in golds):
        raise InputError(f"no gold answer of {asked!r} occurs in its evidence; quote the answer from the text")
    return replace(question, text=asked, gold=with_number_aliases(golds))


def token_string(text: str) -> str:
    """Return the normalised tokens of ``text``, without articles, each between single spaces.

    Normalisation keeps an article that stands last; without any, a phrase is found wherever it stands.
    """
    return f" {' '.join(t for t in normalise(text) if t not in _ARTICLES)} "


def contains_tokens(within: str, phrase: str) -> bool:
    """Whether one ``token_string`` holds another's tokens contiguously; one without tokens is held by none."""
    return not phrase.isspace() and phrase in within


def reveals(within: str, phrases: Iterable[str]) -> bool:
    """Whether one ``token_string`` holds any of several."""
    return any(phrase in within and not phrase.isspace() for phrase in phrases)


def _around(text: str, match: re.Match[str]) -> str:
    return repr(text[max(0, match.start() - 20) : match.end() + 20])
