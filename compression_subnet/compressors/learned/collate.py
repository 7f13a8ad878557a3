"""Putting documents together to a batch: windows of token ids, and where each token and sentence stands."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

from compression_subnet.compressors.learned.network import Batch
from compression_subnet.compressors.learned.tokens import Frame
from compression_subnet.encoders.windows import best_windows, spread

__all__ = ["collate"]

Ints = npt.NDArray[np.int64]


def collate(documents: Sequence[tuple[Ints, Ints, Ints, int]], frame: Frame, *, room: int, overlap: int) -> Batch:
    """Return the batch of some documents, on the CPU.

    Args:
        documents: token ids; for each of them the kind of its word, and the number of its sentence, ascending from 0;
            number of sentences.
        frame: special tokens.
        room: most tokens of a window, without special ones.
        overlap: least tokens that neighbouring windows share.
    """
    rows: list[Ints] = []
    places: list[tuple[Ints, Ints]] = []
    for ids, _, _, _ in documents:
        windows = spread(len(ids), room, overlap)
        chosen = best_windows(windows, len(ids))
        starts = np.array([window.start for window in windows], dtype=np.int64)
        columns = np.arange(len(ids)) - starts[chosen] + len(frame.before) if len(ids) else chosen
        places.append((chosen + len(rows), columns))
        rows += [np.concatenate([frame.before, ids[w.start : w.stop], frame.after]).astype(np.int64) for w in windows]
    length = max((len(row) for row in rows), default=0)
    table = np.full((len(rows), length), frame.padding, dtype=np.int64)
    mask = np.zeros_like(table)
    for number, row in enumerate(rows):
        table[number, : len(row)] = row
        mask[number, : len(row)] = 1
    counts = [count for _, _, _, count in documents]
    firsts = np.cumsum([0, *counts])
    layout = np.full((len(documents), max(counts, default=0)), -1, dtype=np.int64)
    for number, (first, count) in enumerate(zip(firsts[:-1].tolist(), counts, strict=True)):
        layout[number, :count] = np.arange(first, first + count)
    sentences = [numbers + first for (_, _, numbers, _), first in zip(documents, firsts[:-1], strict=True)]
    return Batch(
        ids=torch.from_numpy(table),
        mask=torch.from_numpy(mask),
        places=torch.from_numpy(_joined([row * length + column for row, column in places])),
        tokens=torch.from_numpy(_joined([ids for ids, _, _, _ in documents])),
        kinds=torch.from_numpy(_joined([kinds for _, kinds, _, _ in documents])),
        sentences=torch.from_numpy(_joined(sentences)),
        documents=torch.from_numpy(layout),
    )


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)
