"""Challenges as a validator makes them: the same builder, its settings, and the judge's filter."""

import asyncio
import random
from collections.abc import Callable, Iterable

from compression_subnet.challenge import ChallengeBuilder, open_source
from compression_subnet.challenge import ChallengeSettings as BuildSettings
from compression_subnet.challenge.filters import keep_answerable
from compression_subnet.challenge.levels import assign_levels, level_counts
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.policy import WRITTEN
from compression_subnet.challenge.rewriting import rewritten
from compression_subnet.challenge.types import Article, Challenge
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.judge.types import Answerer
from compression_subnet.setting_groups import ChallengeSettings
from compression_subnet.text import Tokenizer
from compression_subnet.validator.rounds.results import Assignment
from compression_subnet.validator.rounds.supply import TRIES_A_CHALLENGE

__all__ = ["assigned", "builder_of", "check_count", "drawn", "filtered"]

# Candidates that are filtered at once.
_TOGETHER = 4


def check_count(count: int, levels: tuple[int, ...]) -> None:
    """Raise where so many challenges leave a level without one.

    Raises:
        ConfigurationError: they do.
    """
    if min(level_counts(count, levels)) < 1:
        raise ConfigurationError(f"{count} challenges are too few for the levels {levels}; give more --challenges")


def builder_of(settings: ChallengeSettings, tokenizer: Tokenizer, seed: int) -> ChallengeBuilder:
    """Return the builder; the same corpus, settings and seed give the same challenges.

    Base texts and noise are used again, unless ``settings.reuse`` is false.

    Raises:
        ConfigurationError: the corpus cannot be read, or does not suit the settings, or these ask for a writer.
    """
    _need_no_writer(settings)
    share = settings.noise_share
    source = open_source(settings.source, tokenizer, settings.min_tokens, settings.max_tokens, join=settings.join)
    articles: Iterable[Article] = source.articles()
    return ChallengeBuilder(
        rewritten(articles, seed) if settings.rewrite else articles,
        tokenizer,
        BuildSettings(
            min_tokens=settings.min_tokens,
            max_tokens=settings.max_tokens,
            questions_per_challenge=settings.questions,
            min_questions=settings.min_questions,
            noise=NoiseSettings() if share is None else NoiseSettings(share=(share, share), clean=0.0),
            single_use=settings.reuse is False,
        ),
        random.Random(f"{seed}:challenges"),
    )


def _need_no_writer(settings: ChallengeSettings) -> None:
    """Raise where settings ask for what a writer makes: what it makes is new each time, and so cannot be compared."""
    wanted = [name for name in ("paraphrase", "write_questions", "near_misses") if getattr(settings, name)]
    if settings.source == WRITTEN:
        wanted.append(f"source {WRITTEN}")
    if wanted:
        flags = " and ".join(f"challenge.{name}" for name in wanted)
        raise ConfigurationError(
            f"a benchmark has no writer, so that it can be repeated: leave out {flags}, or give it texts that were "
            "written before: --data jsonl:FILE"
        )


def drawn(builder: ChallengeBuilder, count: int, made: Callable[[], None]) -> list[Challenge]:
    """Return ``count`` challenges whose questions no model has seen."""
    challenges = []
    for _ in range(count):
        challenges.append(builder.build())
        made()
    return challenges


async def filtered(
    builder: ChallengeBuilder,
    answerer: Answerer,
    count: int,
    settings: ChallengeSettings,
    made: Callable[[], None],
) -> list[Challenge]:
    """Return ``count`` challenges with the questions that the judge answers from the text, and not without it.

    They are taken in the order in which they were built, so that the same judge gives the same ones.

    Raises:
        ProviderFault: the judge failed, which says nothing about the questions.
        InputError: so few candidates pass that the corpus does not suit the judge.
    """
    kept: list[Challenge] = []
    tries = 0
    while len(kept) < count:
        if tries >= TRIES_A_CHALLENGE * count:
            raise InputError(
                f"of {tries} candidate challenges only {len(kept)} have {settings.min_questions} questions that the "
                "judge answers from the text; use another corpus, a stronger judge or fewer questions"
            )
        candidates = [builder.build(settings.candidates) for _ in range(min(_TOGETHER, count - len(kept)))]
        tries += len(candidates)
        screened = await asyncio.gather(
            *(
                keep_answerable(c, answerer, n_questions=settings.questions, min_questions=settings.min_questions)
                for c in candidates
            )
        )
        for challenge in screened:
            if challenge is not None:
                kept.append(challenge)
                made()
    return kept


def assigned(challenges: list[Challenge], levels: tuple[int, ...], seed: int) -> list[Assignment]:
    """Return each challenge with its one level, the levels in proportion to their weight."""
    order = assign_levels(len(challenges), random.Random(f"{seed}:levels"), levels)
    return [Assignment(challenge, level) for challenge, level in zip(challenges, order, strict=True)]
