"""Bringing a model's text into the form of a base text, and telling what is none."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from compression_subnet.challenge.admission import admit_text
from compression_subnet.challenge.write.facts import sentence_spans
from compression_subnet.errors import InputError
from compression_subnet.text.canonical import canonical
from compression_subnet.text.special import find_special_token

__all__ = ["ProseFault", "clean_prose"]


class ProseFault(StrEnum):
    """Why a model's text is not used."""

    SPECIAL_TOKEN = "special token"
    REMARK = "remark instead of text"
    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    REPETITIVE = "repeats itself"
    NOT_ADMITTED = "not admitted"


_LEAST: Final = 0.4
_MOST: Final = 2.5
_MOST_REPEATED: Final = 0.2
_MARKDOWN: Final = re.compile(
    r"\*\*|__|^\s*(?:#{1,6}\s.*|[-*+]\s+|\d{1,2}[.)]\s+|>\s*|```.*|[-*_]{3,}\s*)", re.MULTILINE
)
_BRACKETS: Final = re.compile(r"\[([^\[\]\n]{1,80})\]")
_REMARK: Final = re.compile(
    r"(?:sure|certainly|of course|here(?: is|['’]s| are)|as an ai|as a language model|i(?:['’]m| am) sorry|"
    r"i can(?:not|['’]t)|i(?:['’]ll| will) (?:write|now)|part \d+|title:|note:|the revised|revised)\b",
    re.IGNORECASE,
)
_REFUSES: Final = re.compile(
    r"(?:as an ai|as a language model|i(?:['’]m| am) sorry|i can(?:not|['’]t))\b", re.IGNORECASE
)


def clean_prose(raw: str, words: int) -> str | ProseFault:
    """Return the prose in a model's reply, admitted as base text, or what is wrong with it.

    Headings, marks of markdown and of our own prompts, remarks to us, a last sentence that breaks off, and sentences
    that were there before are taken away.

    Args:
        raw: the reply.
        words: how many were asked for; far fewer or more are no answer to that.
    """
    raw = raw.rpartition("</think>")[2]
    text = canonical(raw).strip()
    if find_special_token(text):
        return ProseFault.SPECIAL_TOKEN
    if _REFUSES.match(text):
        return ProseFault.REMARK
    try:
        text = admit_text(raw)  # before canonical form joins "10²" to "102"
    except InputError:
        return ProseFault.NOT_ADMITTED
    text = _BRACKETS.sub(r"\1", _MARKDOWN.sub("", text))
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    seen: set[str] = set()
    total = repeated = 0
    kept: list[str] = []
    for paragraph in paragraphs:
        if not paragraph or (_REMARK.match(paragraph) and (paragraph.endswith(":") or not kept)):
            continue
        fresh = []
        for sentence in _whole_sentences(paragraph):
            total += 1
            if sentence.casefold() in seen:
                repeated += 1
            else:
                seen.add(sentence.casefold())
                fresh.append(sentence)
        if fresh:
            kept.append(" ".join(fresh))
    if total and repeated > _MOST_REPEATED * total:
        return ProseFault.REPETITIVE
    return _sized(kept, words)


def _sized(paragraphs: Sequence[str], words: int) -> str | ProseFault:
    text = "\n\n".join(paragraphs)
    if not text:
        return ProseFault.REMARK
    try:
        text = admit_text(text)  # what was taken away may have kept two halves of a special token apart
    except InputError:
        return ProseFault.NOT_ADMITTED
    length = len(text.split())
    if length < _LEAST * words:
        return ProseFault.TOO_SHORT
    return ProseFault.TOO_LONG if length > _MOST * words else text


def _whole_sentences(paragraph: str) -> list[str]:
    """Return the sentences of a paragraph; one that does not end, or that is no sentence of prose, is left out."""
    sentences = (span.of(paragraph) for span in sentence_spans(paragraph))
    return [s for s in sentences if re.search(r"[.!?][\"')]*$", s) and re.search(r"[^\W\d_]", s)]
