"""Whether a reply may be scored at all: within its budget, and made of text that a reader sees.

The string that is counted here is the very string that the judge reads. There is no tolerance, and integers are
compared throughout.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from compression_subnet.errors import InputError, TokenizerError
from compression_subnet.scoring.levels import budget_tokens
from compression_subnet.text.canonical import canonical
from compression_subnet.text.special import find_special_token
from compression_subnet.text.tokens import Tokenizer

__all__ = ["Compliance", "ComplianceCheck", "Reason", "check_compliance", "densest_window"]

WINDOW: Final = 64
"""Tokens over which the density of the text is taken; MECHANISM 4.5."""


class Reason(StrEnum):
    """Why a reply scores what it scores, before anybody reads it."""

    OK = "ok"
    MISSING = "missing"
    """No reply: the miner could not be reached, or answered with an error."""
    LATE = "late"
    MALFORMED = "malformed"
    """The reply is not the JSON object that the protocol asks for, or its signature is wrong."""
    TOO_LARGE = "too_large"
    """Over the cap beyond which a reply is not even read."""
    BLANK = "blank"
    TOO_LONG = "too_long"
    """Longer than one and a half times its share of the text's characters; not counted."""
    SPECIAL_TOKEN = "special_token"
    UNCOUNTABLE = "uncountable"
    """The tokenizer refuses it."""
    OVER_BUDGET = "over_budget"
    DENSE = "dense"
    """More characters a token than the text itself has anywhere."""


@dataclass(frozen=True, slots=True)
class Compliance:
    """The verdict on one reply.

    Attributes:
        ok: whether the reply may be judged.
        reason: ``Reason.OK``, or why not.
        tokens: tokens of ``text``; 0 where it was not counted.
        budget: the budget in tokens.
        text: the reply in canonical form, stripped: what the judge reads; empty unless ``ok``.
    """

    ok: bool
    reason: Reason
    tokens: int
    budget: int
    text: str


class ComplianceCheck:
    """The checks of one text at one level, for any number of replies."""

    def __init__(self, text: str, level: int, tokenizer: Tokenizer):
        """Prepare the checks.

        Args:
            text: the injected text; its canonical form is what is counted.
            level: in per cent.
            tokenizer: the pinned one.

        Raises:
            InputError: the text is blank, or the level is unknown.
        """
        text = canonical(text)
        if not text.strip():
            raise InputError("the text is blank in canonical form: there is nothing to compress")
        self._tokenizer = tokenizer
        self._characters = len(text)
        lengths = tokenizer.token_bytes(text)
        self._tokens = len(lengths)
        self._window = min(WINDOW, self._tokens)
        self._densest = densest_window(text, lengths, self._window)
        self.budget = budget_tokens(self._tokens, level)

    def __call__(self, reply: str | None) -> Compliance:
        """Return the verdict on ``reply``, as it came off the wire; None is no reply."""
        if reply is None:
            return self.refuse(Reason.MISSING)
        if len(reply) > 4 * self._characters:
            return self.refuse(Reason.TOO_LARGE)
        kept = canonical(reply).strip()
        if not kept:
            return self.refuse(Reason.BLANK)
        if 2 * len(kept) * self._tokens > 3 * self._characters * self.budget:
            return self.refuse(Reason.TOO_LONG)
        if find_special_token(kept) is not None:
            return self.refuse(Reason.SPECIAL_TOKEN)
        try:
            tokens = self._tokenizer.count(kept)
        except TokenizerError:
            return self.refuse(Reason.UNCOUNTABLE)
        if tokens > self.budget:
            return self.refuse(Reason.OVER_BUDGET, tokens)
        if 10 * self._window * len(kept) > 13 * self._densest * tokens:
            return self.refuse(Reason.DENSE, tokens)
        return Compliance(True, Reason.OK, tokens, self.budget, kept)

    def refuse(self, reason: Reason, tokens: int = 0) -> Compliance:
        """Return the verdict that there is nothing to judge, for ``reason``."""
        return Compliance(False, reason, tokens, self.budget, "")


def check_compliance(text: str, reply: str | None, level: int, tokenizer: Tokenizer) -> Compliance:
    """Return whether ``reply`` may be scored as a compression of ``text`` at ``level`` per cent.

    Raises:
        InputError: the text is blank, or the level is unknown.
    """
    return ComplianceCheck(text, level, tokenizer)(reply)


def densest_window(text: str, token_bytes: np.ndarray[tuple[int], np.dtype[np.int64]], window: int) -> int:
    """Return the most characters that any ``window`` consecutive tokens of ``text`` span.

    A character that a token holds only a part of counts whole.

    Args:
        text: the text.
        token_bytes: length in UTF-8 bytes of each of its tokens.
        window: how many tokens, from 1 to their number.
    """
    first = (np.frombuffer(text.encode(), dtype=np.uint8) & 0xC0) != 0x80
    before = np.concatenate(([0], np.cumsum(first)))  # characters that begin before each byte
    bounds = np.concatenate(([0], np.cumsum(token_bytes)))
    starts, ends = bounds[: len(bounds) - window], bounds[window:]
    return int(np.max(before[ends] - before[starts] + ~first[starts]))
