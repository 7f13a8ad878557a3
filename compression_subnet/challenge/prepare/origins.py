"""Where drafts begin: a writer, or the articles of a source in a secret order."""

import asyncio
import random
import secrets
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Final, Protocol

from compression_subnet.challenge.prepare.draft import Draft
from compression_subnet.challenge.types import Article
from compression_subnet.challenge.write import WrittenCorpus

__all__ = ["CorpusOrigin", "WrittenOrigin"]

_SEED_BITS: Final = 128


class Seen(Protocol):
    """What was prepared before."""

    def is_used(self, origin: str, text: str) -> bool:
        """Whether this article, or most of this text, was."""


class WrittenOrigin:
    """Drafts of texts that nobody has.

    Args:
        corpus: writes them.
        draw_seed: gives the secret seeds; only tests replace it.
    """

    def __init__(self, corpus: WrittenCorpus, draw_seed: Callable[[], int] = lambda: secrets.randbits(_SEED_BITS)):
        self._corpus = corpus
        self._draw_seed = draw_seed

    async def next(self) -> Draft | None:
        """Return the draft of a newly written text. Raises as ``WrittenCorpus.write``."""
        written = await self._corpus.write(self._draw_seed())
        return Draft(written.article, written.article.id, None, provenance={"written": asdict(written.provenance)})


class CorpusOrigin:
    """Drafts of a source's articles, each once, in a random order.

    Args:
        articles: admitted, as a ``CorpusSource`` yields them.
        name: the source's; part of what tells its articles from those of others.
        seen: what was prepared in earlier runs, which is passed over.
        rng: draws the order; secret on a network.
    """

    def __init__(self, articles: Iterable[Article], name: str, seen: Seen, rng: random.Random):
        every = list(articles)
        self._left = rng.sample(every, len(every))
        self._name = name
        self._seen = seen

    async def next(self) -> Draft | None:
        """Return the draft of an article that was never prepared, or None where there is none left."""
        while self._left:
            article = self._left.pop()
            origin = f"{self._name}#{article.id}"
            if not self._seen.is_used(origin, article.text):
                return Draft(article, origin, article.text)
            await asyncio.sleep(0)  # many may have been used
        return None
