"""A validator from its settings: everything is made here, and closed again."""

import asyncio
import contextlib
import os
import secrets

from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import load_hotkey
from compression_subnet.challenge import ChallengeStore, Recipe
from compression_subnet.judge.cache import AnswerCache, CachedAnswerer
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.judge.setup import answerer_of, limits_of, prices_of, profile_of
from compression_subnet.scoring import WeightRule
from compression_subnet.settings import ValidatorSettings
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Dendrite
from compression_subnet.validator.round import Round, RoundSettings
from compression_subnet.validator.service import ServiceSettings, Validator
from compression_subnet.validator.sourcing import is_reused, open_builder, plan_of, recipe_hash
from compression_subnet.validator.spending import Spending
from compression_subnet.validator.store import Store
from compression_subnet.validator.supply import Supply
from compression_subnet.validator.weighting import WeightSettings

__all__ = ["run_validator"]


async def run_validator(settings: ValidatorSettings) -> bool:
    """Run a validator until it has done its rounds, or for ever; return whether it went well.

    Raises:
        ConfigurationError: a wallet, file or setting is unusable.
        StoreError: the record is unusable; it is left as it is.
        TokenizerError: the tokenizer is absent or altered.
    """
    plan = plan_of(settings)
    hotkey = load_hotkey(settings.wallet.name, settings.wallet.hotkey, settings.wallet.path)
    tokenizer = get_tokenizer()
    # Secret: from the system's randomness, never from a block. The pool keeps each challenge's seed.
    rng = secrets.SystemRandom()
    neuron = settings.neuron
    judge = settings.judge
    profile = profile_of(judge, tokenizer).sha256
    async with contextlib.AsyncExitStack() as stack:
        store = stack.enter_context(Store(neuron.store))
        pool = stack.enter_context(
            ChallengeStore(
                settings.challenge.pool or neuron.store.with_name(f"{neuron.store.stem}-pool.sqlite"),
                Recipe(recipe_hash(settings.challenge, plan), profile),
                reuse=is_reused(settings.challenge, plan),
            )
        )
        answerer = await stack.enter_async_context(answerer_of(judge, os.environ))
        builder = await open_builder(settings, plan, tokenizer, rng, pool, answerer, stack)
        chain = await open_chain(
            settings.subtensor.endpoint,
            settings.netuid,
            hotkey,
            spec_version=spec_version(),
            deadline=settings.subtensor.timeout,
        )
        stack.push_async_callback(chain.close)
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
                answerer,
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
            chain,
            supply,
            Round(
                dendrite,
                answerer,
                tokenizer,
                rng,
                RoundSettings(
                    deadline=settings.dendrite.timeout,
                    concurrency=settings.dendrite.concurrency,
                    parallel=neuron.parallel,
                ),
                replies=CachedAnswerer(answerer, cache, profile),
                spending=Spending(prices_of(judge), judge.max_cost, limits_of(judge), load_prompt(), tokenizer),
            ),
            store,
            ServiceSettings(
                challenges=neuron.challenges,
                forgetting=neuron.forgetting,
                rule=WeightRule(z=neuron.z, power=neuron.power, min_challenges=neuron.min_challenges),
                weights=WeightSettings(
                    send=not neuron.disable_set_weights,
                    burn=neuron.burn_unearned,
                    margin_blocks=neuron.margin_blocks,
                    poll_seconds=neuron.poll_seconds,
                    tries=neuron.weight_tries,
                ),
                profile=profile,
                prices=prices_of(judge),
                max_cost=judge.max_cost,
            ),
            rng,
            asyncio.sleep,
        )
        return await validator.run(neuron.rounds)


def _ready(settings: ValidatorSettings) -> int:
    """Return how many challenges to keep ready: as many as a round takes, unless no round comes after the first."""
    if settings.challenge.ready is not None:
        return settings.challenge.ready
    return 0 if settings.neuron.rounds == 1 else settings.neuron.challenges
