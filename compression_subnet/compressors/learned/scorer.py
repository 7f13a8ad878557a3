"""Scores of documents by a model, in batches."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import numpy as np
import torch
from torch import Tensor

from compression_subnet.compressors.document import Document
from compression_subnet.compressors.learned.model import Model
from compression_subnet.compressors.learned.runner import Runner, out_of_memory
from compression_subnet.compressors.learned.tokens import DocumentTokens
from compression_subnet.compressors.learned.word_cache import WordCache
from compression_subnet.compressors.scores import Scores
from compression_subnet.encoders.windows import best_windows, spread

__all__ = ["KEPT_TEXTS", "OVERLAP", "ModelScorer"]

KEPT_TEXTS: Final = 64
"""Texts whose scores are kept: a validator asks for each text at every level, and the scores are the same for all."""

OVERLAP: Final = 32
"""Tokens that neighbouring windows share: each is read where it has at least half of this as context."""


class ModelScorer:
    """Cuts documents into windows, runs the model over them, and puts what it says together again."""

    def __init__(self, model: Model, runner: Runner, batch_tokens: int, kept_texts: int = KEPT_TEXTS):
        """Put a scorer together.

        Args:
            model: what is run.
            runner: how.
            batch_tokens: most tokens at a time.
            kept_texts: texts whose scores are kept, so that they need not be computed again; 0 for none.
        """
        self._model = model
        self._runner = runner
        self._batch_tokens = batch_tokens
        self._kept: OrderedDict[str, Scores] = OrderedDict()
        self._kept_texts = kept_texts
        self._lock = threading.Lock()
        self._words = WordCache(model.tokenizer)

    def score(self, documents: Sequence[Document]) -> list[Scores]:
        """Return the scores of each document; they do not depend on the other ones.

        Raises:
            CompressorError: the model needs more memory than there is, even for half as many tokens at a time.
        """
        with self._lock:
            found = {d.text: self._kept[d.text] for d in documents if d.text in self._kept}
        new = list({d.text: d for d in documents if d.text not in found}.values())
        found |= {d.text: scores for d, scores in zip(new, self._score(new), strict=True)}
        with self._lock:
            for document in documents:
                self._kept[document.text] = found[document.text]
                self._kept.move_to_end(document.text)
            while len(self._kept) > self._kept_texts:
                self._kept.popitem(last=False)
        return [found[document.text] for document in documents]

    def _score(self, documents: Sequence[Document]) -> list[Scores]:
        tokens = self._words.tokenise(documents)
        try:
            read = self._read(tokens, self._batch_tokens)
        except torch.OutOfMemoryError:
            # Outside of the handler, so that what the failed attempt held is free.
            read = None
        if read is None:
            try:
                read = self._read(tokens, max(1, self._batch_tokens // 2))
            except torch.OutOfMemoryError as error:
                raise out_of_memory(self._batch_tokens // 2) from error
        return [self._model.scores(d, t, r) for d, t, r in zip(documents, tokens, read, strict=True)]

    def _read(self, documents: Sequence[DocumentTokens], batch_tokens: int) -> list[np.ndarray]:
        """Return what the model reads of each document; one transfer brings all of it back."""
        model = self._model
        rows: list[np.ndarray] = []
        pieces: list[list[tuple[int, slice]]] = []
        for tokens in documents:
            windows = spread(len(tokens.ids), model.room, OVERLAP)
            chosen = best_windows(windows, len(tokens.ids))
            borders = np.searchsorted(chosen, np.arange(len(windows) + 1))
            before = len(model.frame.before)
            pieces.append(
                [
                    (len(rows) + i, slice(int(borders[i]) - w.start + before, int(borders[i + 1]) - w.start + before))
                    for i, w in enumerate(windows)
                ]
            )
            rows += [
                np.concatenate([model.frame.before, tokens.ids[w.start : w.stop], model.frame.after]).astype(np.int64)
                for w in windows
            ]
        values = self._runner.windows(model.per_window, rows, batch_tokens)
        present = [number for number, of_document in enumerate(pieces) if of_document]

        def read(number: int) -> Tensor:
            return model.per_document(torch.cat([values[row][part] for row, part in pieces[number]]), documents[number])

        flat = self._runner.each(read, present)
        together = torch.cat(flat).cpu().numpy() if flat else np.zeros(0, dtype=np.float32)
        parts = np.split(together, np.cumsum([len(part) for part in flat])[:-1]) if flat else []
        result = [np.zeros(0, dtype=np.float32)] * len(documents)
        for number, part in zip(present, parts, strict=True):
            result[number] = part
        return result
