"""Choosing noise: sentences of other articles, as long as the base's own, that answer no question."""

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from compression_subnet.challenge.admission import reveals, token_string
from compression_subnet.challenge.excerpt import Excerpt
from compression_subnet.challenge.pool import SentencePool
from compression_subnet.challenge.typography import clash, habits
from compression_subnet.errors import ConfigurationError

__all__ = ["NoiseSettings", "draw_noise", "draw_share", "near_candidates"]

# Noise is at most this much shorter or longer than a sentence of the base that was drawn as its model.
_SIMILAR = (0.75, 1.33)
# A sentence that only continues a block may vary as the base's sentences do, and a little more.
_WITHIN = (0.6, 1.6)
_TRIES = 24


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

    Raises:
        ConfigurationError: a value is out of its range.
    """

    share: tuple[float, float] = (0.0, 1.0)
    clean: float = 0.1
    near: float = 0.5
    block: float = 0.3
    max_block: int = 6
    candidates: int = 200

    def __post_init__(self) -> None:
        low, high = self.share
        if not 0 <= low <= high:
            raise ConfigurationError(f"noise share {self.share} must be two numbers from 0 up, the least first")
        for name in ("clean", "near", "block"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigurationError(f"noise {name} is {getattr(self, name)}; a probability is from 0 to 1")
        if self.max_block < 2 or self.candidates < 1:
            raise ConfigurationError("noise max_block must be at least 2, and candidates at least 1")


def draw_share(settings: NoiseSettings, rng: random.Random) -> float:
    """Return the noise of one challenge, as a share of the base's number of sentences."""
    clean, share = rng.random() < settings.clean, rng.uniform(*settings.share)
    return 0.0 if clean else share


def near_candidates(excerpt: Excerpt, pool: SentencePool, settings: NoiseSettings) -> list[int]:
    """Return the sentences of other articles that are most similar to the excerpt; the same for every challenge."""
    return pool.nearest(excerpt.text, settings.candidates, excluded=pool.of_article(excerpt.article_id))


def draw_noise(
    excerpt: Excerpt,
    pool: SentencePool,
    near: Sequence[int],
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
        near: indices to draw near noise from.
        count: how many sentences.
        settings: kinds and pieces.
        rng: source of every choice.
        spent: indices not to be used.
    """
    if not excerpt.sentences:
        return []
    lengths = [s.end - s.start for s in excerpt.sentences]
    golds = {token_string(gold) for question in excerpt.questions for gold in question.gold}
    chooser = _Chooser(excerpt, pool, golds, set(spent))
    bounds = (min(lengths) * _WITHIN[0], max(lengths) * _WITHIN[1])
    pieces: list[list[int]] = []
    while count > 0:
        size = rng.randint(2, settings.max_block) if rng.random() < settings.block else 1
        length = rng.choice(lengths)
        first = chooser.near(near, length, rng) if rng.random() < settings.near else None
        if first is None:
            first = chooser.far(length, rng)
        if first is None:
            break
        piece = chooser.extend(first, min(size, count), bounds)
        pieces.append(piece)
        count -= len(piece)
    return pieces


class _Chooser:
    """What is still admissible for one excerpt."""

    def __init__(self, excerpt: Excerpt, pool: SentencePool, golds: Iterable[str], used: set[int]):
        self._text = excerpt.text
        self._habits = habits(excerpt.text)
        self._own = pool.of_article(excerpt.article_id)
        self._pool = pool
        self._golds = tuple(golds)
        self._used = used

    def near(self, candidates: Sequence[int], length: int, rng: random.Random) -> int | None:
        """Return an admissible one of ``candidates`` that is about ``length`` characters long."""
        low, high = length * _SIMILAR[0], length * _SIMILAR[1]
        fitting = [i for i in candidates if i not in self._used and low <= self._pool.lengths[i] <= high]
        # A shuffle (Fisher and Yates) that goes no further than the first that is admissible.
        while fitting:
            last = rng.randrange(len(fitting))
            fitting[last], fitting[-1] = fitting[-1], fitting[last]
            if self._admits(index := fitting.pop()):
                return index
        return None

    def far(self, length: int, rng: random.Random) -> int | None:
        """Return any admissible sentence of about ``length`` characters, or else the closest in length."""
        window = self._pool.of_length(length * _SIMILAR[0], length * _SIMILAR[1])
        for _ in range(_TRIES if len(window) else 0):
            index = int(window[rng.randrange(len(window))])
            if self._admits(index):
                return index
        # Rare: little of this length is left, so every sentence is looked at.
        return next((i for i in self._pool.by_length(length) if self._admits(i)), None)

    def extend(self, first: int, size: int, bounds: tuple[float, float]) -> list[int]:
        """Return up to ``size`` consecutive admissible sentences from ``first`` on, and mark them as used."""
        piece, pool = [first], self._pool
        self._used.add(first)
        while len(piece) < size and pool.continues[piece[-1]]:
            following = piece[-1] + 1
            # No answer may arise where two sentences meet either.
            joined = pool.tokens[piece[-1]] + pool.tokens[following].lstrip()
            fits = bounds[0] <= pool.lengths[following] <= bounds[1]
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
