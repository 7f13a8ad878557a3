"""From logits to an answer: the best span of each window, and the best of the windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["LOGIT_DECIMALS", "MAX_ANSWER_TOKENS", "SpanScore", "best_of", "best_span"]

MAX_ANSWER_TOKENS: Final = 25
LOGIT_DECIMALS: Final = 3
"""Logits are rounded before they are compared, so that noise of floating point does not choose an answer."""


@dataclass(frozen=True, slots=True)
class SpanScore:
    """The best span of a window.

    Attributes:
        start: first token of the span, as an index among the text's tokens.
        end: last token of the span, included.
        margin: start logit plus end logit, minus the same sum at ``[CLS]`` (the score of "no answer here").
            Only so are scores of different windows comparable.
    """

    start: int
    end: int
    margin: float


def best_span(
    start_logits: npt.NDArray[np.float64],
    end_logits: npt.NDArray[np.float64],
    *,
    first: int,
    size: int,
    offset: int,
    longest: int = MAX_ANSWER_TOKENS,
) -> SpanScore:
    """Return the best span of one window.

    Args:
        start_logits: one a token of the window, ``[CLS]`` first.
        end_logits: the same for the last token of the answer.
        first: position of the first token of the text.
        size: number of tokens of the text in the window, at least 1.
        offset: index of the window's first token among the text's tokens.
        longest: most tokens that an answer may have.

    Returns:
        The span with the highest sum of rounded logits; of equals, the earliest and shortest.
    """
    starts = np.round(start_logits, LOGIT_DECIMALS)
    ends = np.round(end_logits, LOGIT_DECIMALS)
    null = starts[0] + ends[0]
    # scores[i, k]: the span of k + 1 tokens that starts at i
    padded = np.concatenate([ends[first : first + size], np.full(longest - 1, -np.inf)])
    scores = np.round(
        starts[first : first + size, None] + np.lib.stride_tricks.sliding_window_view(padded, longest), LOGIT_DECIMALS
    )
    start, extra = divmod(int(np.argmax(scores)), longest)
    margin = round(float(scores[start, extra] - null), LOGIT_DECIMALS)
    return SpanScore(offset + start, offset + start + extra, margin)


def best_of(spans: Sequence[SpanScore]) -> SpanScore:
    """Return the span with the largest margin; of equals, the earliest. ``spans`` are in order, at least one."""
    return max(spans, key=lambda span: span.margin)
