"""Batches of training documents: of like length together, cut into windows of a length drawn for each batch."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import torch
from torch import Tensor

from compression_subnet.compressors.learned.collate import collate
from compression_subnet.compressors.learned.network import Batch
from compression_subnet.compressors.learned.tokens import Frame
from compression_subnet.compressors.train.documents import Sample

__all__ = ["LabelledBatch", "labelled", "packed"]

ROOMS: Final = (160, 254, 254, 382, 510)
"""Tokens of a training window, drawn for each batch, so that no length is foreign to the network."""
OVERLAP: Final = 32
BLOCK: Final = 96
"""Documents that are sorted by length together: in larger blocks, batches would repeat from epoch to epoch."""


@dataclass(frozen=True, slots=True)
class LabelledBatch:
    """A batch and what the network should say of it; see ``Sample``."""

    batch: Batch
    relevant: Tensor
    known: Tensor
    asked: Tensor
    answer: Tensor
    evidence: Tensor
    documents: int

    def to(self, device: torch.device) -> "LabelledBatch":
        """Return the same on ``device``."""
        return LabelledBatch(
            batch=self.batch.to(device),
            relevant=self.relevant.to(device),
            known=self.known.to(device),
            asked=self.asked.to(device),
            answer=self.answer.to(device),
            evidence=self.evidence.to(device),
            documents=self.documents,
        )


def packed(samples: Sequence[Sample], max_tokens: int, rng: random.Random) -> list[list[Sample]]:
    """Return the samples in a random order as groups of at most ``max_tokens`` tokens, or of one sample."""
    order = list(samples)
    rng.shuffle(order)
    groups: list[list[Sample]] = []
    for at in range(0, len(order), BLOCK):
        size = max_tokens
        for sample in sorted(order[at : at + BLOCK], key=lambda s: len(s.ids)):
            if size + len(sample.ids) > max_tokens:
                groups.append([])
                size = 0
            groups[-1].append(sample)
            size += len(sample.ids)
    rng.shuffle(groups)
    return groups


def labelled(samples: Sequence[Sample], frame: Frame, room: int) -> LabelledBatch:
    """Return a group of samples as tensors, in windows of at most ``room`` tokens."""
    return LabelledBatch(
        collate([(s.ids, s.kinds, s.sentences, len(s.relevant)) for s in samples], frame, room=room, overlap=OVERLAP),
        torch.from_numpy(np.concatenate([s.relevant for s in samples])),
        torch.from_numpy(np.concatenate([s.known for s in samples])),
        torch.from_numpy(np.concatenate([s.asked for s in samples])),
        torch.from_numpy(np.concatenate([s.answer for s in samples])),
        torch.from_numpy(np.concatenate([s.evidence for s in samples])),
        len(samples),
    )
