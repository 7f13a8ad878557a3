"""Rewriting a whole article: text, title, questions, gold answers and evidence by one map."""

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from compression_subnet.challenge.admission import admit_question, admit_text, contains_tokens, token_string
from compression_subnet.challenge.rewrite.apply import Applied, apply, rewrite
from compression_subnet.challenge.rewrite.dates import calendar_edits
from compression_subnet.challenge.rewrite.numerals import NUMBER_WORDS
from compression_subnet.challenge.rewrite.plan import map_of
from compression_subnet.challenge.rewrite.quantities import look_up
from compression_subnet.challenge.rewrite.reading import Reading, read
from compression_subnet.challenge.rewrite.types import (
    QuantityMap,
    Replacement,
    RewriteMap,
    Rewritten,
    Survivor,
)
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import InputError
from compression_subnet.text.sentences import split_sentences

__all__ = ["rewrite_article"]

# Without a capital, a digit or a number word nothing in an answer can change.
_CHANGEABLE: Final = re.compile(rf"[^\W_a-z]|\b{NUMBER_WORDS}")
# Words of an answer but the articles, which token strings leave out.
_LETTERS: Final = re.compile(r"\b(?!(?:an?|the)\b)[a-z]+")


def rewrite_article(article: Article, rng: random.Random) -> Rewritten:
    """Return the article with other names, dates and numbers, the same ones everywhere.

    Args:
        article: admitted, as a ``CorpusSource`` yields it.
        rng: source of every choice; on a network seeded from the system's randomness, and logged.

    Raises:
        InputError: the article's text is not admitted; the message names the fix.
    """
    reading = read(article.text)
    # One reading for all questions: each is a line.
    asked = read("\n".join(question.text for question in article.questions))
    map, kept = map_of([reading, asked], rng)
    applied = rewrite(map, reading)
    text = applied.text
    if admit_text(text) != text:
        raise InputError(f"rewriting {article.id!r} gave a text that is not canonical; admit the article before")
    questions: dict[str, Question] = {}
    lost: list[str] = []
    survivors: list[Survivor] = []
    tokens, staying = token_string(text), {what.original for what in kept}
    for question, line in zip(article.questions, _lines(article.questions, asked, map), strict=True):
        local = _local_map(question, reading, map)
        survivors += _survivors(question, local, staying, tokens)
        try:
            new = admit_question(_rewrite_question(question, line, local, applied, article.text), text)
        except InputError:
            lost.append(question.text)
            continue
        if new.text in questions:
            lost.append(question.text)
            continue
        questions[new.text] = new
    rewritten = Article(article.id, apply(map, article.title), text, tuple(questions.values()))
    sentences = split_sentences(article.text)
    return Rewritten(
        article=rewritten,
        map=map,
        replacements=_replacements(article.text, applied),
        kept=tuple(dict.fromkeys(kept)),
        survivors=tuple(survivors),
        lost=tuple(lost),
        sentences=len(sentences),
        untouched=_untouched(sentences, applied),
    )


def _lines(questions: Sequence[Question], asked: Reading, map: RewriteMap) -> list[str]:
    """Return the rewritten texts of the questions, which were read as one text."""
    lines = rewrite(map, asked).text.split("\n")
    return lines if len(lines) == len(questions) else [apply(map, question.text) for question in questions]


def _rewrite_question(question: Question, line: str, local: RewriteMap, applied: Applied, text: str) -> Question:
    span = question.evidence
    golds = [_rewrite_gold(gold, span, text, local, applied) for gold in question.gold]
    return replace(
        question,
        text=line,
        gold=tuple(dict.fromkeys(golds)),
        evidence=Span(applied.place(span.start), applied.place(span.end, end=True)),
    )


def _rewrite_gold(gold: str, evidence: Span, text: str, local: RewriteMap, applied: Applied) -> str:
    """Return what the gold answer became: where the evidence quotes it, its very characters in the new text."""
    at = _quoted(gold, evidence, text)
    if at >= 0 and not applied.cuts(at) and not applied.cuts(at + len(gold)):
        new = applied.text[applied.place(at) : applied.place(at + len(gold), end=True)]
        if new.strip():
            return new
    # Most aliases are plain words.
    return rewrite(local, read(gold, phrase=True)).text if _CHANGEABLE.search(gold) else gold


def _quoted(gold: str, evidence: Span, text: str) -> int:
    """Return where the evidence quotes the answer as whole words, or -1."""
    at = text.find(gold, evidence.start, evidence.end)
    while at >= 0:
        end = at + len(gold)
        inside = (at > 0 and text[at - 1].isalnum() and gold[0].isalnum()) or (
            end < len(text) and text[end].isalnum() and gold[-1].isalnum()
        )
        if not inside:
            return at
        at = text.find(gold, at + 1, evidence.end)
    return -1


def _local_map(question: Question, reading: Reading, map: RewriteMap) -> RewriteMap:
    """Return the map with the numbers of the evidence as they were mapped there, whatever they count."""
    span, text = question.evidence, reading.text
    quoted = [(at, at + len(gold)) for gold in question.gold if (at := _quoted(gold, span, text)) >= 0]
    inside = [q for q in reading.quantities if span.start <= q.start and q.end <= span.end]
    # Those within a quoted answer first: an alias in digits means the same number.
    inside.sort(key=lambda q: not any(a <= q.start and q.end <= b for a, b in quoted))
    local: dict[Decimal, Decimal] = {}
    for quantity in inside:
        new = look_up(quantity, map.quantities)
        local.setdefault(quantity.value, quantity.value if new is None else new)
    for date in reading.dates:
        day = date.day
        if day and span.start <= day.start and day.end <= span.end:
            moved = next((e for e in calendar_edits([date], map.calendar) if e.start == day.start), None)
            if moved and moved.new.isdigit():
                local.setdefault(Decimal(day.value), Decimal(moved.new))
    values = MappingProxyType(dict(map.quantities.values) | local)
    return replace(map, quantities=QuantityMap(values, MappingProxyType({"": MappingProxyType(local)})))


def _replacements(text: str, applied: Applied) -> tuple[Replacement, ...]:
    counted = Counter((edit.kind, text[edit.start : edit.end], edit.new) for edit in applied.edits)
    return tuple(Replacement(*what, count) for what, count in counted.items())


def _survivors(question: Question, local: RewriteMap, staying: set[str], tokens: str) -> list[Survivor]:
    """Return the question's answers that the new text, whose ``token_string`` is given, still holds."""
    found = []
    for gold in question.gold:
        # Cheap, and settles most: a word of the answer is nowhere.
        if gold.isascii() and not all(word in tokens for word in _LETTERS.findall(gold.lower())):
            continue
        old = token_string(gold)
        if not contains_tokens(tokens, old):
            continue
        phrase = read(gold, phrase=True)
        if token_string(rewrite(local, phrase).text) != old:
            reason = "elsewhere"
        elif phrase.quantities or phrase.dates or any(what in gold for what in staying):
            reason = "kept"
        else:
            reason = "ordinary"
        found.append(Survivor(question.text, gold, reason))
    return found


def _untouched(sentences: Sequence[tuple[int, int]], applied: Applied) -> int:
    touched = set()
    edits = iter(applied.edits)
    edit = next(edits, None)
    for i, (_, end) in enumerate(sentences):
        while edit and edit.start < end:
            touched.add(i)
            edit = next(edits, None)
    return len(sentences) - len(touched)
