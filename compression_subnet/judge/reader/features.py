"""From examples to padded batches of token ids with the places of their answers."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from compression_subnet.judge.reader.disturbance import Disturbance, disturb
from compression_subnet.judge.reader.squad import Example
from compression_subnet.judge.reader.windows import windows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Feature", "epoch_batches", "feature_of"]


@dataclass(frozen=True, slots=True)
class Feature:
    """One training input.

    Attributes:
        ids: token ids, separators included.
        first: where the second segment begins.
        start: position of the answer's first token; 0, which is ``[CLS]``, where there is no answer.
        end: position of its last token, included.
    """

    ids: tuple[int, ...]
    first: int
    start: int
    end: int


def feature_of(example: Example, tokenizer: "Tokenizer") -> Feature | None:
    """Return the first window that holds the answer whole, or the first window where the context holds none.

    None where no window does (an answer longer than the overlap of windows), or where the text is blank.
    """
    encoding = tokenizer.encode(example.context, add_special_tokens=False)
    question = tokenizer.encode(example.question, add_special_tokens=False).ids
    cut = windows(question, encoding.ids)
    if not cut or example.start < 0:
        return Feature(cut[0].ids, cut[0].first, 0, 0) if cut else None
    stop = example.start + len(example.answer)
    inside = [i for i, (a, b) in enumerate(encoding.offsets) if a < stop and example.start < b]
    for window in cut:
        if inside and window.start <= inside[0] and inside[-1] < window.start + window.size:
            shift = window.first - window.start
            return Feature(window.ids, window.first, inside[0] + shift, inside[-1] + shift)
    return None


def epoch_batches(
    examples: Sequence[Example],
    foreign: Sequence[str],
    tokenizer: "Tokenizer",
    *,
    how: Disturbance,
    max_tokens: int,
    seed: int,
    epoch: int,
) -> list[list[Feature]]:
    """Return the batches of one epoch, which depend on the arguments alone, so that a run can be resumed.

    Inputs of like length share a batch of at most ``max_tokens`` tokens, padding included; the batches' order is
    random.
    """
    rng = random.Random(f"{seed}:{epoch}")
    features = [feature_of(disturb(example, foreign, how, rng), tokenizer) for example in examples]
    # Sorted within blocks only, so that batches do not repeat from epoch to epoch.
    kept = [feature for feature in features if feature is not None]
    rng.shuffle(kept)
    batches: list[list[Feature]] = []
    for at in range(0, len(kept), 1600):
        batches += _packed(sorted(kept[at : at + 1600], key=lambda f: len(f.ids)), max_tokens)
    rng.shuffle(batches)
    return batches


def _packed(features: Sequence[Feature], max_tokens: int) -> list[list[Feature]]:
    batches: list[list[Feature]] = []
    for feature in features:
        if not batches or (len(batches[-1]) + 1) * len(feature.ids) > max_tokens:
            batches.append([])
        batches[-1].append(feature)
    return batches
