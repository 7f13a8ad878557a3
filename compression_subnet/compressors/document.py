"""A text taken apart without loss: sentences, words, and what kind each word is, as arrays."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.kinds import Kind, Look, kind_elsewhere, kind_in_front, looks_of
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.words import word_pieces

__all__ = ["Document", "Kind", "Look", "parse"]

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A text with its words and sentences.

    Attributes:
        text: the text.
        words: characters of each word or punctuation mark, without the white space that follows.
        starts: place in the text at which each word starts.
        ends: place at which its characters end.
        stops: place at which the white space that it owns ends, which is where the next word starts.
        looks: ``Look`` of each word.
        terms: number of the stem of each word, the same in every text.
        kinds: ``Kind`` of each word.
        borders: first word of each sentence, and the number of words.
        sentence_of: for each word its sentence.
    """

    text: str
    words: tuple[str, ...]
    starts: Ints
    ends: Ints
    stops: Ints
    looks: Ints
    terms: Ints
    kinds: npt.NDArray[np.int8]
    borders: Ints
    sentence_of: Ints

    @property
    def sentences(self) -> list[tuple[int, int]]:
        """For each sentence the half-open range of its words."""
        return list(pairwise(self.borders.tolist()))

    def has(self, look: Look) -> Bools:
        """Return which words have ``look``."""
        found: Bools = (self.looks & int(look)) != 0
        return found


def parse(text: str) -> Document:
    """Take ``text`` apart. The words' ranges ``[start, stop)`` join to the text."""
    sentence_starts = [start for start, _ in split_sentences(text)]
    pieces = word_pieces(text)
    stops = _ends(pieces)
    borders = _borders(sentence_starts, stops)
    if borders is None:  # a link, say, that runs across what ends a sentence
        ranges = pairwise([*sentence_starts, len(text)])
        pieces = [piece for start, end in ranges for piece in word_pieces(text[start:end])]
        stops = _ends(pieces)
        borders = _borders(sentence_starts, stops)
        assert borders is not None
    words = tuple(map(str.rstrip, pieces))
    starts = np.concatenate(([0], stops[:-1])) if pieces else stops
    ends = starts + np.fromiter(map(len, words), np.int64, len(words))
    looks, terms = looks_of(words)
    sentence_of = np.repeat(np.arange(len(borders) - 1), borders[1:] - borders[:-1])
    kinds = _kinds(words, looks, borders, sentence_of)
    return Document(text, words, starts, ends, stops, looks, terms, kinds, borders, sentence_of)


def _ends(pieces: list[str]) -> Ints:
    return np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)))


def _borders(sentence_starts: list[int], stops: Ints) -> Ints | None:
    """Return the first word of each sentence and the number of words; None if a word lies across a border."""
    starts = np.array(sentence_starts[1:], dtype=np.int64)
    before = np.searchsorted(stops, starts)
    if not np.array_equal(stops[before], starts):
        return None
    first = [0] if sentence_starts else []
    return np.concatenate((first, before + 1, [len(stops)])).astype(np.int64)


def _kinds(words: tuple[str, ...], looks: Ints, borders: Ints, sentence_of: Ints) -> npt.NDArray[np.int8]:
    """Return the kind of each word, given where it stands and what else the text has."""
    lettered = (looks & int(Look.LETTERED)) != 0
    before = np.cumsum(lettered) - lettered
    # A word opens its sentence if no letter or digit stands before it there.
    opening = before == before[borders[:-1]][sentence_of]
    kinds = np.where(opening, kind_in_front(looks), kind_elsewhere(looks)).astype(np.int8)
    unsure = np.flatnonzero(opening & ((looks & int(Look.OPEN_NAME)) != 0)).tolist()
    if unsure:
        # A capital at the start of a sentence says nothing, unless the word has one elsewhere too.
        capital = np.flatnonzero(~opening & ((looks & int(Look.CAPITAL)) != 0)).tolist()
        names = {words[place].casefold() for place in capital}
        kinds[[place for place in unsure if words[place].casefold() in names]] = int(Kind.NAME)
    return kinds
