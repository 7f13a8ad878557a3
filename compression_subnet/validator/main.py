"""A validator from its settings: everything is made here, and closed again."""

import asyncio
import contextlib
import os
import random
import secrets

from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import load_hotkey
from compression_subnet.challenge import BuiltinCorpus, ChallengeBuilder, CorpusSource, JsonlCorpus, SquadCorpus
from compression_subnet.challenge import ChallengeSettings as BuildSettings
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.endpoint import CallLimits, Endpoint, load_api_key
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.profile import Profile
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.scoring import WeightRule
from compression_subnet.settings import ChallengeSettings, JudgeSettings, ValidatorSettings
from compression_subnet.text import Tokenizer, get_tokenizer
from compression_subnet.transport import Dendrite
from compression_subnet.validator.round import Round, RoundSettings
from compression_subnet.validator.service import ServiceSettings, Validator
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
    # Seeds are secret: from the system's randomness, never from a block.
    rng = random.Random(secrets.randbits(256))
    builder = _builder(settings.challenge, tokenizer, rng)
    neuron = settings.neuron
    async with contextlib.AsyncExitStack() as stack:
        store = stack.enter_context(Store(neuron.store))
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
        limits = CallLimits(
            call_seconds=settings.judge.timeout,
            reply_seconds=settings.judge.reply_timeout,
            concurrency=settings.judge.concurrency,
        )
        key = load_api_key(os.environ, settings.judge.api_key_file)
        answerer = await stack.enter_async_context(
            OpenAIAnswerer(
                Endpoint(settings.judge.base_url, settings.judge.model, key),
                limits,
                warm_prefix=settings.judge.warm_prefix,
            )
        )
        validator = Validator(
            hotkey.ss58_address,
            chain,
            Supply(
                builder,
                answerer,
                questions=settings.challenge.questions,
                min_questions=settings.challenge.min_questions,
                candidates=settings.challenge.candidates,
                parallel=neuron.parallel,
            ),
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
                profile=_profile(settings.judge, limits, tokenizer).sha256,
            ),
            rng,
            asyncio.sleep,
        )
        return await validator.run(neuron.rounds)


def _profile(settings: JudgeSettings, limits: CallLimits, tokenizer: Tokenizer) -> Profile:
    return Profile(
        model=settings.model,
        model_sha256=settings.model_sha256,
        engine=settings.engine,
        quantisation=settings.quantisation,
        prompt_sha256=load_prompt().sha256,
        seed=Endpoint(settings.base_url, settings.model).seed,
        max_answer_tokens=limits.max_answer_tokens,
        tokenizer=tokenizer.name,
        tokenizer_sha256=tokenizer.sha256,
    )


def _builder(settings: ChallengeSettings, tokenizer: Tokenizer, rng: random.Random) -> ChallengeBuilder:
    noise = (
        NoiseSettings()
        if settings.noise_share is None
        else NoiseSettings(share=(settings.noise_share, settings.noise_share), clean=0.0)
    )
    return ChallengeBuilder(
        _corpus(settings, tokenizer).articles(),
        tokenizer,
        BuildSettings(
            min_tokens=settings.min_tokens,
            max_tokens=settings.max_tokens,
            questions_per_challenge=settings.questions,
            min_questions=settings.min_questions,
            noise=noise,
        ),
        rng,
    )


def _corpus(settings: ChallengeSettings, tokenizer: Tokenizer) -> CorpusSource:
    kind, _, file = settings.source.partition(":")
    match kind, file:
        case "builtin", "":
            return BuiltinCorpus()
        case "jsonl", str(path) if path:
            return JsonlCorpus(path)
        case "squad", str(path) if path:
            return SquadCorpus(path, tokenizer, settings.min_tokens, settings.max_tokens)
    raise ConfigurationError(f"challenge.source is {settings.source!r}; give builtin, jsonl:FILE or squad:FILE")
