"""Building challenges: excerpt, noise, questions."""

import hashlib
import random
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from compression_subnet.challenge.excerpt import Excerpt, cut
from compression_subnet.challenge.noise import Candidates, NoiseSettings, candidates_of, draw_noise, draw_share
from compression_subnet.challenge.pool import SentencePool
from compression_subnet.challenge.spread import spread_questions
from compression_subnet.challenge.types import Article, Challenge
from compression_subnet.challenge.typography import clash, habits
from compression_subnet.challenge.weave import weave
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.text.tokens import Tokenizer

__all__ = ["ChallengeBuilder", "ChallengeSettings", "Used"]

# The record keeps a seed as a signed 64-bit integer.
_SEED_BITS = 63
# Excerpts whose noise candidates are kept: all of a small corpus, whose excerpts come back.
_REMEMBERED = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeSettings:
    """What a challenge is made of.

    Attributes:
        min_tokens: least tokens of a base text.
        max_tokens: most tokens of a base text.
        questions_per_challenge: most questions of a challenge.
        min_questions: questions that an excerpt must have to be used at all.
        noise: how much noise, and which.
        single_use: whether no base text and no noise sentence is used twice, as on a network.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    min_tokens: int = 600
    max_tokens: int = 2500
    questions_per_challenge: int = 5
    min_questions: int = 1
    noise: NoiseSettings = field(default_factory=NoiseSettings)
    single_use: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.min_tokens <= self.max_tokens:
            raise ConfigurationError(
                f"min_tokens {self.min_tokens} and max_tokens {self.max_tokens} must be at least 1, the least first"
            )
        if not 1 <= self.min_questions <= self.questions_per_challenge:
            raise ConfigurationError(
                f"min_questions {self.min_questions} must be from 1 to questions_per_challenge "
                f"({self.questions_per_challenge})"
            )


class Used(Protocol):
    """What other builders used before this one, such as those of earlier runs."""

    def as_base(self, sentence: str) -> bool:
        """Whether the sentence stood in a base text."""

    def as_noise(self, sentence: str) -> bool:
        """Whether the sentence was noise."""


class ChallengeBuilder:
    """Makes challenges out of a corpus, which is prepared once.

    Excerpts are taken in a random order, each once before any is taken again.

    Args:
        articles: the corpus, admitted (a ``CorpusSource`` yields such).
        tokenizer: the pinned tokenizer.
        settings: what a challenge is made of.
        rng: source of ids and seeds; on a network the system's randomness, and secret.
        used: with ``single_use``, what was used before: whether a sentence stood in a base text, or was noise.
        misses: article's id to noise written for it, each sentence like some evidence of the article's.

    Raises:
        ConfigurationError: no article gives an excerpt of the wanted size, or noise has no second article to come
            from, or two articles share an id.
    """

    def __init__(
        self,
        articles: Iterable[Article],
        tokenizer: Tokenizer,
        settings: ChallengeSettings,
        rng: random.Random,
        used: Used | None = None,
        misses: Mapping[str, Sequence[str]] | None = None,
    ):
        corpus = tuple(articles)
        if len({article.id for article in corpus}) < len(corpus):
            raise ConfigurationError("two articles of the corpus share an id; give each its own")
        self._tokenizer = tokenizer
        self._settings = settings
        self._rng = rng
        self._excerpts = tuple(_usable(corpus, tokenizer, settings))
        if not self._excerpts:
            raise ConfigurationError(
                f"none of {len(corpus)} articles has an excerpt of {settings.min_tokens} to {settings.max_tokens} "
                f"tokens with at least {settings.min_questions} questions; widen the range or use other articles"
            )
        if len(corpus) < 2 and settings.noise.share[1] > 0 and settings.noise.clean < 1:
            raise ConfigurationError("noise comes from other articles; give at least two, or a noise share of 0")
        self._pool = SentencePool(corpus)
        self._candidates: OrderedDict[int, Candidates] = OrderedDict()
        self._queue: list[int] = []
        self._fresh = True
        self._spent: set[int] = set()
        self._unused = list(range(len(self._excerpts)))
        self._misses = {id: list(sentences) for id, sentences in (misses or {}).items()}
        if settings.single_use and used is not None:
            self._spent = {i for i, text in enumerate(self._pool.texts) if used.as_noise(text)}
            self._unused = [i for i in self._unused if not _was_used(self._excerpts[i], used)]
            self._misses = {id: [s for s in all if not used.as_noise(s)] for id, all in self._misses.items()}

    @property
    def excerpts(self) -> tuple[Excerpt, ...]:
        """The base texts that challenges are made of."""
        return self._excerpts

    def build(self, n_questions: int | None = None) -> Challenge:
        """Return the next challenge.

        Args:
            n_questions: most questions that it carries, ``questions_per_challenge`` by default; more, where a filter
                will choose among them.

        Raises:
            InputError: with ``single_use``, every excerpt has been used.
        """
        index = self._next_excerpt()
        seed = self._rng.getrandbits(_SEED_BITS)
        # Hashed: so many bits of a Mersenne Twister, sent in the open, would give its state and all that follows.
        id = hashlib.blake2b(self._rng.getrandbits(256).to_bytes(32, "big"), digest_size=16).hexdigest()
        return self.make(index, seed, id, n_questions)

    def make(self, index: int, seed: int, id: str, n_questions: int | None = None) -> Challenge:
        """Return the challenge that the excerpt of this index and the seed determine.

        Whoever has the corpus can so make a recorded challenge anew (with ``single_use``: from the first one on).
        """
        excerpt, pool = self._excerpts[index], self._pool
        rng = random.Random(f"{seed}:noise")
        share = draw_share(self._settings.noise, rng)
        pieces: list[list[int]] = []
        count = round(share * len(excerpt.sentences))
        misses = self._draw_misses(excerpt, count, rng)
        if count := count - len(misses):
            candidates = self._candidates_of(index)
            pieces = draw_noise(excerpt, pool, candidates, count, self._settings.noise, rng, self._spent)
            if self._settings.single_use:
                self._spent.update(i for piece in pieces for i in piece)
        woven = weave(excerpt, [*([s] for s in misses), *([pool.texts[i] for i in piece] for piece in pieces)], rng)
        n = self._settings.questions_per_challenge if n_questions is None else n_questions
        return Challenge(
            id=id,
            text=woven.text,
            n_tokens=self._tokenizer.count(woven.text) if woven.noise else excerpt.n_tokens,
            base_text=excerpt.text,
            noise=woven.noise,
            questions=spread_questions(woven.questions, n, len(woven.text), seed),
            seed=seed,
            source=f"{excerpt.article_id}[{excerpt.span.start}:{excerpt.span.end}]",
        )

    def _draw_misses(self, excerpt: Excerpt, count: int, rng: random.Random) -> list[str]:
        """Return those of the article's near misses that are among the challenge's ``count`` noise sentences."""
        own = habits(excerpt.text)
        written = self._misses.get(excerpt.article_id, [])
        fitting = [s for s in written if s not in excerpt.text and not clash(habits(s), own)]
        chosen = rng.sample(fitting, min(len(fitting), round(self._settings.noise.misses * count)))
        if chosen and self._settings.single_use:
            self._misses[excerpt.article_id] = [s for s in written if s not in chosen]
        return chosen

    def _next_excerpt(self) -> int:
        if not self._queue:
            if self._settings.single_use and not self._fresh:
                raise self._used_up()
            self._fresh = False
            self._queue = self._rng.sample(self._unused, len(self._unused))
            if not self._queue:
                raise self._used_up()
        return self._queue.pop()

    def _used_up(self) -> InputError:
        return InputError(
            f"all {len(self._excerpts)} base texts have been used once; add articles, or allow their reuse"
        )

    def _candidates_of(self, index: int) -> Candidates:
        if index not in self._candidates:
            self._candidates[index] = candidates_of(self._excerpts[index], self._pool, self._settings.noise)
            if len(self._candidates) > _REMEMBERED:
                self._candidates.popitem(last=False)
        return self._candidates[index]


def _was_used(excerpt: Excerpt, used: Used) -> bool:
    """Whether most sentences of an excerpt were used: it may have been cut in another way then."""
    return 2 * sum(used.as_base(s.of(excerpt.text)) for s in excerpt.sentences) > len(excerpt.sentences)


def _usable(corpus: Iterable[Article], tokenizer: Tokenizer, settings: ChallengeSettings) -> Iterable[Excerpt]:
    for article in corpus:
        for excerpt in cut(article, tokenizer, settings.min_tokens, settings.max_tokens):
            fits = settings.min_tokens <= excerpt.n_tokens <= settings.max_tokens
            if fits and len(excerpt.questions) >= settings.min_questions:
                yield excerpt
