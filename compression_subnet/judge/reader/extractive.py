"""The embedded judge: an extractive reader that answers a question with a span of the text."""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from compression_subnet.encoders.minilm import find_encoder
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.reader.decoding import SpanScore, best_of, best_span
from compression_subnet.judge.reader.model import (
    READER_SHA256,
    READER_WEIGHTS,
    QuestionAnsweringModel,
    build_network,
)
from compression_subnet.judge.reader.windows import Window, windows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Precision", "Reader", "Reading", "load_reader"]

NULL_MARGIN: Final = 0.0
"""A best span that scores less than this over "no answer here" is given up.

Measured on XQuAD (first weights): of 60 answerable questions, 1 % lie below 1.7, and F1 is the same with 2 and with
no bound at all; of questions on another paragraph, 45 % lie below 0 where it is of the same article, 75 % where not.
"""
CACHED_TEXTS: Final = 64
MAX_DEFAULT_THREADS: Final = 8

Precision = Literal["float32", "bfloat16"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader made of one question.

    Attributes:
        answer: the words of the text; empty where the text is, or holds no answer.
        start: where the answer begins in the text, in characters.
        margin: score of the answer over that of "no answer here"; higher is surer.
    """

    answer: str
    start: int = 0
    margin: float = float("-inf")


class Reader:
    """Answers questions from texts. Deterministic: an answer depends on its text and question alone."""

    def __init__(
        self,
        model: QuestionAnsweringModel,
        tokenizer: "Tokenizer",
        *,
        null_margin: float = NULL_MARGIN,
        threads: int = 1,
    ):
        """Put a reader together.

        Args:
            model: gives logits.
            tokenizer: the model's own.
            null_margin: a best span with a lower margin is no answer.
            threads: windows computed at once.
        """
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._model = model
        self._tokenizer = tokenizer
        self._null_margin = null_margin
        self._threads = threads
        self._encoded = lru_cache(CACHED_TEXTS)(self._encode)

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        """Return one reading for each (text, question), in their order; equal pairs are read once."""
        distinct = list(dict.fromkeys(pairs))
        cut = [windows(self._encoded(question)[0], self._encoded(text)[0]) for text, question in distinct]
        spans = iter(self._spans([window for of_pair in cut for window in of_pair]))
        readings = {
            pair: self._reading(pair[0], list(islice(spans, len(of_pair))))
            for pair, of_pair in zip(distinct, cut, strict=True)
        }
        return [readings[pair] for pair in pairs]

    def count(self, text: str) -> int:
        """Return the number of the reader's own tokens in ``text``."""
        return len(self._encoded(text)[0])

    def _spans(self, inputs: Sequence[Window]) -> list[SpanScore]:
        if self._threads == 1 or len(inputs) < 2:
            return [self._span(window) for window in inputs]
        with ThreadPoolExecutor(min(self._threads, len(inputs)), "reader") as pool:
            return list(pool.map(self._span, inputs))

    def _span(self, window: Window) -> SpanScore:
        starts, ends = self._model.logits(window.ids, window.first)
        return best_span(starts, ends, first=window.first, size=window.size, offset=window.start)

    def _reading(self, text: str, spans: Sequence[SpanScore]) -> Reading:
        if not spans:
            return Reading("")
        best = best_of(spans)
        if best.margin < self._null_margin:
            return Reading("", margin=best.margin)
        offsets = self._encoded(text)[1]
        start, end = whole_words(text, offsets[best.start][0], offsets[best.end][1])
        return Reading(text[start:end], start, best.margin)

    def _encode(self, text: str) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
        # A lone surrogate becomes one question mark, so that offsets stay right and no text makes this fail.
        sound = text.encode("utf-8", "replace").decode()
        encoding = self._tokenizer.encode(sound, add_special_tokens=False)
        return tuple(encoding.ids), tuple(encoding.offsets)


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range ``[start, end)`` of ``text`` widened to whole words, as word pieces may cut them."""
    while start > 0 and re.match(r"\w\w", text[start - 1 : start + 1]):
        start -= 1
    while end < len(text) and re.match(r"\w\w", text[end - 1 : end + 1]):
        end += 1
    return start, end


def load_reader(
    encoder_folder: Path | None = None,
    *,
    weights: Path = READER_WEIGHTS,
    sha256: str | None = READER_SHA256,
    threads: int | None = None,
    precision: Precision = "float32",
) -> Reader:
    """Load the reader; about a second, most of it spent on importing torch.

    Threads compute a window each. torch's own threads within a window are switched off, for the whole process:
    they wait for each other actively, and on a busy machine that is ten times slower than one thread alone.

    Args:
        encoder_folder: a folder with the base encoder; by default the installed package, then the hub.
        weights: the trained tensors, those of this package by default.
        sha256: what ``weights`` must hash to; None takes any file.
        threads: windows computed at once; None takes as many as there are cores, 8 at most.
        precision: ``bfloat16`` halves the time on CPUs that compute in it (AMX), and is slow on others. Part of the
            profile: its logits differ, its answers hardly (none of 150 did).

    Raises:
        ConfigurationError: a file is missing or not the pinned one; the message names the fix.
    """
    import torch
    from tokenizers import Tokenizer

    count = threads if threads is not None else min(os.cpu_count() or 1, MAX_DEFAULT_THREADS)
    if count < 1:
        raise ConfigurationError(f"the reader needs at least one thread, not {count}")
    torch.set_num_threads(1)
    encoder = find_encoder(encoder_folder)
    network = build_network(encoder, weights, sha256)
    if precision == "bfloat16":
        torch.nn.Module.to(network, torch.bfloat16)
    return Reader(QuestionAnsweringModel(network), Tokenizer.from_file(str(encoder.tokenizer)), threads=count)
