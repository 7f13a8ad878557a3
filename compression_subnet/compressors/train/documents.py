"""Training documents: some paragraphs of an article with noise between their sentences, drawn afresh each epoch."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.train.articles import Article, Sentence
from compression_subnet.compressors.train.noise import Mixture, NoisePool

__all__ = ["MAX_TOKENS", "Sample", "draw_samples", "excerpts", "sample_of"]

MIN_TOKENS: Final = 150
MAX_TOKENS: Final = 1000
MAX_PARAGRAPHS: Final = 8
_FOREIGN_SOURCE: Final = 0.12
"""Probability that a document's noise comes from a source of another kind."""


_Part = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Sentence | None]
"""Ids and kinds of a sentence, and the sentence itself if it is no noise."""


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
    return [
        sample_of(run, article, pools, mixture, rng.uniform(*mixture.share), rng)
        for article in articles
        for run in excerpts(article, rng)
    ]


def sample_of(
    run: Sequence[Sentence],
    article: Article,
    pools: Mapping[str, NoisePool],
    mixture: Mixture,
    share: float,
    rng: random.Random,
) -> Sample:
    """Return one sample: ``run`` with noise of ``share`` times its number of sentences, or clean by chance."""
    source = article.source
    if len(pools) > 1 and rng.random() < _FOREIGN_SOURCE:
        source = rng.choice([name for name in pools if name != source])
    pool = pools[source]
    count = 0 if rng.random() < mixture.clean else round(share * len(run))
    text = " ".join(sentence.text for sentence in run)
    pieces = pool.draw(article.id, text, [len(s.text) for s in run], count, mixture, rng) if count else []
    places: list[list[list[int]]] = [[] for _ in range(len(run) + 1)]
    for piece in pieces:
        places[rng.randrange(len(places))].append(piece)
    parts: list[_Part] = []
    for before, sentence in zip(places, [*run, None], strict=True):
        parts += [(pool.ids[index], pool.kinds[index], None) for piece in before for index in piece]
        if sentence is not None:
            parts.append((sentence.ids, sentence.kinds, sentence))
    return _joined(parts, plain=article.plain)


def _joined(parts: Sequence[_Part], *, plain: bool) -> Sample:
    lengths = [len(ids) for ids, _, _ in parts]
    blank = [np.zeros(n, dtype=np.float32) for n in lengths]
    return Sample(
        ids=np.concatenate([ids for ids, _, _ in parts]),
        kinds=np.concatenate([kinds for _, kinds, _ in parts]),
        sentences=np.repeat(np.arange(len(parts)), lengths),
        relevant=np.array([s is not None for _, _, s in parts]),
        known=np.array([s is not None and not plain for _, _, s in parts]),
        asked=np.array([s.asked if s else 0.0 for _, _, s in parts], dtype=np.float32),
        answer=np.concatenate([s.answer if s else z for (_, _, s), z in zip(parts, blank, strict=True)]),
        evidence=np.concatenate([s.evidence if s else z for (_, _, s), z in zip(parts, blank, strict=True)]),
    )


def _tokens(sentences: Sequence[Sentence]) -> int:
    return sum(len(sentence.ids) for sentence in sentences)
