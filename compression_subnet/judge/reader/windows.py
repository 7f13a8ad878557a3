"""The reader's inputs: overlapping windows of a long text, each behind the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from compression_subnet.encoders.windows import cut
from compression_subnet.judge.reader.decoding import MAX_ANSWER_TOKENS

__all__ = ["MAX_QUESTION_TOKENS", "WINDOW_TOKENS", "Window", "windows"]

CLS: Final = 101
SEP: Final = 102
WINDOW_TOKENS: Final = 256
"""Tokens of one input, question and separators included: the length that the reader was trained at.

Measured on 150 short and 220 long texts of XQuAD: F1 65.6 and 65.7; with 320, 65.4 and 62.3; with 512 it is worse.
"""
MAX_QUESTION_TOKENS: Final = 64
"""A longer question is cut, so that a window always keeps room for the text."""


@dataclass(frozen=True, slots=True)
class Window:
    """One input of the encoder: ``[CLS] question [SEP] piece of the text [SEP]``.

    Attributes:
        ids: token ids, separators included.
        first: position in ``ids`` of the first token of the text.
        start: index, among the text's tokens, of that first token.
        size: how many tokens of the text it holds.
    """

    ids: tuple[int, ...]
    first: int
    start: int
    size: int


def windows(
    question: Sequence[int], text: Sequence[int], *, size: int = WINDOW_TOKENS, overlap: int = 2 * MAX_ANSWER_TOKENS
) -> list[Window]:
    """Return the windows of ``text`` (token ids) for ``question`` (token ids), in order; none for an empty text.

    The overlap is twice the longest answer, so that each answer stands in some window with context beside it.
    """
    head = (CLS, *question[:MAX_QUESTION_TOKENS], SEP)
    return [
        Window((*head, *text[piece.start : piece.stop], SEP), len(head), piece.start, len(piece))
        for piece in cut(len(text), size - len(head) - 1, overlap)
    ]
