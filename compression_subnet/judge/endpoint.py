"""Which model is asked, where, with which key, and within which bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import SecretStr

from compression_subnet.errors import ConfigurationError

__all__ = ["API_KEY_VARIABLE", "CONTENT_TRIES", "CallLimits", "Endpoint", "load_api_key"]

API_KEY_VARIABLE: Final = "CS_JUDGE_API_KEY"
CONTENT_TRIES: Final = 3
"""Tries that a fault must outlast, each followed by a canary that succeeds, to be the text's (MECHANISM, section 6)."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Which model is asked, and where.

    Attributes:
        base_url: such as ``http://127.0.0.1:8801/v1``.
        model: its name there; a dated version where the provider has one.
        api_key: None for a server that wants none. Never shown.
        seed: sent with every call; None where the provider refuses it.
        token_limit_field: ``max_tokens``, or ``max_completion_tokens`` for models that want that.
        extra_body: further fields of the request, such as the one that switches reasoning off.
    """

    base_url: str
    model: str
    api_key: SecretStr | None = None
    seed: int | None = 0
    token_limit_field: str = "max_tokens"
    extra_body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Bounds on calls. Seconds are wall-clock totals.

    Attributes:
        call_seconds: for one call.
        reply_seconds: for all questions of one text, retries included.
        concurrency: calls under way at once, over all texts.
        tries: for one question, at least 3.
        backoff_seconds: first back-off; it doubles with each try, with jitter.
        max_backoff_seconds: the longest back-off, whatever the provider asks for.
        max_answer_tokens: a longer answer is a length stop.
    """

    call_seconds: float = 60.0
    reply_seconds: float = 300.0
    concurrency: int = 16
    tries: int = 4
    backoff_seconds: float = 0.5
    max_backoff_seconds: float = 30.0
    max_answer_tokens: int = 64

    def __post_init__(self) -> None:
        """Check the bounds."""
        if self.tries < CONTENT_TRIES:
            raise ConfigurationError(f"tries must be at least {CONTENT_TRIES}, not {self.tries}")
        if self.concurrency < 1 or self.max_answer_tokens < 1:
            raise ConfigurationError("concurrency and max_answer_tokens must be at least 1")
        if min(self.call_seconds, self.reply_seconds) <= 0 or self.backoff_seconds < 0:
            raise ConfigurationError("call_seconds and reply_seconds must be positive, backoff_seconds not negative")


def load_api_key(
    environ: Mapping[str, str], file: Path | None = None, variable: str = API_KEY_VARIABLE
) -> SecretStr | None:
    """Return the key from ``file`` if given, else from ``variable`` in ``environ``, else None.

    No other variable is read: a key meant for one provider must not reach whichever server is configured.

    Raises:
        ConfigurationError: the file cannot be read or is blank.
    """
    if file is not None:
        try:
            key = file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"cannot read the API key's file {file}: {type(error).__name__}") from None
        if not key:
            raise ConfigurationError(f"the API key's file {file} is blank; write the key into it")
        return SecretStr(key)
    key = environ.get(variable, "").strip()
    return SecretStr(key) if key else None
