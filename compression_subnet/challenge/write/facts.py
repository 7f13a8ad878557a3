"""A fact of a brief: drawn by us, stated by a text word for word, and so checkable without a model."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from compression_subnet.challenge.types import Span
from compression_subnet.challenge.write.kinds import Kind
from compression_subnet.text.sentences import split_sentences

__all__ = ["Fact", "FactType", "contradicts", "find_statement", "full_name", "sentence_spans"]


class FactType(StrEnum):
    """What a fact's value is, and so how a second, different one is found."""

    HOLDER = "holder of an office"
    PERSON = "person"
    DATE = "date"
    PLACE = "place"
    COUNT = "count"
    AMOUNT = "amount"
    ORGANISATION = "organisation"
    MATERIAL = "material"
    CAUSE = "cause"


_PROPER: Final = frozenset({FactType.HOLDER, FactType.PERSON, FactType.PLACE, FactType.ORGANISATION, FactType.DATE})
_SPELLED: Final = (
    "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|"
    "eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|dozen)"
)
_NUMBER: Final = rf"(?<![\w.,])(?:\d[\d.,]*\d|\d|{_SPELLED}(?:(?:[\s-]|\sand\s){_SPELLED})*)"
_MONTH: Final = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE: Final = re.compile(
    rf"\b\d{{1,2}} {_MONTH}(?: \d{{4}})?\b|\b(?<!\d )(?<!\d){_MONTH}(?: \d{{4}})?\b|\b[12]\d{{3}}\b"
)
_NAME: Final = r"[A-Z][a-z]+ [A-Z][a-z]+"


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact.

    Attributes:
        kind: of the question that it answers.
        type: what its value is.
        value: stands in the text verbatim.
        gold: accepted answers, the value among them.
        anchors: what the value belongs to: phrases that stand in the same sentence.
        marked: one sentence that states it, value and anchors in square brackets.
        question: asks for the value, and names the subject.
    """

    kind: Kind
    type: FactType
    value: str
    gold: tuple[str, ...]
    anchors: tuple[str, ...]
    marked: str
    question: str

    @property
    def statement(self) -> str:
        """The sentence without the marks."""
        return self.marked.replace("[", "").replace("]", "")


@lru_cache(maxsize=8)  # a text is searched for each of its facts
def sentence_spans(text: str) -> tuple[Span, ...]:
    """Return the sentences of ``text`` without the white space around them."""
    spans = []
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if sentence.strip():
            spans.append(Span(start + len(sentence) - len(sentence.lstrip()), start + len(sentence.rstrip())))
    return tuple(spans)


def find_statement(text: str, fact: Fact) -> Span | None:
    """Return the first sentence of ``text`` that holds the fact's value and all its anchors, or None.

    Names and dates are compared letter by letter; the case of other words is free, as a sentence may begin with them.
    """
    return next((span for span in sentence_spans(text) if _states(span.of(text), fact)), None)


def contradicts(text: str, fact: Fact, allowed: frozenset[str]) -> bool:
    """Whether ``text`` holds another value of the same sort where the fact's own belongs, as far as can be checked.

    That is: another count of the same things anywhere; another amount of the same unit, or another date, in a sentence
    with the anchors; another name beside an office. Persons, places, materials and causes cannot be checked so.

    Args:
        text: the whole text.
        fact: one that it states.
        allowed: values of the brief's other facts, which are no contradiction.
    """
    match fact.type:
        case FactType.COUNT:
            head = fact.value.rpartition(" ")[2]
            pattern = re.compile(rf"({_NUMBER})\s(?:\w+\s){{0,2}}?{re.escape(head)}\b", re.IGNORECASE)
            return any(_differs(m[1], fact, m[0], allowed) for m in pattern.finditer(text))
        case FactType.AMOUNT:
            unit = fact.value.rpartition(" ")[2]
            pattern = re.compile(rf"({_NUMBER})\s(?:\w+\s)?{re.escape(unit)}\b", re.IGNORECASE)
            found = (m for s in _about(text, fact) for m in pattern.finditer(s))
            return any(_differs(m[1], fact, m[0], allowed) for m in found)
        case FactType.DATE:
            dates = (m[0] for s in _about(text, fact) for m in _DATE.finditer(s))
            return any(date not in fact.value and not any(date in other for other in allowed) for date in dates)
        case FactType.HOLDER:
            return any(name != fact.value for name in _holders(text, fact.anchors[0]))
    return False


def full_name(text: str) -> list[str]:
    """Return what looks like a person's given and family name, in order."""
    return re.findall(rf"\b{_NAME}\b", text)


def _states(sentence: str, fact: Fact) -> bool:
    return bool(_phrase(fact.value, fact.type not in _PROPER).search(sentence)) and all(
        _phrase(anchor, anchor[0].islower()).search(sentence) for anchor in fact.anchors
    )


def _about(text: str, fact: Fact) -> Iterator[str]:
    for span in sentence_spans(text):
        sentence = span.of(text)
        if all(_phrase(anchor, anchor[0].islower()).search(sentence) for anchor in fact.anchors):
            yield sentence


def _differs(number: str, fact: Fact, whole: str, allowed: frozenset[str]) -> bool:
    own = fact.value.partition(" ")[0]
    return number.casefold() != own.casefold() and not any(whole in other for other in allowed)


def _holders(text: str, role: str) -> Iterator[str]:
    named = rf"(?:the\s|its\s|as\s|was\s|became\s|then\s)*{re.escape(role)}"
    for match in re.finditer(rf"\b({_NAME}),?\s{named}\b|\b{named},?\s(?:was\s)?({_NAME})\b", text):
        yield match[1] or match[2]


@lru_cache(maxsize=4096)
def _phrase(words: str, any_case: bool) -> re.Pattern[str]:
    # A longer number, or a compound, is another value.
    return re.compile(rf"(?<![\w.,-]){re.escape(words)}(?![\w-]|[.,]\d)", re.IGNORECASE if any_case else 0)
