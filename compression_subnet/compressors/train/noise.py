"""Sentences of other articles as noise: any of them, similar ones, ones that share a name, single or in blocks."""

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from compression_subnet.challenge.pool import SentencePool, nearest_of
from compression_subnet.challenge.types import Article as ChallengeArticle
from compression_subnet.compressors.train.articles import Article, tokens_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Mixture", "NoisePool"]

_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z]\w{2,}")
_SIMILAR_LENGTH: Final = (0.6, 1.6)
_TRIES: Final = 20
# A name in more sentences than this is no tie between two of them.
_COMMON_NAME: Final = 300


@dataclass(frozen=True, slots=True)
class Mixture:
    """What noise consists of; shares are probabilities.

    Attributes:
        clean: of documents without any.
        share: least and most noise, as a share of the document's number of sentences.
        near: of pieces from the sentences most similar to the document.
        named: of pieces from sentences that share a name with it.
        block: of pieces that are several consecutive sentences.
        max_block: most sentences of a piece.
        candidates: how many of the most similar sentences near noise is drawn from.
    """

    clean: float = 0.1
    share: tuple[float, float] = (0.0, 1.0)
    near: float = 0.45
    named: float = 0.15
    block: float = 0.45
    max_block: int = 6
    candidates: int = 120


class NoisePool:
    """The sentences of some articles, as token ids, to draw noise from."""

    def __init__(self, articles: Sequence[Article], tokenizer: "Tokenizer"):
        """Prepare the sentences.

        Args:
            articles: their texts are split into sentences again, as a challenge's pool does.
            tokenizer: gives token ids.
        """
        self._pool = SentencePool([ChallengeArticle(a.id, "", a.text, ()) for a in articles])
        made = [tokens_of(text, tokenizer) for text in self._pool.texts]
        self.ids = [ids for ids, _, _ in made]
        self.kinds = [kinds for _, kinds, _ in made]
        self._lengths = np.array([len(text) for text in self._pool.texts])
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        for index, text in enumerate(self._pool.texts):
            for name in set(_NAME.findall(text)):
                self._holders[name].append(index)

    def draw(
        self, article_id: str, text: str, lengths: Sequence[int], count: int, mixture: Mixture, rng: random.Random
    ) -> list[list[int]]:
        """Return ``count`` sentences, or fewer, as pieces of consecutive ones, none of the article itself.

        Args:
            article_id: the document's article; none of its sentences is drawn.
            text: the document.
            lengths: of its sentences, in characters: noise is about as long.
            count: how many sentences.
            mixture: of what kinds, in what pieces.
            rng: source of every choice.
        """
        first, last = self._pool.of_article(article_id)
        scores = self._pool.similarities(text)
        scores[first:last] = 0
        kinds = {"near": nearest_of(scores, mixture.candidates), "named": self._sharing_names(text), "far": None}
        weights = [mixture.near, mixture.named, max(0.0, 1 - mixture.near - mixture.named)]
        used = set(range(first, last))
        pieces: list[list[int]] = []
        while count > 0:
            kind = rng.choices(list(kinds), weights)[0]
            index = self._one(kinds[kind], rng.choice(lengths), used, rng)
            if index is None:
                break
            size = rng.randint(2, mixture.max_block) if rng.random() < mixture.block else 1
            piece = self._extended(index, min(size, count), used)
            used.update(piece)
            pieces.append(piece)
            count -= len(piece)
        return pieces

    def _sharing_names(self, text: str) -> list[int]:
        names = sorted(set(_NAME.findall(text)))
        return [i for name in names if len(self._holders[name]) <= _COMMON_NAME for i in self._holders[name]]

    def _one(self, candidates: list[int] | None, length: int, used: set[int], rng: random.Random) -> int | None:
        """Return a sentence of about ``length`` characters that is not used; of any if none is found soon."""
        low, high = length * _SIMILAR_LENGTH[0], length * _SIMILAR_LENGTH[1]
        found: int | None = None
        for _ in range(_TRIES):
            index = rng.choice(candidates) if candidates else rng.randrange(len(self.ids))
            if index not in used and len(self.ids[index]):
                found = index
                if low <= self._lengths[index] <= high:
                    break
        return found

    def _extended(self, first: int, size: int, used: set[int]) -> list[int]:
        piece = [first]
        while len(piece) < size and self._pool.continues[piece[-1]] and piece[-1] + 1 not in used:
            piece.append(piece[-1] + 1)
        return piece
