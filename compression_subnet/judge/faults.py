"""Whose fault it is that a call gave no answer: a pure function of the error or the completion.

A status code is a hint, no more: a text can be written so that a provider fails on it. What a fault finally counts
as is therefore decided by repeating the call with a canary beside it (``openai_answerer``), not here.
"""

import asyncio
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion

__all__ = ["Fault", "FaultKind", "classify", "retry_after_seconds"]

PROVIDER_STATUSES: Final = frozenset({401, 402, 404, 408, 409, 425, 429})
"""With 5xx: statuses that say nothing of the text. MECHANISM names 401, 402, 408, 429, 5xx."""


class FaultKind(StrEnum):
    """What a failed call looks like, seen alone."""

    PROVIDER = "provider"
    """The provider's side: back off and try again."""
    CONTENT = "content"
    """The model was reached and gave no usable answer to this text: settled."""
    UNSURE = "unsure"
    """The request was refused, for what may be the text: try again, no back-off needed."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A call that gave no answer.

    Attributes:
        kind: what it looks like, seen alone.
        detail: short and made of our own words and the provider's codes, never of its messages, which may repeat
            the text.
        retry_after: seconds that the provider asked to be left alone, if it did.
        status: the HTTP status, where that is the fault.
    """

    kind: FaultKind
    detail: str
    retry_after: float | None = None
    status: int | None = None


def classify(outcome: object) -> Fault | None:
    """Return the fault that ``outcome`` is, or None where it is a completion with an answer.

    Args:
        outcome: what a call to ``chat.completions.create`` returned or raised. The client hands on a body that is
            no JSON as a string.
    """
    from openai import APIConnectionError, APIResponseValidationError, APIStatusError, APITimeoutError
    from openai.types.chat import ChatCompletion

    match outcome:
        case ChatCompletion():
            return _classify_completion(outcome)
        case APITimeoutError() | asyncio.TimeoutError():
            return Fault(FaultKind.PROVIDER, "time-out")
        case APIConnectionError():
            return Fault(FaultKind.PROVIDER, "connection")
        case APIStatusError(status_code=status):
            known = status >= 500 or status in PROVIDER_STATUSES
            return Fault(
                FaultKind.PROVIDER if known else FaultKind.UNSURE,
                f"HTTP {status}{_code(outcome.code)}",
                retry_after_seconds(outcome.response.headers, datetime.now(UTC)),
                status,
            )
        case str() | bytes() | APIResponseValidationError() | json.JSONDecodeError() | UnicodeDecodeError():
            return Fault(FaultKind.PROVIDER, "body is no JSON")
    return Fault(FaultKind.PROVIDER, type(outcome).__name__)


def retry_after_seconds(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that ``Retry-After`` asks for (a number or a date, RFC 9110 section 10.2.3), or None."""
    value = headers.get("retry-after", "").strip()
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - now).total_seconds()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _classify_completion(completion: "ChatCompletion") -> Fault | None:
    # The client builds completions without validating them: any field may be absent or of another type.
    if (completion.model_extra or {}).get("error"):
        return Fault(FaultKind.PROVIDER, "error in a body of status 200")
    choices = getattr(completion, "choices", None)
    if not choices:
        return Fault(FaultKind.CONTENT, "no choices")
    choice = choices[0]
    message = getattr(choice, "message", None)
    reason = getattr(choice, "finish_reason", None)
    if reason == "error":
        return Fault(FaultKind.PROVIDER, "finish reason error")
    if reason == "length":
        return Fault(FaultKind.CONTENT, "length stop")
    if reason == "content_filter":
        return Fault(FaultKind.CONTENT, "content filter")
    if getattr(message, "refusal", None):
        return Fault(FaultKind.CONTENT, "refusal")
    if not isinstance(getattr(message, "content", None), str):
        return Fault(FaultKind.CONTENT, "no text in the answer")
    return None


def _code(code: str | None) -> str:
    return f" {code}" if code and re.fullmatch(r"[A-Za-z0-9_.-]{1,40}", code) else ""
