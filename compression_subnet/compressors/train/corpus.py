"""The data of a run: articles to train on, articles to measure on, and the batches of each epoch."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from compression_subnet.compressors.learned.encoder import FRAME
from compression_subnet.compressors.train.articles import Article, read_articles
from compression_subnet.compressors.train.batches import ROOMS, LabelledBatch, labelled, packed
from compression_subnet.compressors.train.documents import Sample, draw_samples
from compression_subnet.compressors.train.measure import measuring_samples
from compression_subnet.compressors.train.noise import Mixture, NoisePool
from compression_subnet.encoders.minilm import Encoder
from compression_subnet.errors import ConfigurationError

__all__ = ["MAX_BATCH_TOKENS", "Corpus", "Data"]

MAX_BATCH_TOKENS: Final = 3600


@dataclass(frozen=True, slots=True)
class Data:
    """Files to learn from, in SQuAD's format.

    Attributes:
        articles: their paragraphs make up articles; a file that is named twice counts twice in each epoch.
        posts: each of their paragraphs is a text by itself.
        held_out: one in so many articles of the first file is measured on and never trained on; 0 for none.
        plain: articles without questions; they teach of noise alone.
    """

    articles: tuple[Path, ...]
    posts: tuple[Path, ...] = ()
    held_out: int = 8
    plain: tuple[Path, ...] = ()

    @property
    def files(self) -> list[Path]:
        """Each file once, by name."""
        return sorted({*self.articles, *self.posts, *self.plain})


class Corpus:
    """Documents with noise, drawn afresh each epoch, all by chance that a seed decides."""

    def __init__(self, data: Data, base: Encoder, mixture: Mixture, seed: int, max_tokens: int = MAX_BATCH_TOKENS):
        """Read the files.

        Args:
            data: the files.
            base: its tokenizer makes the tokens.
            mixture: of what noise.
            seed: of all chance.
            max_tokens: of a batch.

        Raises:
            InputError: a file is unusable.
            ConfigurationError: there is nothing to train on.
        """
        tokenizer = Tokenizer.from_file(str(base.tokenizer))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._articles, self._held_out = _read(data, tokenizer)
        self._pools = {
            source: NoisePool(_unique(self._articles, source), tokenizer)
            for source in sorted({article.source for article in self._articles})
        }
        self._tokenizer = tokenizer
        self._mixture = mixture
        self._seed = seed
        self._max_tokens = max_tokens

    def batches(self, epoch: int) -> list[LabelledBatch]:
        """Return the batches of an epoch, the same whenever it is asked for."""
        rng = random.Random(f"{self._seed}:{epoch}")
        groups = packed(draw_samples(self._articles, self._pools, self._mixture, rng), self._max_tokens, rng)
        return [labelled(group, FRAME, rng.choice(ROOMS)) for group in groups]

    def token_weights(self, vocabulary: int) -> npt.NDArray[np.float32]:
        """Return the inverse document frequency of each token id over all sentences, about 1 on average."""
        documents = np.zeros(vocabulary)
        sentences = [s for a in {a.id: a for a in self._articles}.values() for p in a.paragraphs for s in p]
        for sentence in sentences:
            documents[np.unique(sentence.ids)] += 1
        frequency = np.log((1 + len(sentences)) / (1 + documents))
        weights: npt.NDArray[np.float32] = (1.5 * frequency / np.log(1 + len(sentences))).astype(np.float32)
        return weights

    def measuring(self) -> dict[str, list[Sample]]:
        """Return documents that are never trained on, for each condition; none if no article is held out."""
        if not self._held_out:
            return {}
        pool = NoisePool(self._held_out, self._tokenizer)
        return measuring_samples(self._held_out, {self._held_out[0].source: pool}, self._seed)


def _read(data: Data, tokenizer: Tokenizer) -> tuple[list[Article], list[Article]]:
    """Return the articles to train on, those of a repeated file as often, and those to measure on."""
    files = {path: read_articles(path, tokenizer) for path in data.articles}
    held_out: list[Article] = []
    if data.held_out and data.articles:
        first = files[data.articles[0]]
        held_out = first[data.held_out - 1 :: data.held_out]
        kept_back = {article.id for article in held_out}
        files[data.articles[0]] = [article for article in first if article.id not in kept_back]
    articles = [article for path in data.articles for article in files[path]]
    articles += [article for path in data.posts for article in read_articles(path, tokenizer, alone=True)]
    articles += [article for path in data.plain for article in read_articles(path, tokenizer, plain=True)]
    if not articles:
        raise ConfigurationError("there is no article to train on; give --articles, --posts or --plain")
    return articles, held_out


def _unique(articles: Sequence[Article], source: str) -> list[Article]:
    return list({article.id: article for article in articles if article.source == source}.values())
