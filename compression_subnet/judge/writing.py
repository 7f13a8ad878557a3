"""From settings to the model that writes: its own endpoint, or the judge's."""

from collections.abc import Mapping
from typing import Final

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.endpoint import CallLimits, Endpoint, load_api_key
from compression_subnet.judge.openai_chat import OpenAIChatModel
from compression_subnet.judge.setup import READER, endpoints_of
from compression_subnet.setting_groups import JudgeSettings, WriterSettings

__all__ = ["WRITER_KEY_VARIABLE", "can_write", "writer_endpoint", "writer_of"]

WRITER_KEY_VARIABLE: Final = "CS_WRITER_API_KEY"


def can_write(writer: WriterSettings, judge: JudgeSettings) -> bool:
    """Whether the settings name a model that writes: the embedded reader finds spans and cannot."""
    return (writer.model or judge.model) != READER


def writer_endpoint(writer: WriterSettings, judge: JudgeSettings, environ: Mapping[str, str]) -> Endpoint:
    """Return which model writes, and where.

    The judge's key goes nowhere but to the judge's address.

    Args:
        writer: what is left out is the judge's.
        judge: its first address counts.
        environ: where the key may be.

    Raises:
        ConfigurationError: the model is the embedded reader, an address is none, or a key's file is unusable.
    """
    if not can_write(writer, judge):
        raise ConfigurationError(
            "the embedded reader cannot write texts or questions; name a model that can: --writer.base-url and "
            "--writer.model (or CS_WRITER__BASE_URL and CS_WRITER__MODEL)"
        )
    key = load_api_key(environ, writer.api_key_file, WRITER_KEY_VARIABLE)
    if writer.base_url is None:
        shared = endpoints_of(judge, environ)[0]
        return Endpoint(shared.base_url, writer.model or judge.model, key or shared.api_key)
    if not writer.base_url.startswith(("http://", "https://")):
        raise ConfigurationError(
            f"writer.base_url {writer.base_url!r} is no address; give http://HOST:PORT/v1 or https://HOST/v1"
        )
    return Endpoint(writer.base_url, writer.model or judge.model, key)


def writer_of(writer: WriterSettings, judge: JudgeSettings, environ: Mapping[str, str]) -> OpenAIChatModel:
    """Return the writer; nothing is sent yet. Raises as ``writer_endpoint``."""
    limits = CallLimits(
        call_seconds=writer.timeout,
        reply_seconds=writer.reply_timeout,
        concurrency=writer.concurrency,
        max_answer_tokens=writer.max_tokens,
    )
    return OpenAIChatModel(writer_endpoint(writer, judge, environ), limits, temperature=writer.temperature)
