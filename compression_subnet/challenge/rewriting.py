"""Articles of a public source, each rewritten against look-up before challenges are made of it."""

import random
from collections.abc import Iterable, Iterator

from compression_subnet.challenge.types import Article
from compression_subnet.errors import ConfigurationError

__all__ = ["rewritten"]


def rewritten(articles: Iterable[Article], seed: int | str) -> Iterator[Article]:
    """Yield the articles with names, places, dates and quantities replaced, each from the seed and its id alone.

    Raises:
        ConfigurationError: this installation cannot rewrite.
    """
    try:
        from compression_subnet.challenge.rewrite import rewrite_article
    except ImportError as error:
        raise ConfigurationError("this installation has no rewriter; install compression-subnet anew") from error
    for article in articles:
        yield rewrite_article(article, random.Random(f"{seed}:rewrite:{article.id}")).article
