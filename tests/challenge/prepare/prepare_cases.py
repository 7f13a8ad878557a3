"""A whole supply over scripted models: from an origin through the steps to a pool in a file."""

import asyncio
import contextlib
import random
import re
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

from challenge_strategies import article
from writer_provider import WritingProvider, diligent, items, lines_in

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.made import Recipe
from compression_subnet.challenge.prepare import ArticleStep, Draft, Origin, Preparer
from compression_subnet.challenge.prepare.batches import BatchBuilder
from compression_subnet.challenge.store import ChallengeStore
from compression_subnet.challenge.types import Article, Challenge
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.tokens import get_tokenizer
from compression_subnet.validator.rounds.supply import Supply

RECIPE = Recipe("settings", "judge")
SIZE = (150, 1200)
BUILD = ChallengeSettings(min_tokens=SIZE[0], max_tokens=SIZE[1], min_questions=3, single_use=True)
TOKENIZER = get_tokenizer()


def long_article(number: int) -> Article:
    """Return an article of a few hundred tokens that shares no sentence with those of other numbers."""
    return article(f"a{number}", random.Random(f"{number}:long"), 10)


def able(version: str, user: str) -> Any:
    """Write whatever is asked for."""
    if version == "near-miss-v1":
        listed = user.partition("Questions that")[0]
        return items([_miss(line, number) for number, line in enumerate(lines_in(listed))])
    if version == "questions-v1":
        part = user.rpartition("<<< ")[2].partition("\n")[2].rpartition("\n")[0].rpartition("\n")[0]
        return {"questions": [q for start, end in split_sentences(part) if (q := _question(part[start:end].strip()))]}
    return diligent(version, user)


def _miss(like: str, number: int) -> str:
    name = "".join(chr(ord("a") + int(digit)) for digit in str(random.Random(f"{number}{like}").getrandbits(40)))
    said = f"Far off at Lake Ussen one {name} said: "
    while len(said) < 0.9 * len(like):
        said += "and so on, "
    return said.rstrip(" ,:") + "."


def _question(sentence: str) -> dict[str, Any] | None:
    words = re.findall(r"[a-z]{4,}", sentence)
    if len(words) < 6 or words[-1] in words[:-1]:
        return None
    return {
        "question": f"Who met the {' '.join(words[:-1])}?",
        "gold": [words[-1]],
        "evidence": sentence,
        "kind": "who",
    }


class ReadingJudge:
    """Answers what it was taught, where the answer stands in the text; down while told so."""

    def __init__(self) -> None:
        self.golds: dict[str, str] = {}
        self.down = False

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        if self.down:
            return [Answer(AnswerStatus.PROVIDER_FAULT, detail="HTTP 503") for _ in questions]
        said = [self.golds.get(question, "") for question in questions]
        return [Answer(AnswerStatus.ANSWERED, gold if gold in text else "") for gold in said]


class Bench:
    """A supply and what it is made of."""

    def __init__(self, store: ChallengeStore, preparer: Preparer, judge: ReadingJudge, supply: Supply):
        self.store = store
        self.preparer = preparer
        self.judge = judge
        self.supply = supply


class _Taught:
    def __init__(self, builder: BatchBuilder, judge: ReadingJudge):
        self._builder = builder
        self._judge = judge

    async def build(self, n_questions: int) -> Challenge:
        challenge = await self._builder.build(n_questions)
        self._judge.golds.update({q.text: q.gold[0] for q in challenge.questions})
        return challenge


async def no_sleep(_: float) -> None:
    """Let the others run, and wait no longer."""
    await asyncio.sleep(0)


@asynccontextmanager
async def bench(
    path: Path,
    origin_of: Any,
    steps: Sequence[ArticleStep],
    *,
    batch: int = 3,
    ready: int = 0,
    judge: ReadingJudge | None = None,
    sleep: Any = no_sleep,
    build: ChallengeSettings = BUILD,
) -> AsyncIterator[Bench]:
    """Give a supply over the pool in ``path``; ``origin_of`` makes the origin of the pool's shelf."""
    judge = judge or ReadingJudge()
    rng = random.SystemRandom()

    def builder_of(drafts: Sequence[Draft]) -> ChallengeBuilder:
        misses = {d.article.id: d.misses for d in drafts}
        return ChallengeBuilder([d.article for d in drafts], TOKENIZER, build, rng, store, misses)

    async with contextlib.AsyncExitStack() as stack:
        store = stack.enter_context(ChallengeStore(path, RECIPE))
        shelf = store.shelf()
        origin: Origin = origin_of(shelf)
        preparer = await stack.enter_async_context(Preparer(origin, steps, shelf, ahead=batch, sleep=sleep))
        builder = _Taught(BatchBuilder(preparer, builder_of, least=batch), judge)
        numbers = {"questions": 5, "min_questions": 2, "candidates": 12, "parallel": 2}
        supply = await stack.enter_async_context(Supply(builder, judge, store, ready=ready, sleep=sleep, **numbers))
        yield Bench(store, preparer, judge, supply)


def provider(script: Any = able) -> WritingProvider:
    """Return a provider that plays ``script``."""
    return WritingProvider(script)


def rows(path: Path, query: str) -> list[Any]:
    """Return what a query finds in the pool's file."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute(query).fetchall()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, without the white space around them."""
    return [text[start:end].strip() for start, end in split_sentences(text)]


def noise_of(challenge: Challenge) -> list[str]:
    """Return a challenge's noise sentences."""
    return [span.of(challenge.text).strip() for span in challenge.noise]


def article_of(challenge: Challenge) -> str:
    """Return the id of the article that a challenge was made of."""
    return challenge.source.partition("[")[0]
