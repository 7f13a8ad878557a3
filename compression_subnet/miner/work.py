"""Running a compressor on a batch: what comes of each text, whatever the compressor does. Called in a worker."""

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from compression_subnet.compressors.base import Compressor, TokenBudget
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import TokenCounter

__all__ = ["WARM_UP_TEXT", "Fault", "Result", "Work", "do_work", "takes_batches"]


WARM_UP_TEXT: Final = (
    "The observatory was opened in 1931 by a society of amateurs. Its first telescope had a mirror of 0.6 metres. "
    "A larger one followed in 1958, and the old dome became a library. Rain fell on most days of that autumn."
)
"""What a compressor is given first, so that it loads what it loads late."""

# Of a compressor's own call stack, innermost first.
_FRAMES: Final = 6


class Fault(StrEnum):
    """Why a compressor's result is not sent."""

    FAILED = "failed"
    OVER_BUDGET = "over budget"
    EMPTY = "empty"
    CRASHED = "crashed"
    LATE = "late"
    SKIPPED = "no time"


@dataclass(frozen=True, slots=True)
class Work:
    """One text, and the most tokens that may be left of it."""

    text: str
    budget_tokens: int


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one text.

    Attributes:
        text: canonical and stripped, as a validator counts it; empty where there is none.
        tokens_in: tokens of the canonical request.
        tokens_out: tokens of ``text``.
        fault: None where ``text`` can be sent.
        detail: of the fault, for the log: printable, and without any of a validator's text.
    """

    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    fault: Fault | None = None
    detail: str = ""


def takes_batches(compressor: Compressor) -> bool:
    """Whether ``compressor`` is a ``BatchCompressor``."""
    return callable(getattr(compressor, "compress_batch", None))


def do_work(compressor: Compressor, batch: Sequence[Work], counter: TokenCounter, *, strict: bool) -> list[Result]:
    """Return what ``compressor`` makes of each text of ``batch``, in order. Never raises for what it does.

    A batch that fails as a whole is tried once more, text by text: it may have been too large for the memory, or
    one of its texts may be at fault, which is no reason for the others to have none.

    Args:
        compressor: given a batch only if it takes batches.
        batch: texts as they were sent.
        counter: of tokens.
        strict: whether a result over the budget is a fault.
    """
    requests = [(canonical(work.text), TokenBudget(work.budget_tokens, counter)) for work in batch]
    if len(requests) > 1 and takes_batches(compressor):
        try:
            replies: Sequence[object] = compressor.compress_batch(requests)  # type: ignore[attr-defined]
            if len(replies) == len(requests):
                return [_checked(reply, *request, strict) for reply, request in zip(replies, requests, strict=True)]
        except BaseException:  # each text's own error is told below
            pass
    return [_alone(compressor, *request, strict) for request in requests]


def _alone(compressor: Compressor, text: str, budget: TokenBudget, strict: bool) -> Result:
    try:
        return _checked(compressor.compress(text, budget), text, budget, strict)
    except BaseException as error:  # a compressor that calls sys.exit costs its request, not the worker
        # Places without their values: those may hold a validator's text. So may the message: cut short, and quoted.
        places = reversed(traceback.extract_tb(error.__traceback__)[-_FRAMES:])
        where = " < ".join(f"{Path(place.filename).name}:{place.lineno} {place.name}" for place in places)
        return Result(fault=Fault.FAILED, detail=f"{type(error).__name__} {str(error)[:200]!a} at {where}")


def _checked(reply: object, text: str, budget: TokenBudget, strict: bool) -> Result:
    """Return ``reply`` as a validator will see it, with its fault.

    Raises:
        TokenizerError: the text or the reply cannot be counted.
    """
    if not isinstance(reply, str):
        return Result(fault=Fault.FAILED, detail=f"compress returned {type(reply).__name__}, not str")
    reply = canonical(reply).strip()
    tokens_in, tokens_out = budget.counter.count(text), budget.counter.count(reply)
    fault, detail = None, ""
    if tokens_out > budget.tokens and strict:
        fault, detail = Fault.OVER_BUDGET, f"{tokens_out} tokens, of {budget.tokens} allowed: that scores 0"
    elif not reply:
        fault, detail = Fault.EMPTY, f"nothing, of {budget.tokens} tokens allowed"
    return Result(reply if fault is None else "", tokens_in, tokens_out, fault, detail)
