"""From settings to a judge: its endpoints, bounds, prices and profile, and the judge itself."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.endpoint import CallLimits, Endpoint, load_api_key
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.profile import Profile
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.setting_groups import JudgeSettings
from compression_subnet.text.tokens import Tokenizer

__all__ = ["answerer_of", "endpoints_of", "limits_of", "open_judge", "prices_of", "profile_of"]

READER = "reader"


def endpoints_of(settings: JudgeSettings, environ: Mapping[str, str]) -> tuple[Endpoint, ...]:
    """Return the endpoints that share the load: one address each, of ``base_url``.

    Args:
        settings: the judge's.
        environ: where the key may be.

    Raises:
        ConfigurationError: an address is none, is given twice, or the key's file is unusable.
    """
    key = load_api_key(environ, settings.api_key_file)
    addresses = [address.strip() for address in settings.base_url.split(",")]
    for address in addresses:
        _check(address)
    if len({address.rstrip("/") for address in addresses}) < len(addresses):
        raise ConfigurationError(f"judge.base_url names an address twice: {settings.base_url}; give each once")
    return tuple(Endpoint(address, settings.model, key) for address in addresses)


def limits_of(settings: JudgeSettings) -> CallLimits:
    """Return the bounds on calls."""
    return CallLimits(
        call_seconds=settings.timeout, reply_seconds=settings.reply_timeout, concurrency=settings.concurrency
    )


def prices_of(settings: JudgeSettings) -> Prices:
    """Return the prices of tokens."""
    return Prices(settings.price_prompt, settings.price_completion, settings.price_cached)


def profile_of(settings: JudgeSettings, tokenizer: Tokenizer) -> Profile:
    """Return the profile: what scores depend on, wherever the model is served."""
    return Profile(
        model=settings.model,
        model_sha256=settings.model_sha256,
        engine=settings.engine,
        quantisation=settings.quantisation,
        prompt_sha256=load_prompt().sha256,
        seed=Endpoint("", settings.model).seed,
        max_answer_tokens=limits_of(settings).max_answer_tokens,
        tokenizer=tokenizer.name,
        tokenizer_sha256=tokenizer.sha256,
    )


def answerer_of(settings: JudgeSettings, environ: Mapping[str, str]) -> OpenAIAnswerer:
    """Return the judge; nothing is sent yet. Raises as ``endpoints_of``."""
    return OpenAIAnswerer(endpoints_of(settings, environ), limits_of(settings), warm_prefix=settings.warm_prefix)


@asynccontextmanager
async def open_judge(settings: JudgeSettings, environ: Mapping[str, str]) -> AsyncIterator[OpenAIAnswerer]:
    """Give the judge that ``settings`` name; where they name no address, the embedded reader.

    The reader is served on a loopback port of this process, and asked there: by the same code as any other model.

    Raises:
        ConfigurationError: as ``endpoints_of``; or a model is named without an address; or the reader cannot be loaded.
    """
    if "base_url" in settings.model_fields_set:
        async with answerer_of(settings, environ) as answerer:
            yield answerer
        return
    if settings.model != READER:
        raise ConfigurationError(f"judge.model is {settings.model!r}; give --judge.base-url, where it is served")
    from compression_subnet.judge.reader import load_reader
    from compression_subnet.judge.server import create_app
    from compression_subnet.judge.serving import running

    async with running(create_app(load_reader())) as url:
        local = settings.model_copy(update={"base_url": url, "api_key_file": None})
        async with answerer_of(local, {}) as answerer:
            yield answerer


def _check(address: str) -> None:
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            f"judge.base_url names {address!r}, which is no address; give http://HOST:PORT/v1 or https://HOST/v1"
        )
