"""How well a network tells noise and foretells questions, on documents that it never saw."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from compression_subnet.compressors.learned.tokens import Frame
from compression_subnet.compressors.train.articles import Article
from compression_subnet.compressors.train.batches import labelled
from compression_subnet.compressors.train.documents import Sample, draw_samples
from compression_subnet.compressors.train.losses import TrainedNetwork
from compression_subnet.compressors.train.noise import Mixture, NoisePool

__all__ = ["CONDITIONS", "Measurement", "area_under_curve", "measure", "measuring_samples"]

ROOM: Final = 510
CONDITIONS: Final = {
    f"{kind} {pieces}": Mixture(
        clean=0.0, share=(0.5, 0.5), near=float(kind == "near"), named=0.0, block=float(pieces == "blocks"), max_block=4
    )
    for kind in ("far", "near")
    for pieces in ("single", "blocks")
}
"""Half as much noise as text: of any sentences or of the most similar ones, scattered or in blocks of 2 to 4."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """What was measured.

    Attributes:
        noise: for each condition, the area under the ROC curve of relevance, over all sentences.
        answer: the same of tokens that lie in an answer, among the tokens that are no noise.
        asked: correlation of the expected with the counted questions of a sentence.
    """

    noise: dict[str, float]
    answer: float
    asked: float


def measuring_samples(
    articles: Sequence[Article], pools: Mapping[str, NoisePool], seed: int
) -> dict[str, list[Sample]]:
    """Return samples for each condition."""
    return {
        name: draw_samples(articles, pools, condition, random.Random(f"{seed}:{name}"))
        for name, condition in CONDITIONS.items()
    }


def measure(network: TrainedNetwork, samples: Mapping[str, Sequence[Sample]], frame: Frame) -> Measurement:
    """Return the figures of ``network``; each document is computed by itself."""
    network.train(False)
    device = next(network.parameters()).device
    noise: dict[str, float] = {}
    answers: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]] = []
    asked: list[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]] = []
    for name, of_condition in samples.items():
        scores, truths = [], []
        for sample in of_condition:
            batch = labelled([sample], frame, ROOM).to(device)
            with torch.inference_mode():
                outputs = network(batch)
            scores.append(_array(outputs.relevance))
            truths.append(sample.relevant)
            own = sample.known[sample.sentences]
            answers.append((_array(outputs.answer)[own], sample.answer[own] >= 0.5))
            asked.append((np.exp(_array(outputs.asked))[sample.known], sample.asked[sample.known].astype(float)))
        noise[name] = area_under_curve(np.concatenate(scores), np.concatenate(truths))
    expected, counted = (np.concatenate(part) for part in zip(*asked, strict=True))
    return Measurement(
        noise=noise,
        answer=area_under_curve(*(np.concatenate(part) for part in zip(*answers, strict=True))),
        asked=float(np.corrcoef(expected, counted)[0, 1]),
    )


def _array(values: Tensor) -> npt.NDArray[np.float64]:
    array: npt.NDArray[np.float64] = values.double().cpu().numpy()
    return array


def area_under_curve(scores: npt.NDArray[np.float64], truths: npt.NDArray[np.bool_]) -> float:
    """Return the probability that a true one scores above a false one, ties by half; NaN if a class is empty."""
    _values, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    positive = int(truths.sum())
    negative = len(truths) - positive
    if not positive or not negative:
        return float("nan")
    return float((ranks[places][truths].sum() - positive * (positive + 1) / 2) / (positive * negative))
