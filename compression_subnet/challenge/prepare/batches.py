"""Challenges out of articles that are prepared as they are needed: batch after batch, each used up before the next."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from compression_subnet.challenge.build import ChallengeBuilder
from compression_subnet.challenge.prepare.draft import Draft
from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import InputError

__all__ = ["BatchBuilder"]


class Articles(Protocol):
    """Gives prepared articles."""

    async def batch(self, least: int) -> list[Draft]:
        """Return at least so many, once they are there."""

    def retire(self) -> None:
        """Forget those of earlier batches."""


class BatchBuilder:
    """Makes challenges of batches: the articles of one are each other's noise.

    Args:
        articles: gives them.
        builder_of: makes a builder of a batch; single-use, so that it ends.
        least: fewest articles of a batch, at least 2.
    """

    def __init__(self, articles: Articles, builder_of: Callable[[Sequence[Draft]], ChallengeBuilder], least: int = 8):
        self._articles = articles
        self._builder_of = builder_of
        self._least = least
        self._builder: ChallengeBuilder | None = None
        self._one_at_a_time = asyncio.Lock()

    async def build(self, n_questions: int) -> Challenge:
        """Return the next challenge, once there are articles for it.

        Raises:
            ProviderFault: what prepares articles is down at present.
            InputError: the articles are used up, or none can be used.
        """
        async with self._one_at_a_time:
            while True:
                if self._builder is not None:
                    try:
                        return self._builder.build(n_questions)
                    except InputError:
                        self._builder = None
                        self._articles.retire()
                self._builder = self._builder_of(await self._articles.batch(self._least))
