"""A validator from its settings: everything is made here, and closed again."""

import asyncio
import contextlib
import hashlib
import os
import random
import secrets

from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import load_hotkey
from compression_subnet.challenge import ChallengeBuilder, ChallengeStore, Recipe, open_source
from compression_subnet.challenge import ChallengeSettings as BuildSettings
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.judge.cache import AnswerCache, CachedAnswerer
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.judge.setup import answerer_of, limits_of, prices_of, profile_of
from compression_subnet.scoring import WeightRule
from compression_subnet.settings import ChallengeSettings, ValidatorSettings
from compression_subnet.text import Tokenizer, get_tokenizer
from compression_subnet.transport import Dendrite
from compression_subnet.validator.round import Round, RoundSettings
from compression_subnet.validator.service import ServiceSettings, Validator
from compression_subnet.validator.spending import Spending
from compression_subnet.validator.store import Store
from compression_subnet.validator.supply import Supply

__all__ = ["run_validator"]


async def run_validator(settings: ValidatorSettings) -> bool:
    """Run a validator until it has done its rounds, or for ever; return whether it went well.

    Raises:
        ConfigurationError: a wallet, file or setting is unusable.
        StoreError: the record is unusable; it is left as it is.
        TokenizerError: the tokenizer is absent or altered.
    """
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
                Recipe(_settings_hash(settings.challenge), profile),
                reuse=_reuse(settings.challenge),
            )
        )
        builder = _builder(settings.challenge, tokenizer, rng, pool)
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
        answerer = await stack.enter_async_context(answerer_of(judge, os.environ))
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
                set_weights=not neuron.disable_set_weights,
                margin_blocks=neuron.margin_blocks,
                poll_seconds=neuron.poll_seconds,
                weight_tries=neuron.weight_tries,
                profile=profile,
                prices=prices_of(judge),
                max_cost=judge.max_cost,
            ),
            rng,
            asyncio.sleep,
        )
        return await validator.run(neuron.rounds)


def _builder(
    settings: ChallengeSettings, tokenizer: Tokenizer, rng: random.Random, pool: ChallengeStore
) -> ChallengeBuilder:
    noise = (
        NoiseSettings()
        if settings.noise_share is None
        else NoiseSettings(share=(settings.noise_share, settings.noise_share), clean=0.0)
    )
    source = open_source(settings.source, tokenizer, settings.min_tokens, settings.max_tokens, join=settings.join)
    return ChallengeBuilder(
        source.articles(),
        tokenizer,
        BuildSettings(
            min_tokens=settings.min_tokens,
            max_tokens=settings.max_tokens,
            questions_per_challenge=settings.questions,
            min_questions=settings.min_questions,
            noise=noise,
            single_use=not _reuse(settings),
        ),
        rng,
        pool,
    )


def _settings_hash(settings: ChallengeSettings) -> str:
    """Return the SHA-256 of all settings that say what a challenge is."""
    chosen = settings.model_dump_json(exclude={"pool", "ready", "reuse"})
    return hashlib.sha256(chosen.encode()).hexdigest()


def _reuse(settings: ChallengeSettings) -> bool:
    if settings.reuse is not None:
        return settings.reuse
    # Whoever has the package has these articles, so that using them once would hide nothing.
    return settings.source == "builtin"


def _ready(settings: ValidatorSettings) -> int:
    """Return how many challenges to keep ready: as many as a round takes, unless no round comes after the first."""
    if settings.challenge.ready is not None:
        return settings.challenge.ready
    return 0 if settings.neuron.rounds == 1 else settings.neuron.challenges
