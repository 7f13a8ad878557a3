"""The articles of one `challenges build`: read from a source, rewritten and paraphrased, or written."""

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from loguru import logger

from compression_subnet.challenge.policy import WRITTEN
from compression_subnet.challenge.prepare.draft import Draft
from compression_subnet.challenge.prepare.steps import Paraphrase
from compression_subnet.challenge.rewriting import rewritten
from compression_subnet.challenge.sources import open_source
from compression_subnet.challenge.types import Article
from compression_subnet.challenge.write import WrittenCorpus, WrittenSettings
from compression_subnet.challenge.write.lengths import words_for
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.chat import ChatModel
from compression_subnet.judge.openai_chat import OpenAIChatModel
from compression_subnet.text.tokens import Tokenizer

__all__ = ["Gathering", "gather"]

_SEED_BITS: Final = 128
_SAMPLING_BITS: Final = 31
# For one text with its questions, at the slowest.
_TEXT_SECONDS: Final = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Which articles are wanted.

    Attributes:
        source: ``written``, or a specification of a corpus source.
        count: challenges wanted; so many texts are written.
        seed: of everything that is drawn here; a model's texts may differ all the same.
        rewrite: replace names, dates and quantities of texts that exist.
        paraphrase: have their sentences reworded.
        min_tokens: fewest of a base text.
        max_tokens: most of a base text.
        join: join articles that are too short.
        parallel: articles that the writer has in work at once; what waits for it longer runs into its deadline.
    """

    source: str
    count: int
    seed: int
    rewrite: bool
    paraphrase: bool
    min_tokens: int
    max_tokens: int
    join: bool
    parallel: int


def gather(wanted: Gathering, tokenizer: Tokenizer, open_writer: Callable[[], OpenAIChatModel]) -> list[Article]:
    """Return the articles.

    Args:
        wanted: which.
        tokenizer: the pinned tokenizer.
        open_writer: gives the model that writes; called only where one is needed.

    Raises:
        ConfigurationError: a source cannot be read, or settings do not go together, or the writer is unusable.
        ProviderFault: the writer's provider is down.
        InputError: the model cannot write such texts.
    """
    if wanted.source == WRITTEN:
        if wanted.rewrite or wanted.paraphrase:
            raise ConfigurationError("--rewrite and --paraphrase are for texts that exist; leave them out with written")
        return asyncio.run(_written(wanted, open_writer()))
    source = open_source(wanted.source, tokenizer, wanted.min_tokens, wanted.max_tokens, join=wanted.join)
    articles = list(rewritten(source.articles(), wanted.seed) if wanted.rewrite else source.articles())
    return asyncio.run(_paraphrased(wanted, open_writer(), articles)) if wanted.paraphrase else articles


async def _written(wanted: Gathering, writer: OpenAIChatModel) -> list[Article]:
    rng = random.Random(f"{wanted.seed}:briefs")
    async with writer:
        settings = WrittenSettings(words=words_for(wanted.min_tokens, wanted.max_tokens), parallel=wanted.parallel)
        corpus = WrittenCorpus(writer, writer.name, settings, lambda: rng.getrandbits(_SEED_BITS))
        # Noise comes from a second text.
        count = max(2, wanted.count)
        return [w.article async for w in corpus.articles(count, seconds=_TEXT_SECONDS * count)]


async def _paraphrased(wanted: Gathering, writer: OpenAIChatModel, articles: Sequence[Article]) -> list[Article]:
    rng = random.Random(f"{wanted.seed}:paraphrase")
    slots = asyncio.Semaphore(wanted.parallel)
    async with writer:
        return await asyncio.gather(*(_reworded(writer, a, rng.getrandbits(_SAMPLING_BITS), slots) for a in articles))


async def _reworded(writer: ChatModel, article: Article, seed: int, slots: asyncio.Semaphore) -> Article:
    async with slots:
        done = await Paraphrase(writer, lambda: seed)(Draft(article, article.id, article.text))
    logger.info("article {}: {}", article.id, dict(done.provenance))
    return done.article
