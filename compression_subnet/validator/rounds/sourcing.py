"""From settings to what makes challenges: a corpus at hand, or articles prepared ahead."""

import contextlib
import os
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Final

from compression_subnet.challenge import Article, ChallengeBuilder, ChallengeStore, open_source
from compression_subnet.challenge import ChallengeSettings as BuildSettings
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.policy import BUILTIN, SourcePlan, plan_source
from compression_subnet.challenge.prepare import ArticleStep, Draft, Origin, Preparer
from compression_subnet.challenge.prepare.batches import BatchBuilder
from compression_subnet.challenge.prepare.origins import CorpusOrigin, WrittenOrigin
from compression_subnet.challenge.prepare.steps import (
    AddNearMisses,
    AskQuestions,
    DropQuestions,
    Fit,
    Paraphrase,
    Rewrite,
)
from compression_subnet.challenge.write import WrittenCorpus, WrittenSettings
from compression_subnet.challenge.write.lengths import words_for
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.openai_chat import OpenAIChatModel
from compression_subnet.judge.types import Answerer
from compression_subnet.judge.writing import can_write, writer_endpoint, writer_of
from compression_subnet.setting_groups import ChallengeSettings
from compression_subnet.settings import ValidatorSettings
from compression_subnet.text import Tokenizer
from compression_subnet.validator.rounds.supply import Builder

__all__ = ["is_reused", "open_builder", "plan_of", "recipe_hash"]

AHEAD: Final = 8
"""Articles prepared ahead, and those of a batch, which are each other's noise."""


def plan_of(settings: ValidatorSettings, environ: Mapping[str, str] = os.environ) -> SourcePlan:
    """Return what is to be done for texts.

    Raises:
        ConfigurationError: the texts must not be asked on this network, settings do not go together, or what is to
            be written needs a writer and there is none.
    """
    chosen = settings.challenge
    plan = plan_source(
        SourcePlan(
            source=chosen.source,
            rewrite=chosen.rewrite,
            paraphrase=chosen.paraphrase,
            write_questions=chosen.write_questions,
            near_misses=chosen.near_misses,
            allow_public=chosen.allow_public,
        ),
        settings.subtensor.endpoint,
    )
    if plan.is_prepared and chosen.reuse:
        raise ConfigurationError("challenge.reuse is for texts as they are; leave it out where they are prepared")
    if plan.needs_writer:
        # Before anything is opened.
        writer_endpoint(settings.writer, settings.judge, environ)
    return plan


def recipe_hash(settings: ChallengeSettings, plan: SourcePlan) -> str:
    """Return the SHA-256 of all settings that say what a challenge is."""
    resolved = {name: value for name, value in asdict(plan).items() if name != "allow_public"}
    excluded = {"pool", "ready", "reuse", "allow_public"}
    chosen = settings.model_copy(update=resolved).model_dump_json(exclude=excluded)
    return sha256(chosen.encode()).hexdigest()


def is_reused(settings: ChallengeSettings, plan: SourcePlan) -> bool:
    """Whether base texts and noise may be used again."""
    if settings.reuse is not None:
        return settings.reuse
    # Whoever has the package has these articles, so that using them once would hide nothing.
    return plan.source == BUILTIN and not plan.is_prepared


async def open_builder(
    settings: ValidatorSettings,
    plan: SourcePlan,
    tokenizer: Tokenizer,
    rng: random.Random,
    pool: ChallengeStore,
    answerer: Answerer,
    stack: contextlib.AsyncExitStack,
    environ: Mapping[str, str] = os.environ,
) -> Builder:
    """Return what makes challenges; what it needs runs until ``stack`` is closed.

    Raises:
        ConfigurationError: a source cannot be read or gives nothing of the wanted size, or the writer is unusable.
    """
    chosen = settings.challenge
    build = _build_settings(chosen, single_use=not is_reused(chosen, plan))
    articles: list[Article] = []
    if not plan.is_written:
        source = open_source(plan.source, tokenizer, chosen.min_tokens, chosen.max_tokens, join=chosen.join)
        articles = list(source.articles())
    unasked = bool(articles) and not any(article.questions for article in articles)
    if not plan.is_prepared and not unasked:
        return ChallengeBuilder(articles, tokenizer, build, rng, pool)
    writer: OpenAIChatModel | None = None
    if plan.needs_writer or unasked or can_write(settings.writer, settings.judge):
        writer = await stack.enter_async_context(writer_of(settings.writer, settings.judge, environ))
    preparer = await stack.enter_async_context(
        _preparer(settings, plan, tokenizer, rng, pool, answerer, writer, articles)
    )

    def builder_of(drafts: Sequence[Draft]) -> ChallengeBuilder:
        misses = {draft.article.id: draft.misses for draft in drafts}
        return ChallengeBuilder([draft.article for draft in drafts], tokenizer, build, rng, pool, misses)

    return BatchBuilder(preparer, builder_of, least=AHEAD)


def _preparer(
    settings: ValidatorSettings,
    plan: SourcePlan,
    tokenizer: Tokenizer,
    rng: random.Random,
    pool: ChallengeStore,
    answerer: Answerer,
    writer: OpenAIChatModel | None,
    articles: Iterable[Article],
) -> Preparer:
    chosen = settings.challenge
    shelf = pool.shelf()
    if plan.is_written and writer is not None:
        words = words_for(chosen.min_tokens, chosen.max_tokens)
        corpus = WrittenCorpus(writer, writer.name, WrittenSettings(words=words, min_questions=chosen.min_questions))
        origin: Origin = WrittenOrigin(corpus)
    else:
        origin = CorpusOrigin(articles, plan.source, shelf, rng)
    steps = _steps(chosen, plan, tokenizer, answerer, writer)
    return Preparer(origin, steps, shelf, ahead=AHEAD, parallel=settings.neuron.parallel)


def _steps(
    chosen: ChallengeSettings,
    plan: SourcePlan,
    tokenizer: Tokenizer,
    answerer: Answerer,
    writer: OpenAIChatModel | None,
) -> list[ArticleStep]:
    size = (chosen.min_tokens, chosen.max_tokens)
    steps: list[ArticleStep] = [Fit(tokenizer, *size, min_questions=0)]
    if plan.write_questions:
        steps.append(DropQuestions())
    if plan.rewrite:
        steps.append(Rewrite())
    if writer is not None:
        if plan.paraphrase:
            steps.append(Paraphrase(writer))
        steps.append(
            AskQuestions(
                writer,
                tokenizer,
                *size,
                per_text=chosen.candidates,
                least=chosen.min_questions,
            )
        )
    steps.append(Fit(tokenizer, *size, min_questions=chosen.min_questions))
    if writer is not None and plan.near_misses:
        steps.append(AddNearMisses(writer, answerer))
    return steps


def _build_settings(settings: ChallengeSettings, *, single_use: bool) -> BuildSettings:
    noise = (
        NoiseSettings()
        if settings.noise_share is None
        else NoiseSettings(share=(settings.noise_share, settings.noise_share), clean=0.0)
    )
    return BuildSettings(
        min_tokens=settings.min_tokens,
        max_tokens=settings.max_tokens,
        questions_per_challenge=settings.questions,
        min_questions=settings.min_questions,
        noise=noise,
        single_use=single_use,
    )
