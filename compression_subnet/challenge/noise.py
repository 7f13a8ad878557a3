"""Choosing noise: sentences of other articles, as long as the base's own, that answer no question."""

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from compression_subnet.challenge.admission import reveals, token_string
from compression_subnet.challenge.excerpt import Excerpt
from compression_subnet.challenge.pool import SentencePool, nearest_of
from compression_subnet.challenge.typography import clash, habits, shape
from compression_subnet.errors import ConfigurationError

__all__ = ["Candidates", "NoiseSettings", "candidates_of", "draw_noise", "draw_share"]

# Noise is at most this much shorter or longer than a sentence of the base that was drawn as its model.
_SIMILAR = (0.75, 1.33)
# A sentence that only continues a block may vary as the base's sentences do, and a little more.
_WITHIN = (0.6, 1.6)
_TRIES = 12
# Sentences that share no word with a base have more names than others: of so many, the one is taken whose
# typographic shape is most like its model's. More would all be of one shape.
_COMPARED = 3

_Shape = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseSettings:
    """How much noise there is, of what kind and in what pieces.

    Attributes:
        share: least and most noise, as a share of the base's number of sentences; equal to fix it.
        clean: probability of no noise at all.
        near: probability that a piece comes from the sentences most similar to the base, not from any.
        block: probability that a piece is a block of consecutive sentences, not a single one.
        max_block: most sentences in a block.
        candidates: how many of the most similar sentences near noise is drawn from.
        far: share of all sentences, the least similar ones, that other noise is drawn from.
        misses: most of the noise that are near misses, where some were written for the text.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    share: tuple[float, float] = (0.0, 1.0)
    clean: float = 0.1
    near: float = 0.5
    block: float = 0.3
    max_block: int = 6
    candidates: int = 200
    far: float = 0.2
    misses: float = 0.25

    def __post_init__(self) -> None:
        low, high = self.share
        if not 0 <= low <= high:
            raise ConfigurationError(f"noise share {self.share} must be two numbers from 0 up, the least first")
        for name in ("clean", "near", "block", "misses"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigurationError(f"noise {name} is {getattr(self, name)}; a probability is from 0 to 1")
        if self.max_block < 2 or self.candidates < 1:
            raise ConfigurationError("noise max_block must be at least 2, and candidates at least 1")
        if not 0 < self.far <= 1:
            raise ConfigurationError(f"noise far is {self.far}; it is a share of the sentences, above 0 and at most 1")


@dataclass(frozen=True, slots=True)
class Candidates:
    """What noise for one excerpt is drawn from; the same for every challenge of it.

    Attributes:
        near: the most similar sentences of other articles, nearest first.
        far: for each sentence, whether it is among the least similar ones.
        apart: for each sentence, whether it may go on with a block of far noise: twice as many as ``far``.
        lengths: of the excerpt's sentences, in characters.
        shapes: of the excerpt's sentences, a row each.
        golds: what noise must not hold, as ``token_string`` gives it.
    """

    near: list[int]
    far: npt.NDArray[np.bool_]
    apart: npt.NDArray[np.bool_]
    lengths: list[int]
    shapes: npt.NDArray[np.int64]
    golds: tuple[str, ...]


def draw_share(settings: NoiseSettings, rng: random.Random) -> float:
    """Return the noise of one challenge, as a share of the base's number of sentences."""
    clean, share = rng.random() < settings.clean, rng.uniform(*settings.share)
    return 0.0 if clean else share


def candidates_of(excerpt: Excerpt, pool: SentencePool, settings: NoiseSettings) -> Candidates:
    """Return what noise for the excerpt is drawn from."""
    scores = pool.similarities(excerpt.text)
    first, last = pool.of_article(excerpt.article_id)
    others = np.concatenate((scores[:first], scores[last:]))
    far, apart = (scores <= _quantile(others, share) for share in (settings.far, min(1.0, 2 * settings.far)))
    scores[first:last] = 0
    sentences = [s.of(excerpt.text) for s in excerpt.sentences]
    return Candidates(
        near=nearest_of(scores, settings.candidates),
        far=far,
        apart=apart,
        lengths=[len(s) for s in sentences],
        shapes=np.array([shape(s) for s in sentences], dtype=np.int64).reshape(-1, len(shape(""))),
        golds=tuple(dict.fromkeys(token_string(gold) for q in excerpt.questions for gold in q.gold)),
    )


def _quantile(scores: npt.NDArray[np.int64], share: float) -> int:
    place = int(share * len(scores))
    return int(np.partition(scores, place)[place]) if place < len(scores) else int(scores.max(initial=0))


def draw_noise(
    excerpt: Excerpt,
    pool: SentencePool,
    candidates: Candidates,
    count: int,
    settings: NoiseSettings,
    rng: random.Random,
    spent: Collection[int] = (),
) -> list[list[int]]:
    """Return ``count`` noise sentences as pieces: each a single sentence or a block of consecutive ones.

    None is of the excerpt's own article, occurs in it, is typed in another habit, holds a gold answer of any of its
    questions (token by token, across a block's joints too), is among ``spent``, or is used twice. There are fewer
    than ``count`` where the pool has no more that are admissible.

    Args:
        excerpt: the base.
        pool: all sentences.
        candidates: what to draw it from; where that is used up, any sentence.
        count: how many sentences.
        settings: kinds and pieces.
        rng: source of every choice.
        spent: indices not to be used.
    """
    if not excerpt.sentences:
        return []
    lengths = candidates.lengths
    chooser = _Chooser(excerpt, pool, candidates, set(spent))
    bounds = (min(lengths) * _WITHIN[0], max(lengths) * _WITHIN[1])
    pieces: list[list[int]] = []
    while count > 0:
        size = rng.randint(2, settings.max_block) if rng.random() < settings.block else 1
        model = rng.randrange(len(lengths))
        length, like = lengths[model], candidates.shapes[model]
        first = chooser.near(length, rng) if rng.random() < settings.near else None
        is_far = first is None
        if first is None:
            first = chooser.far(length, like, rng)
        if first is None:
            break
        piece = chooser.extend(first, min(size, count), bounds, is_far)
        pieces.append(piece)
        count -= len(piece)
    return pieces


class _Chooser:
    """What is still admissible for one excerpt."""

    def __init__(self, excerpt: Excerpt, pool: SentencePool, candidates: Candidates, used: set[int]):
        self._text = excerpt.text
        self._habits = habits(excerpt.text)
        self._own = pool.of_article(excerpt.article_id)
        self._pool = pool
        self._candidates = candidates
        self._golds = candidates.golds
        self._used = used

    def near(self, length: int, rng: random.Random) -> int | None:
        """Return an admissible near sentence of about ``length`` characters."""
        low, high = length * _SIMILAR[0], length * _SIMILAR[1]
        fitting = [i for i in self._candidates.near if i not in self._used and low <= self._pool.lengths[i] <= high]
        # A shuffle (Fisher and Yates) that goes no further than the first that is admissible.
        while fitting:
            last = rng.randrange(len(fitting))
            fitting[last], fitting[-1] = fitting[-1], fitting[last]
            if self._admits(index := fitting.pop()):
                return index
        return None

    def far(self, length: int, like: _Shape, rng: random.Random) -> int | None:
        """Return an admissible far sentence of about ``length`` characters, of a shape like that given.

        Where there is none, it is any admissible sentence, one closest in length.
        """
        window = self._pool.of_length(length * _SIMILAR[0], length * _SIMILAR[1])
        for choice in (window[self._candidates.far[window]], window[self._candidates.apart[window]], window):
            for _ in range(_TRIES if len(choice) else 0):
                some = [int(choice[rng.randrange(len(choice))]) for _ in range(_COMPARED)]
                if (index := self._most_alike(some, like)) is not None:
                    return index
        # Rare: little of this length is left, so every sentence is looked at.
        return next((i for i in self._pool.by_length(length) if self._admits(i)), None)

    def _most_alike(self, indices: Sequence[int], like: _Shape) -> int | None:
        """Return the admissible one whose shape is most like that given."""
        distances = np.abs(self._pool.shapes[list(indices)] - like).sum(axis=1)
        order = np.argsort(distances, kind="stable").tolist()
        return next((indices[i] for i in order if self._admits(indices[i])), None)

    def extend(self, first: int, size: int, bounds: tuple[float, float], is_far: bool) -> list[int]:
        """Return up to ``size`` consecutive admissible sentences from ``first`` on, and mark them as used."""
        piece, pool = [first], self._pool
        self._used.add(first)
        while len(piece) < size and pool.continues[piece[-1]]:
            following = piece[-1] + 1
            # No answer may arise where two sentences meet either.
            joined = pool.tokens[piece[-1]] + pool.tokens[following].lstrip()
            fits = bounds[0] <= pool.lengths[following] <= bounds[1]
            fits = fits and (not is_far or bool(self._candidates.apart[following]))
            if not fits or not self._admits(following) or reveals(joined, self._golds):
                break
            piece.append(following)
            self._used.add(following)
        return piece

    def _admits(self, index: int) -> bool:
        return (
            index not in self._used
            and not self._own[0] <= index < self._own[1]
            and not reveals(self._pool.tokens[index], self._golds)
            and not clash(self._pool.habits[index], self._habits)
            and self._pool.texts[index] not in self._text
        )
