"""Paraphrase of sentences by a model: what it has to do, and the checks by which its work is taken or refused."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Protocol

from compression_subnet.challenge.admission import admit_question, admit_text, contains_tokens, token_string
from compression_subnet.challenge.rewrite.lexicon import ordinary_words
from compression_subnet.challenge.rewrite.reading import read
from compression_subnet.challenge.rewrite.scan import Word
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import InputError
from compression_subnet.text.sentences import split_sentences

__all__ = ["Paraphrased", "Paraphraser", "paraphrase_article", "refusal"]

# A paraphrase has this share of the original's characters, at least and at most.
_LENGTHS: Final = (0.6, 1.6)
_DIGITS: Final = re.compile(r"\d(?:[\d,.]*\d)?")


class Paraphraser(Protocol):
    """Anything that says sentences in other words."""

    async def paraphrase(self, sentences: Sequence[str]) -> list[str]:
        """Return one paraphrase for each sentence, in order; one that cannot be had is the sentence itself."""


@dataclass(frozen=True, slots=True)
class Paraphrased:
    """An article in other words.

    Attributes:
        article: the result, admitted; questions in the same order, evidence at the ends of sentences.
        accepted: how many sentences have other words now.
        refused: how many do not, by reason.
    """

    article: Article
    accepted: int
    refused: Mapping[str, int]


def refusal(original: str, paraphrase: str, golds: Collection[str] = ()) -> str:
    """Return why a paraphrase of a sentence is not taken, or nothing where it is.

    Args:
        original: the sentence, without white space around it.
        paraphrase: what the model made of it.
        golds: answers of all questions; those that stand in the original have to stay, verbatim.
    """
    if not paraphrase.strip():
        return "blank"
    try:
        canonical = admit_text(paraphrase)
    except InputError:
        return "not admitted"
    if canonical != paraphrase or "\n" in paraphrase:
        return "not canonical"
    if token_string(paraphrase) == token_string(original):
        return "unchanged"
    low, high = (share * len(original) for share in _LENGTHS)
    if not low <= len(paraphrase) <= high:
        return "length"
    # Sentences are what evidence is made of, so their number and their ends stay.
    if len(split_sentences(paraphrase)) != len(split_sentences(original)) or paraphrase[-1:] != original[-1:]:
        return "not one sentence"
    if any(gold in original and gold not in paraphrase for gold in golds):
        return "answer lost"
    within, without = token_string(paraphrase), token_string(original)
    if any(contains_tokens(within, gold) and not contains_tokens(without, gold) for gold in map(token_string, golds)):
        return "answer added"
    had, has = _numbers(original), _numbers(paraphrase)
    if had - has:
        return "number lost"
    if has - had:
        return "new number"
    names = _names(original)
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", paraphrase) is None for name in names):
        return "name lost"
    known = {word.text.lower() for word in read(original).words}
    if any(name.lower() not in known for name in _names(paraphrase)):
        return "new name"
    return ""


async def paraphrase_article(article: Article, paraphraser: Paraphraser) -> Paraphrased:
    """Return the article with every sentence paraphrased that the checks let pass, the others as they were.

    Raises:
        Exception: whatever ``paraphraser`` raises; its faults are not the article's.
    """
    spans = split_sentences(article.text)
    bodies = [article.text[start:end].strip() for start, end in spans]
    offered = await paraphraser.paraphrase(bodies)
    golds = {gold for question in article.questions for gold in question.gold}
    refused: Counter[str] = Counter()
    chosen = list(bodies)
    if len(offered) != len(bodies):
        refused["wrong number of sentences"] = len(bodies)
    else:
        for i, (body, new) in enumerate(zip(bodies, offered, strict=True)):
            if reason := refusal(body, new, golds):
                refused[reason] += 1
            else:
                chosen[i] = new
    while True:
        text, places = _join(article.text, spans, chosen)
        questions, broken = _questions(article.questions, spans, text, places)
        undone = [i for i in broken if chosen[i] != bodies[i]]
        if not undone:
            break
        for i in undone:
            chosen[i] = bodies[i]
            refused["evidence no longer answers"] += 1
    accepted = sum(new != body for new, body in zip(chosen, bodies, strict=True))
    return Paraphrased(replace(article, text=text, questions=questions), accepted, MappingProxyType(dict(refused)))


def _join(text: str, spans: Sequence[tuple[int, int]], chosen: Sequence[str]) -> tuple[str, list[Span]]:
    """Return the text with the chosen sentences, the white space between them as it was, and where each stands."""
    pieces: list[str] = []
    places: list[Span] = []
    at = 0
    for (start, end), new in zip(spans, chosen, strict=True):
        whole = text[start:end]
        lead, tail = whole[: len(whole) - len(whole.lstrip())], whole[len(whole.rstrip()) :]
        pieces += (lead, new, tail)
        places.append(Span(at + len(lead), at + len(lead) + len(new)))
        at += len(lead) + len(new) + len(tail)
    return "".join(pieces), places


def _questions(
    questions: Sequence[Question], spans: Sequence[tuple[int, int]], text: str, places: Sequence[Span]
) -> tuple[tuple[Question, ...], list[int]]:
    """Return the questions with their evidence in the new text, and the sentences of those that have lost it."""
    placed: list[Question] = []
    broken: list[int] = []
    for question in questions:
        span = question.evidence
        inside = [i for i, (start, end) in enumerate(spans) if start < span.end and span.start < end]
        moved = replace(question, evidence=Span(places[inside[0]].start, places[inside[-1]].end))
        try:
            placed.append(admit_question(moved, text))
        except InputError:
            broken.extend(inside)
    return tuple(placed), broken


def _numbers(sentence: str) -> Counter[str]:
    reading = read(sentence)
    numbers = Counter(_DIGITS.findall(sentence))
    numbers.update(q.text.lower() for q in reading.quantities if q.style == "words" and not q.is_trivial)
    return numbers


def _names(sentence: str) -> list[str]:
    """Return the capitalised words that are names as far as one sentence tells."""
    words = read(sentence).words
    return [
        word.text
        for i, word in enumerate(words)
        if word.capital
        and word.text != "I"
        and (not word.opens or (word.text.lower() not in ordinary_words() and _goes_on(words, i)))
    ]


def _goes_on(words: Sequence[Word], i: int) -> bool:
    """Whether another capital follows at once, so that this one is no opening's alone."""
    return i + 1 < len(words) and words[i + 1].capital and words[i + 1].joint in (" ", "-")
