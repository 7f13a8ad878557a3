"""Disturbing a training context the way a compressor, or the noise of a challenge, would."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from compression_subnet.judge.reader.squad import Example
from compression_subnet.text.sentences import split_sentences

__all__ = ["Disturbance", "disturb"]


@dataclass(frozen=True, slots=True)
class Disturbance:
    """How often and how much; shares are probabilities in [0, 1].

    Attributes:
        share: of contexts that are disturbed at all.
        unanswerable: of the disturbed, those that lose the sentence with the answer.
        telegraphic: of the disturbed, those whose other sentences lose words too.
        max_sentence_drop: at most this share of the sentences without the answer goes.
        max_word_drop: at most this share of words goes.
        max_foreign: most foreign sentences put in.
    """

    share: float = 0.45
    unanswerable: float = 0.11
    telegraphic: float = 0.33
    max_sentence_drop: float = 0.6
    max_word_drop: float = 0.4
    max_foreign: int = 3


def disturb(example: Example, foreign: Sequence[str], how: Disturbance, rng: random.Random) -> Example:
    """Return ``example`` with its context disturbed, or as it is.

    Args:
        example: has an answer.
        foreign: sentences of other texts.
        how: how often and how much.
        rng: all chance comes from here.

    Returns:
        An example whose ``start`` is right for its context; answer empty and ``start`` -1 where it was taken out.
    """
    if rng.random() >= how.share:
        return example
    sentences = [(example.context[a:b].strip(), a, b) for a, b in split_sentences(example.context)]
    stop = example.start + len(example.answer)
    # Sentences that the answer touches stay together, as one piece.
    held = [s for s in sentences if s[1] < stop and example.start < s[2]]
    holder = example.context[held[0][1] : held[-1][2]]
    drop = rng.random() * how.max_sentence_drop
    before = [s for s, _, b in sentences if b <= held[0][1] and rng.random() > drop]
    after = [s for s, a, _ in sentences if a >= held[-1][2] and rng.random() > drop]
    keep_answer = rng.random() >= how.unanswerable
    if rng.random() < how.telegraphic:
        loss = rng.random() * how.max_word_drop
        before, after = ([_thin(s, loss, rng) for s in part] for part in (before, after))
    pieces: list[tuple[str, bool]] = [(s, False) for s in before]
    if keep_answer:
        pieces.append((holder, True))
    pieces += [(s, False) for s in after]
    for _ in range(rng.randrange(how.max_foreign + 1) if foreign else 0):
        pieces.insert(rng.randrange(len(pieces) + 1), (rng.choice(foreign), False))
    return _joined(example, [(s, holds) for s, holds in pieces if s], at=example.start - held[0][1])


def _thin(sentence: str, loss: float, rng: random.Random) -> str:
    return " ".join(word for word in re.findall(r"\S+", sentence) if rng.random() > loss)


def _joined(example: Example, pieces: Sequence[tuple[str, bool]], at: int) -> Example:
    """Join the pieces by spaces; the answer begins ``at`` characters into the piece that holds it."""
    context, start = "", -1
    for piece, holds in pieces:
        context += " " if context and not context[-1].isspace() else ""
        if holds:
            start = len(context) + at
        context += piece
    if not context:
        return example
    return Example(context, example.question, example.answer if start >= 0 else "", start, example.golds)
