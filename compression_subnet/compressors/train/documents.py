"""Training documents: some paragraphs of an article with noise between their sentences, drawn afresh each epoch."""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.train.articles import Article, Sentence
from compression_subnet.compressors.train.noise import Mixture, NoisePool

__all__ = ["MAX_TOKENS", "Passage", "Sample", "draw_samples", "excerpts", "passages_of", "sample_of"]

MIN_TOKENS: Final = 150
MAX_TOKENS: Final = 1000
MAX_PARAGRAPHS: Final = 8
_FOREIGN_SOURCE: Final = 0.12
"""Probability that a document's noise comes from a source of another kind."""
_OTHERS: Final = (1, 3)
"""Fewest and most further articles in a joined document."""
_PASSAGE: Final = (4, 10)
"""Fewest and most sentences of a passage in it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Consecutive sentences of an article."""

    article: Article
    sentences: Sequence[Sentence]


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence of a document: its tokens' ids and kinds, itself if it is no noise, and whether it was asked about."""

    ids: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    own: Sentence | None
    known: bool


@dataclass(frozen=True, slots=True)
class Sample:
    """A document to learn from; per token unless said otherwise.

    Attributes:
        ids: token ids.
        kinds: ``Kind`` of the word.
        sentences: number of the sentence.
        relevant: for each sentence, whether it is no noise.
        known: for each sentence, whether it is no noise and what is asked of it is known.
        asked: for each sentence, how many questions are asked of it.
        answer: as ``Sentence`` has it; 0 in noise.
        evidence: likewise.
    """

    ids: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    sentences: npt.NDArray[np.int64]
    relevant: npt.NDArray[np.bool_]
    known: npt.NDArray[np.bool_]
    asked: npt.NDArray[np.float32]
    answer: npt.NDArray[np.float32]
    evidence: npt.NDArray[np.float32]


def excerpts(article: Article, rng: random.Random) -> list[list[Sentence]]:
    """Return an article as runs of 1 to 8 consecutive paragraphs that hold each paragraph once, all long enough."""
    runs: list[list[Sentence]] = []
    current: list[Sentence] = []
    paragraphs, wanted = 0, rng.randint(2, MAX_PARAGRAPHS)
    for paragraph in article.paragraphs:
        size = _tokens(current) + _tokens(paragraph)
        if current and ((paragraphs >= wanted and _tokens(current) >= MIN_TOKENS) or size > MAX_TOKENS):
            runs.append(current)
            current, paragraphs, wanted = [], 0, rng.randint(2, MAX_PARAGRAPHS)
        current = [*current, *paragraph]
        paragraphs += 1
    runs.append(current)
    return [run for run in runs if len(run) > 1]


def draw_samples(
    articles: Sequence[Article], pools: Mapping[str, NoisePool], mixture: Mixture, rng: random.Random
) -> list[Sample]:
    """Return a sample for each excerpt of the articles, in their order, with noise from the pools by source."""
    of_source: defaultdict[str, list[Article]] = defaultdict(list)
    for article in articles:
        of_source[article.source].append(article)
    samples: list[Sample] = []
    for article in articles:
        for run in excerpts(article, rng):
            passages = [Passage(article, run)]
            if mixture.joined and rng.random() < mixture.joined:
                others = rng.choices(of_source[article.source], k=rng.randint(*_OTHERS))
                passages = passages_of([article, *others], rng)
            samples.append(sample_of(passages, pools, mixture, rng.uniform(*mixture.share), rng))
    return samples


def passages_of(articles: Sequence[Article], rng: random.Random) -> list[Passage]:
    """Return a short passage of each of the articles, each article once."""
    passages: list[Passage] = []
    for article in {article.id: article for article in articles}.values():
        sentences = [sentence for paragraph in article.paragraphs for sentence in paragraph]
        size = rng.randint(*_PASSAGE)
        first = rng.randint(0, max(0, len(sentences) - size))
        passages.append(Passage(article, sentences[first : first + size]))
    return passages


def sample_of(
    passages: Sequence[Passage],
    pools: Mapping[str, NoisePool],
    mixture: Mixture,
    share: float,
    rng: random.Random,
) -> Sample:
    """Return one sample: the passages with noise of ``share`` times their number of sentences, or clean by chance."""
    source = passages[0].article.source
    if len(pools) > 1 and rng.random() < _FOREIGN_SOURCE:
        source = rng.choice([name for name in pools if name != source])
    pool = pools[source]
    own = [(sentence, not passage.article.plain) for passage in passages for sentence in passage.sentences]
    count = 0 if rng.random() < mixture.clean else round(share * len(own))
    text = " ".join(sentence.text for sentence, _ in own)
    ids = [passage.article.id for passage in passages]
    pieces = pool.draw(ids, text, [len(s.text) for s, _ in own], count, mixture, rng) if count else []
    places: list[list[list[int]]] = [[] for _ in range(len(own) + 1)]
    for piece in pieces:
        places[rng.randrange(len(places))].append(piece)
    parts: list[_Part] = []
    for before, (sentence, known) in zip(places, [*own, (None, False)], strict=True):
        parts += [_Part(pool.ids[index], pool.kinds[index], None, False) for piece in before for index in piece]
        if sentence is not None:
            parts.append(_Part(sentence.ids, sentence.kinds, sentence, known))
    return _joined(parts)


def _joined(parts: Sequence[_Part]) -> Sample:
    lengths = [len(part.ids) for part in parts]
    blank = [np.zeros(n, dtype=np.float32) for n in lengths]
    return Sample(
        ids=np.concatenate([part.ids for part in parts]),
        kinds=np.concatenate([part.kinds for part in parts]),
        sentences=np.repeat(np.arange(len(parts)), lengths),
        relevant=np.array([part.own is not None for part in parts]),
        known=np.array([part.known for part in parts]),
        asked=np.array([part.own.asked if part.own else 0.0 for part in parts], dtype=np.float32),
        answer=np.concatenate([part.own.answer if part.own else z for part, z in zip(parts, blank, strict=True)]),
        evidence=np.concatenate([part.own.evidence if part.own else z for part, z in zip(parts, blank, strict=True)]),
    )


def _tokens(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence.ids) for sentence in sentences)
