"""A validator from its settings: everything is made here, and closed again."""

import asyncio
import contextlib
import os
import secrets
from functools import partial
from typing import Final

from loguru import logger

from compression_subnet import __version__
from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import load_hotkey
from compression_subnet.challenge import ChallengeStore, Recipe
from compression_subnet.judge.cache import AnswerCache, CachedAnswerer
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.judge.setup import answerer_of, limits_of, prices_of, profile_of
from compression_subnet.ops.memory import return_freed_memory
from compression_subnet.scoring import WeightRule
from compression_subnet.setting_groups import ValidatorNeuronSettings
from compression_subnet.settings import ValidatorSettings
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Dendrite
from compression_subnet.validator.records.lock import sole_owner
from compression_subnet.validator.records.retention import Retention
from compression_subnet.validator.records.retention_policy import RetentionPolicy
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rewarding.warmth import WarmRule
from compression_subnet.validator.rewarding.weighting import Attempt, WeightSettings
from compression_subnet.validator.rounds.coverage import Coverage
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.rounds.sourcing import is_reused, open_builder, plan_of, recipe_hash
from compression_subnet.validator.rounds.spending import Spending
from compression_subnet.validator.rounds.supply import Supply
from compression_subnet.validator.service import ServiceSettings, Validator
from compression_subnet.validator.watching.observer import Phase
from compression_subnet.validator.watching.operating import closed_within, operating, sampled
from compression_subnet.validator.watching.watched import WatchedAnswerer, WatchedChain

__all__ = ["run_validator"]

CHAIN_CLOSING_SECONDS: Final = 3.0
"""A part of the time that a process has to stop (``stopping.CLOSING_SECONDS``)."""


async def run_validator(settings: ValidatorSettings) -> bool:
    """Run a validator until it has done its rounds, or for ever; return whether it went well.

    Raises:
        ConfigurationError: a wallet, file or setting is unusable.
        StoreError: the record is unusable; it is left as it is.
        TokenizerError: the tokenizer is absent or altered.
    """
    return_freed_memory()
    plan = plan_of(settings)
    hotkey = load_hotkey(settings.wallet.name, settings.wallet.hotkey, settings.wallet.path)
    tokenizer = get_tokenizer()
    # Secret: from the system's randomness, never from a block. The pool keeps each challenge's seed.
    rng = secrets.SystemRandom()
    neuron = settings.neuron
    judge = settings.judge
    profile = profile_of(judge, tokenizer).sha256
    async with contextlib.AsyncExitStack() as stack:
        operations = await stack.enter_async_context(
            operating(
                settings,
                hotkey.ss58_address,
                is_prepared=plan.is_prepared,
                show=None if settings.sends_weights else _print_vector,
            )
        )
        logger.info(
            "release {}, hotkey {}, subnet {} on {}; weights are {}",
            __version__,
            hotkey.ss58_address,
            settings.netuid,
            settings.subtensor.endpoint,
            "set" if settings.sends_weights else "computed and not sent",
        )
        stack.enter_context(sole_owner(neuron.store))
        store = stack.enter_context(Store(neuron.store))
        pool = stack.enter_context(
            ChallengeStore(
                settings.challenge.pool or neuron.store.with_name(f"{neuron.store.stem}-pool.sqlite"),
                Recipe(recipe_hash(settings.challenge, plan), profile),
                reuse=is_reused(settings.challenge, plan),
            )
        )
        await stack.enter_async_context(sampled(pool, operations))
        answerer = await stack.enter_async_context(answerer_of(judge, os.environ))
        filtering = WatchedAnswerer(answerer, partial(operations.judge_answered, Phase.DRAWING))
        judging = WatchedAnswerer(answerer, partial(operations.judge_answered, Phase.ASKING))
        builder = await open_builder(settings, plan, tokenizer, rng, pool, filtering, stack)
        chain = await open_chain(
            settings.subtensor.endpoint,
            settings.netuid,
            hotkey,
            spec_version=spec_version(),
            deadline=settings.subtensor.timeout,
        )
        stack.push_async_callback(closed_within, chain.close, CHAIN_CLOSING_SECONDS)
        dendrite = await stack.enter_async_context(
            Dendrite(
                hotkey,
                allow_private=settings.dendrite.allow_private,
                max_connections=settings.dendrite.concurrency,
            )
        )
        cache = stack.enter_context(
            AnswerCache(judge.cache or neuron.store.with_name(f"{neuron.store.stem}-answers.sqlite"))
        )
        supply = await stack.enter_async_context(
            Supply(
                builder,
                filtering,
                pool,
                questions=settings.challenge.questions,
                min_questions=settings.challenge.min_questions,
                candidates=settings.challenge.candidates,
                parallel=neuron.parallel,
                ready=_ready(settings),
            )
        )
        validator = Validator(
            hotkey.ss58_address,
            WatchedChain(chain, operations),
            supply,
            Round(
                dendrite,
                judging,
                tokenizer,
                rng,
                RoundSettings(
                    deadline=settings.dendrite.timeout,
                    concurrency=settings.dendrite.concurrency,
                    parallel=neuron.parallel,
                    jitter=settings.dendrite.jitter,
                ),
                replies=CachedAnswerer(judging, cache, profile),
                spending=Spending(prices_of(judge), judge.max_cost, limits_of(judge), load_prompt(), tokenizer),
            ),
            store,
            ServiceSettings(
                challenges=neuron.challenges,
                forgetting=neuron.forgetting,
                rule=WeightRule(z=neuron.z, power=neuron.power, min_challenges=neuron.min_challenges),
                weights=WeightSettings(
                    send=settings.sends_weights,
                    burn=neuron.burn_unearned,
                    burn_share=neuron.burn_share,
                    margin_blocks=neuron.margin_blocks,
                    poll_seconds=neuron.poll_seconds,
                    tries=neuron.weight_tries,
                ),
                profile=profile,
                prices=prices_of(judge),
                max_cost=judge.max_cost,
                spec_version=spec_version(),
                reuse=is_reused(settings.challenge, plan),
                coverage=Coverage(neuron.miners_per_challenge, neuron.quarter_hopeless, neuron.min_challenges),
                warm=WarmRule(share=neuron.warm_share, rounds=neuron.warm_rounds),
                min_free_bytes=neuron.min_free_bytes,
            ),
            rng,
            asyncio.sleep,
            operations,
            Retention(store.path, _retention_policy(neuron)),
        )
        return await validator.run(neuron.rounds)


def _print_vector(attempt: Attempt) -> None:
    from rich.console import Console

    from compression_subnet.report.weights import weights_table

    Console().print(weights_table(attempt.vector, attempt.uids))


def _retention_policy(neuron: ValidatorNeuronSettings) -> RetentionPolicy:
    seconds = None if neuron.keep_days is None else neuron.keep_days * 86_400
    return RetentionPolicy(seconds, neuron.keep_bytes, neuron.archive_bytes, neuron.min_free_bytes)


def _ready(settings: ValidatorSettings) -> int:
    """Return how many challenges to keep ready: as many as a round takes, unless no round comes after the first."""
    if settings.challenge.ready is not None:
        return settings.challenge.ready
    return 0 if settings.neuron.rounds == 1 else settings.neuron.challenges
