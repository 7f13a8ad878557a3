"""A text taken apart without loss: sentences, words, and what kind each word is."""

from dataclasses import dataclass
from enum import IntEnum

from compression_subnet.compressors.lexicon import FILLERS, FREQUENT, FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.words import split_words

__all__ = ["Document", "Kind", "Word", "parse"]


class Kind(IntEnum):
    """What a word is, as far as its spelling and place tell."""

    PUNCTUATION = 0
    FILLER = 1
    FUNCTION = 2
    NEGATION = 3
    FREQUENT = 4
    CONTENT = 5
    NAME = 6
    NUMBER = 7


@dataclass(frozen=True, slots=True)
class Word:
    """One word or punctuation mark.

    Attributes:
        start: where it starts in the text.
        end: where its characters end.
        stop: where the white space that it owns ends, which is where the next word starts.
        lower: its characters, case-folded.
        kind: what it is.
    """

    start: int
    end: int
    stop: int
    lower: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Document:
    """A text with its words and, for each sentence, the half-open range of its words."""

    text: str
    words: tuple[Word, ...]
    sentences: tuple[tuple[int, int], ...]


def parse(text: str) -> Document:
    """Take ``text`` apart. The words' ranges ``[start, stop)`` join to the text."""
    raw: list[tuple[int, int, bool]] = []
    sentences = []
    for start, end in split_sentences(text):
        first = len(raw)
        opening = True
        for a, b in split_words(text[start:end]):
            raw.append((start + a, start + b, opening))
            opening = opening and not text[start + a].isalnum()
        sentences.append((first, len(raw)))
    # A capital at the start of a sentence says nothing, unless the word has one elsewhere too.
    names = {
        text[a:b].strip().casefold()
        for a, b, opening in raw
        if not opening and text[a].isupper() and text[a:b].strip().casefold() not in FUNCTION_WORDS
    }
    words = tuple(_word(text, a, b, opening, names) for a, b, opening in raw)
    return Document(text, words, tuple(sentences))


def _word(text: str, start: int, stop: int, opening: bool, names: set[str]) -> Word:
    core = text[start:stop].rstrip()
    lower = core.casefold()
    return Word(start, start + len(core), stop, lower, _kind(core, lower, opening, names))


def _kind(core: str, lower: str, opening: bool, names: set[str]) -> Kind:
    plain = lower.replace("’", "'")
    if not any(c.isalnum() for c in core[:16]):
        return Kind.PUNCTUATION
    if any(c.isnumeric() for c in core):
        return Kind.NUMBER
    if not opening and core.isupper() and core != "I":
        return Kind.NAME  # "US", "WHO" or "Hepatitis A", whatever the same letters mean when small
    if plain in NEGATIONS:
        return Kind.NEGATION
    if plain in FILLERS:
        return Kind.FILLER
    if plain in FUNCTION_WORDS:
        return Kind.FUNCTION
    if plain in NUMBER_WORDS:
        return Kind.NUMBER
    if core[0].isupper() and (not opening or lower in names or any(c.isupper() for c in core[1:])):
        return Kind.NAME
    if plain in FREQUENT:
        return Kind.FREQUENT
    return Kind.CONTENT
