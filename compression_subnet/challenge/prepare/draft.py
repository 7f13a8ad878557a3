"""An article on its way to the pool, and the steps that it goes through."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from compression_subnet.challenge.types import Article

__all__ = ["ArticleStep", "Draft", "Origin"]


@dataclass(frozen=True, slots=True)
class Draft:
    """An article that is being prepared.

    Attributes:
        article: as it is so far.
        origin: which article of which source; unique over all sources.
        existed: the text as the source had it, or None for a text that nobody has.
        misses: noise sentences that are like the article's evidence and answer none of its questions.
        provenance: step to what is to be recorded of it, as JSON has it: secret until the text is spent.
    """

    article: Article
    origin: str
    existed: str | None
    misses: tuple[str, ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def after(self, step: str, article: Article, **facts: Any) -> Self:
        """Return the draft with ``article`` as a step left it, and what the step has to say of it."""
        return replace(self, article=article, provenance={**self.provenance, step: facts})


class ArticleStep(Protocol):
    """Something that is done to each article."""

    async def __call__(self, draft: Draft) -> Draft:
        """Return the draft after the step.

        Raises:
            ProviderFault: a model's provider failed; the same draft is tried again later.
            InputError: this article cannot be used.
            ContentFault: a model gave nothing usable for it.
        """


class Origin(Protocol):
    """Where drafts begin."""

    async def next(self) -> Draft | None:
        """Return a new draft, or None where there will be no more. Raises as an ``ArticleStep``."""
