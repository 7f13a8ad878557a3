"""The source of texts that nobody has: briefs from secret randomness, written out by a model."""

import asyncio
import random
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from loguru import logger

from compression_subnet.challenge.types import Article
from compression_subnet.challenge.write.brief import MAX_WORDS, MIN_WORDS, draw_brief
from compression_subnet.challenge.write.prompting import prompt_hashes
from compression_subnet.challenge.write.rephrase import RephraseRefusal, ask_facts, rephrase_questions
from compression_subnet.challenge.write.text import write_text
from compression_subnet.errors import ConfigurationError, ContentFault, InputError, ProviderFault
from compression_subnet.judge.chat import ChatModel

__all__ = ["CorpusTally", "Provenance", "WrittenArticle", "WrittenCorpus", "WrittenSettings"]

_SEED_BITS: Final = 128
_FAULTS_IN_A_ROW: Final = 3
_TRIES_AN_ARTICLE: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSettings:
    """What is written, and within which bounds.

    Attributes:
        words: least and most words of a text; a token is about three quarters of a word.
        min_questions: a text with fewer is not used.
        article_seconds: for one text with its questions, wall clock.
        parallel: texts in work at once.
        rephrase: have the model reword the questions.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    words: tuple[int, int] = (500, 1500)
    min_questions: int = 5
    article_seconds: float = 1800.0
    parallel: int = 2
    rephrase: bool = True

    def __post_init__(self) -> None:
        low, high = self.words
        if not MIN_WORDS <= low <= high <= MAX_WORDS:
            raise ConfigurationError(f"words must be two numbers from {MIN_WORDS} to {MAX_WORDS}, not {self.words}")
        if self.min_questions < 1 or self.parallel < 1 or self.article_seconds <= 0:
            raise ConfigurationError("min_questions and parallel must be at least 1, article_seconds positive")


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a text came about: secret until the text is spent, then enough to check it against its brief.

    Attributes:
        seed: of the brief and of the model's sampling.
        words: length that was drawn.
        brief_sha256: of the brief that the seed determines.
        model: the writer's name at its endpoint.
        prompts: version to SHA-256 of every prompt.
        kinds_drawn: kind of question to how many facts the brief had for it.
        kinds_kept: kind of question to how many questions there are.
        missing: facts that the text does not state.
        contradicted: facts that it puts in doubt.
        repairs: how often sections were sent back.
        discarded: fault to how many versions of sections were thrown away.
        rephrased: questions in the model's wording.
        refused_wordings: reason to how many wordings were refused.
    """

    seed: int
    words: int
    brief_sha256: str
    model: str
    prompts: Mapping[str, str]
    kinds_drawn: Mapping[str, int]
    kinds_kept: Mapping[str, int]
    missing: int
    contradicted: int
    repairs: int
    discarded: Mapping[str, int]
    rephrased: int
    refused_wordings: Mapping[RephraseRefusal, int]


@dataclass(frozen=True, slots=True)
class WrittenArticle:
    """An article that nobody else has, and how it came about."""

    article: Article
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class CorpusTally:
    """What a source has done: texts finished, and every failure by its type and reason."""

    written: int
    faults: Mapping[str, int]


class WrittenCorpus:
    """Writes articles with a model.

    Args:
        model: the writer.
        model_name: for the record.
        settings: lengths and bounds.
        draw_seed: gives the secret seeds; only tests replace it.
    """

    def __init__(
        self,
        model: ChatModel,
        model_name: str,
        settings: WrittenSettings | None = None,
        draw_seed: Callable[[], int] = lambda: secrets.randbits(_SEED_BITS),
    ):
        self._model = model
        self._model_name = model_name
        self._settings = settings or WrittenSettings()
        self._draw_seed = draw_seed
        self._faults: Counter[str] = Counter()
        self._written = 0

    @property
    def tally(self) -> CorpusTally:
        """What was written so far, and what failed."""
        return CorpusTally(self._written, dict(self._faults))

    async def articles(self, count: int, *, seconds: float) -> AsyncIterator[WrittenArticle]:
        """Yield at most ``count`` articles as they are finished, for at most ``seconds``.

        A text that fails is counted and another seed drawn. At the deadline, work under way is given up, counted, and
        the iteration ends.

        Raises:
            ProviderFault: several texts in a row failed at the provider.
            InputError: so many texts failed that this model cannot do it.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        running: set[asyncio.Task[WrittenArticle]] = set()
        finished: set[asyncio.Task[WrittenArticle]] = set()
        done = started = in_a_row = 0
        try:
            while done < count:
                while len(running) < min(self._settings.parallel, count - done):
                    if started >= _TRIES_AN_ARTICLE * count:
                        raise InputError(f"of {started} texts only {done} could be used: {self._most_frequent()}")
                    started += 1
                    running.add(asyncio.create_task(self.write(self._draw_seed())))
                finished, running = await asyncio.wait(
                    running, timeout=max(0.0, deadline - loop.time()), return_when=asyncio.FIRST_COMPLETED
                )
                if not finished:
                    self._count("deadline", f"{len(running)} texts given up")
                    return
                for task in finished:
                    try:
                        written = task.result()
                    except ProviderFault as fault:
                        in_a_row += 1
                        if in_a_row >= _FAULTS_IN_A_ROW:
                            raise ProviderFault(f"{in_a_row} texts in a row failed: {fault}") from fault
                    except (ContentFault, InputError):
                        in_a_row = 0
                    else:
                        in_a_row = 0
                        done += 1
                        yield written
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, *finished, return_exceptions=True)

    async def write(self, seed: int) -> WrittenArticle:
        """Return the article that the model makes of a seed's brief.

        Raises:
            ProviderFault: the provider failed, or the text's own deadline passed.
            ContentFault: the model gave no usable text.
            InputError: the text states too few of the brief's facts.
        """
        try:
            async with asyncio.timeout(self._settings.article_seconds):
                written = await self._write(seed)
        except TimeoutError:
            self._count("ProviderFault", "the deadline of a text passed")
            raise ProviderFault(f"a text took more than {self._settings.article_seconds:g} s") from None
        except (ProviderFault, ContentFault, InputError) as fault:
            self._count(type(fault).__name__, str(fault))
            raise
        self._written += 1
        logger.info("written {}: {}", written.article.id, written.provenance)
        return written

    async def _write(self, seed: int) -> WrittenArticle:
        words = random.Random(f"{seed}:length").randint(*self._settings.words)
        brief = draw_brief(seed, words)
        written = await write_text(self._model, brief)
        asked = ask_facts(written)
        if len(asked) < self._settings.min_questions:
            raise InputError(f"a text states too few facts of its brief (under {self._settings.min_questions})")
        questions = tuple(question for _, question in asked)
        rephrased, refused = 0, dict[RephraseRefusal, int]()
        if self._settings.rephrase:
            outcome = await rephrase_questions(self._model, asked, seed)
            questions, rephrased, refused = outcome.questions, outcome.rephrased, dict(outcome.refused)
            for fault, times in outcome.faults.items():
                self._faults[f"rephrasing: {fault}"] += times
        # Hashed: an id is seen by more than the seed may be.
        id = f"written-{blake2b(seed.to_bytes(32, 'big'), digest_size=8).hexdigest()}"
        return WrittenArticle(
            Article(id, f"{brief.subject[0].upper()}{brief.subject[1:]}", written.text, questions),
            Provenance(
                seed=seed,
                words=words,
                brief_sha256=brief.sha256,
                model=self._model_name,
                prompts=prompt_hashes(),
                kinds_drawn=dict(Counter(str(fact.kind) for fact in brief.facts)),
                kinds_kept=dict(Counter(question.kind for question in questions)),
                missing=len(written.missing),
                contradicted=len(written.contradicted),
                repairs=written.repairs,
                discarded={str(fault): n for fault, n in written.discarded.items()},
                rephrased=rephrased,
                refused_wordings=refused,
            ),
        )

    def _count(self, kind: str, reason: str) -> None:
        self._faults[f"{kind}: {reason}"] += 1
        logger.warning("writing failed: {}: {}", kind, reason)

    def _most_frequent(self) -> str:
        with suppress(IndexError):
            return f"mostly {Counter(self._faults).most_common(1)[0][0]}"
        return "no reason known"
