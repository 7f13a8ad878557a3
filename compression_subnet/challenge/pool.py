"""All sentences that can serve as noise, and which of them lie near a given text."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.challenge.admission import token_string
from compression_subnet.challenge.types import Article
from compression_subnet.challenge.typography import habits, shape
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.special import find_special_token

__all__ = ["SentencePool", "nearest_of"]

# A whole sentence of prose on one line: neither a heading nor a row of a table, which would stand out.
_PROSE: Final = re.compile(r"(?!\d{1,3}[.)]\s)[\"'(\[“‘«¿¡]*[^\W_a-z].*[.!?…。！？।؟][\"')\]”’»」』]*")
# A quotation or bracket that only another sentence closes would stand out too.
_PAIRS: Final = ("()", "[]", "“”", "«»")
_MIN_CHARACTERS: Final = 15
_MAX_CHARACTERS: Final = 1000
# Fixed point: a row of 1,000 terms stays below 2^63.
_WEIGHT_SCALE: Final = float(1 << 20)
_QUERY_SCALE: Final = float(1 << 16)


class SentencePool:
    """The sentences of a corpus, prepared once: texts, tokens, lengths and TF-IDF vectors.

    Sentences are known by their index here; the order is that of the articles and of the text within each.

    Attributes:
        texts: the sentences, without the white space around them.
        tokens: their ``token_string``.
        habits: their typographic habits.
        lengths: their lengths in characters.
        shapes: their typographic shapes, a row each.
        continues: whether the next index is the next sentence of the same paragraph.
    """

    def __init__(self, articles: Sequence[Article]):
        self.texts: list[str] = []
        self.continues: list[bool] = []
        self._ranges: dict[str, tuple[int, int]] = {}
        for article in articles:
            first = len(self.texts)
            self._add(article.text)
            self._ranges[article.id] = (first, len(self.texts))
        for _, parts in groupby(articles, key=lambda article: article.title or article.id):
            ids = [article.id for article in parts]
            together = (self._ranges[ids[0]][0], self._ranges[ids[-1]][1])
            if together[1] - together[0] <= len(self.texts) / 2:
                self._ranges |= dict.fromkeys(ids, together)
        self.tokens = [token_string(text) for text in self.texts]
        self.habits = [habits(text) for text in self.texts]
        self.shapes = np.array([shape(text) for text in self.texts], dtype=np.int64).reshape(-1, len(shape("")))
        self.lengths: list[int] = [len(text) for text in self.texts]
        lengths = np.array(self.lengths, dtype=np.int64)
        self._order: npt.NDArray[np.int64] = np.argsort(lengths, kind="stable")
        self._sorted: npt.NDArray[np.int64] = lengths[self._order]
        self._build_vectors()

    def _add(self, text: str) -> None:
        previous_end = -1
        for start, end in split_sentences(text):
            sentence = text[start:end].strip()
            if not (
                _MIN_CHARACTERS <= len(sentence) <= _MAX_CHARACTERS
                and _PROSE.fullmatch(sentence)
                and _is_balanced(sentence)
                and find_special_token(sentence) is None
            ):
                continue
            if self.continues and start == previous_end:
                self.continues[-1] = True
            self.texts.append(sentence)
            self.continues.append(False)
            # A paragraph's last sentence owns the blank line, and is not continued.
            gap = text[start:end][len(text[start:end].rstrip()) :]
            previous_end = end if "\n" not in gap else -1

    def of_article(self, article_id: str) -> tuple[int, int]:
        """Return the half-open range of indices of an article's sentences; empty for one that is not here.

        Consecutive ones of one title are parts of one article, since what another part says is not irrelevant to this
        one; unless they are most of the corpus, which is then a collection under one name.
        """
        return self._ranges.get(article_id, (0, 0))

    def of_length(self, low: float, high: float) -> npt.NDArray[np.int64]:
        """Return the indices of the sentences of ``low`` to ``high`` characters, shortest first."""
        return self._order[np.searchsorted(self._sorted, low) : np.searchsorted(self._sorted, high, side="right")]

    def by_length(self, length: int) -> list[int]:
        """Return all indices, the sentences closest to ``length`` characters first."""
        indices: list[int] = np.argsort(np.abs(np.array(self.lengths, dtype=np.int64) - length), kind="stable").tolist()
        return indices

    def similarities(self, text: str) -> npt.NDArray[np.int64]:
        """Return how similar each sentence is to ``text``: a TF-IDF cosine times a factor that all share; least 0.

        Integers, since sums of floats differ from machine to machine in their last place, and so would the order.
        """
        query = np.zeros(len(self._vocabulary))
        for term, frequency in Counter(token_string(text).split()).items():
            if (column := self._vocabulary.get(term)) is not None:
                query[column] = (1 + np.log(frequency)) * self._idf[column]
        if not self.texts:
            return np.zeros(0, dtype=np.int64)
        scaled = np.rint(query * _QUERY_SCALE).astype(np.int64)
        # The query's norm is the same for all, so the order does not need it.
        scores: npt.NDArray[np.int64] = np.add.reduceat(self._weights * scaled[self._columns], self._starts)
        return scores

    def nearest(self, text: str, count: int, excluded: tuple[int, int] = (0, 0)) -> list[int]:
        """Return the ``count`` sentences most similar to ``text``, nearest first.

        Sentences in the half-open range ``excluded``, and those that share no word with ``text``, are left out.
        """
        scores = self.similarities(text)
        scores[excluded[0] : excluded[1]] = 0
        return nearest_of(scores, count)

    def _build_vectors(self) -> None:
        """Build the sentences' unit TF-IDF vectors as rows of a sparse matrix, in fixed point.

        The idf is squared, so that words that every text has do not make two texts alike.
        """
        # Every row has a term, as ``reduceat`` needs: prose ends in a stop but begins with a letter.
        counts = [Counter(tokens.split() or [""]) for tokens in self.tokens]
        documents = Counter(term for row in counts for term in row)
        self._vocabulary = {term: column for column, term in enumerate(documents)}
        frequencies = np.fromiter(documents.values(), dtype=np.float64, count=len(documents))
        self._idf: npt.NDArray[np.float64] = np.log((1 + len(counts)) / (1 + frequencies)) ** 2
        self._columns = np.array([self._vocabulary[term] for row in counts for term in row], dtype=np.int64)
        term_counts = np.array([n for row in counts for n in row.values()], dtype=np.float64)
        self._starts = np.cumsum([0, *(len(row) for row in counts)])[:-1]
        weights = (1 + np.log(term_counts)) * self._idf[self._columns]
        if counts:
            norms = np.sqrt(np.add.reduceat(weights**2, self._starts))
            # A sentence of words that are in every sentence has no vector: it is like nothing.
            weights /= np.repeat(np.where(norms > 0, norms, 1.0), [len(row) for row in counts])
        self._weights: npt.NDArray[np.int64] = np.rint(weights * _WEIGHT_SCALE).astype(np.int64)


def nearest_of(scores: npt.NDArray[np.int64], count: int) -> list[int]:
    """Return the indices of the ``count`` highest positive scores, highest first; ties go by index."""
    # Partition first: sorting all of a large pool would take most of the time.
    least = np.partition(scores, -count)[-count] if 0 < count < len(scores) else 0
    best = np.flatnonzero(scores >= least)
    order = best[np.lexsort((best, -scores[best]))][:count]
    nearest: list[int] = order[scores[order] > 0].tolist()
    return nearest


def _is_balanced(sentence: str) -> bool:
    return sentence.count('"') % 2 == 0 and all(sentence.count(a) == sentence.count(b) for a, b in _PAIRS)
