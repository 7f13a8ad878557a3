"""Models named on a command line: ``reader``, ``gguf:FILE`` or ``URL#MODEL``."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.setup import open_judge
from compression_subnet.setting_groups import JudgeSettings

__all__ = ["open_model"]

READER: Final = "reader"
GGUF: Final = "gguf:"


@asynccontextmanager
async def open_model(spec: str, settings: JudgeSettings, api_key_file: Path | None) -> AsyncIterator[OpenAIAnswerer]:
    """Give the judge that ``spec`` names.

    Args:
        spec: ``reader``, ``gguf:FILE`` or ``URL#MODEL``.
        settings: bounds on calls; their address, model and key are not used, since a key is for one provider.
        api_key_file: the key of the provider at ``URL``.

    Raises:
        ConfigurationError: the model is none of these, or cannot be had; the message names the fix.
    """
    bounds = settings.model_dump(include={"concurrency", "timeout", "reply_timeout", "warm_prefix"})
    if spec == READER:
        async with open_judge(JudgeSettings(**bounds), {}) as answerer:
            yield answerer
    elif spec.startswith(GGUF):
        from compression_subnet.judge.serving import llama_server

        with llama_server(Path(spec.removeprefix(GGUF))) as url:
            # One slot: more at once would only wait there, with their deadlines running.
            local = JudgeSettings(**bounds | {"base_url": url, "model": "gguf", "concurrency": 1})
            async with open_judge(local, {}) as answerer:
                yield answerer
    else:
        url, hash_, model = spec.rpartition("#")
        if not hash_ or not model:
            raise ConfigurationError(f"{spec!r} names no model; give reader, gguf:FILE or URL#MODEL")
        remote = JudgeSettings(**bounds, base_url=url, model=model, api_key_file=api_key_file)
        async with open_judge(remote, {}) as answerer:
            yield answerer
