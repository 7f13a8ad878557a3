"""From texts to a filled pool, over scripted models: written, rewritten, restarted, down and back; nothing twice."""

import contextlib
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prepare_cases import (
    SIZE,
    TOKENIZER,
    ReadingJudge,
    able,
    article_of,
    bench,
    long_article,
    no_sleep,
    noise_of,
    provider,
    rows,
    sentences,
)

from compression_subnet.challenge.prepare import ArticleStep, Draft
from compression_subnet.challenge.prepare.origins import CorpusOrigin, WrittenOrigin
from compression_subnet.challenge.prepare.steps import (
    AddNearMisses,
    AskQuestions,
    DropQuestions,
    Fit,
    Paraphrase,
    Rewrite,
)
from compression_subnet.challenge.types import Challenge
from compression_subnet.challenge.write import WrittenCorpus, WrittenSettings
from compression_subnet.errors import InputError, ProviderFault
from compression_subnet.judge.chat import ChatModel

SHORT = WrittenSettings(words=(300, 400), min_questions=3)
FIT = Fit(TOKENIZER, *SIZE, min_questions=3)


def corpus(numbers: Sequence[int], seed: int = 1, name: str = "jsonl:texts") -> Any:
    return lambda shelf: CorpusOrigin([long_article(n) for n in numbers], name, shelf, random.Random(seed))


def disguise(model: ChatModel) -> list[ArticleStep]:
    return [Rewrite(), Paraphrase(model), FIT]


def assert_nothing_twice(challenges: Sequence[Challenge]) -> None:
    base = Counter(s for c in challenges for s in set(sentences(c.base_text)))
    noise = Counter(s for c in challenges for s in noise_of(c))
    # The scripted writer has few fillers, so a sentence may come about twice; a text may not.
    assert all(10 * sum(base[s] > 1 for s in sentences(c.base_text)) < len(sentences(c.base_text)) for c in challenges)
    assert max(noise.values(), default=1) == 1
    assert len({c.id for c in challenges}) == len({c.source for c in challenges}) == len(challenges)


async def test_a_pool_is_filled_with_texts_that_nobody_has_and_their_seeds_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "pool.sqlite"
    async with provider().model() as model:
        written = WrittenCorpus(model, "scripted", SHORT)
        async with bench(path, lambda shelf: WrittenOrigin(written), [FIT]) as b:
            drawn = await b.supply.draw(7)
    assert_nothing_twice(drawn)
    assert {article_of(c).partition("-")[0] for c in drawn} == {"written"}
    kept = {id: json.loads(text)["written"] for id, text in rows(path, "SELECT id, provenance FROM articles")}
    assert all(kept[article_of(c)]["seed"] > 2**64 for c in drawn)
    assert len({facts["seed"] for facts in kept.values()}) == len(kept)


async def test_texts_that_exist_are_served_in_other_words_and_names_once_each_over_restarts(tmp_path: Path) -> None:
    path = tmp_path / "pool.sqlite"
    drawn: list[Challenge] = []
    for run in range(5):  # each in an order of its own
        async with provider().model() as model, bench(path, corpus(range(12), run), disguise(model)) as b:
            with contextlib.suppress(InputError):  # at the end
                while len(drawn) < 3 * (run + 1):
                    drawn += await b.supply.draw(1)
    served = Counter(article_of(c) for c in drawn)
    # One may be left that has no other for its noise.
    assert len(served) >= 11 and set(served) <= {f"a{n}" for n in range(12)}
    assert max(served.values()) == 1
    assert_nothing_twice(drawn)
    originals = {s for n in range(12) for s in sentences(long_article(n).text)}
    shown = [s for c in drawn for s in [*sentences(c.base_text), *noise_of(c)]]
    assert sum(s in originals for s in shown) < 0.1 * len(shown)
    provenance = [json.loads(row[0]) for row in rows(path, "SELECT provenance FROM articles")]
    assert len({facts["rewritten"]["seed"] for facts in provenance}) == 12
    assert all(facts["paraphrased"]["accepted"] > 0 for facts in provenance)


async def test_the_same_texts_under_another_name_or_seed_are_not_prepared_again(tmp_path: Path) -> None:
    path = tmp_path / "pool.sqlite"
    for name in ("jsonl:texts", "jsonl:copy", "folder:texts"):
        async with bench(path, corpus(range(3), name=name), [Rewrite(), FIT]) as b:
            if name == "jsonl:texts":
                assert len(await b.supply.draw(3)) == 3
            else:
                with pytest.raises(InputError, match="used once"):
                    await b.supply.draw(1)


async def test_texts_once_asked_as_they_are_do_not_come_back_rewritten(tmp_path: Path) -> None:
    path = tmp_path / "pool.sqlite"
    async with bench(path, corpus(range(3)), [FIT]) as b:
        await b.supply.draw(3)
    async with bench(path, corpus(range(3), name="another"), [Rewrite(), FIT]) as b:
        with pytest.raises(InputError, match="used once"):
            await b.supply.draw(1)


async def test_articles_prepared_and_not_yet_used_outlast_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "pool.sqlite"
    async with provider().model() as model, bench(path, corpus(range(3)), disguise(model)) as b:
        await b.supply.draw(1)
    silent = provider(lambda version, user: AssertionError("nothing is to be written"))
    async with silent.model() as model, bench(path, corpus(range(3)), disguise(model)) as b:
        drawn = await b.supply.draw(2)
    assert len({c.source for c in drawn}) == 2
    assert silent.asked == []


async def test_a_provider_that_is_down_is_spared_and_what_was_done_is_not_done_again(tmp_path: Path) -> None:
    down, pauses, rewrites = True, [], 0

    async def sleep(seconds: float) -> None:
        nonlocal down
        pauses.append(seconds)
        down = len(pauses) < 8
        await no_sleep(seconds)

    def draw_seed() -> int:
        nonlocal rewrites
        rewrites += 1
        return rewrites

    def script(version: str, user: str) -> Any:
        return httpx2.Response(503) if down else able(version, user)

    async with provider(script).model() as model:
        steps = [Rewrite(draw_seed), Paraphrase(model), FIT]
        async with bench(tmp_path / "pool.sqlite", corpus(range(6)), steps, sleep=sleep) as b:
            with pytest.raises(ProviderFault):
                await b.supply.draw(3)
            drawn: list[Challenge] = []
            while not drawn:
                with contextlib.suppress(ProviderFault):
                    drawn = await b.supply.draw(3)
            assert_nothing_twice(drawn)
            assert b.preparer.faults["ProviderFault: HTTP 503"] >= 8
        assert rewrites <= 6
    assert pauses[:3] == [2.0, 4.0, 8.0] and max(pauses) <= 300.0


async def test_a_judge_that_is_down_costs_no_text(tmp_path: Path) -> None:
    judge = ReadingJudge()
    async with bench(tmp_path / "pool.sqlite", corpus(range(3)), [FIT], judge=judge) as b:
        judge.down = True
        for _ in range(4):
            with pytest.raises(ProviderFault):
                await b.supply.draw(3)
        judge.down = False
        assert len(await b.supply.draw(3)) == 3


async def test_an_article_that_cannot_be_used_is_counted_and_the_others_are_served(tmp_path: Path) -> None:
    class Refusing:
        async def __call__(self, draft: Draft) -> Draft:
            if draft.article.id in ("a1", "a4"):
                raise InputError("of no use")
            return draft

    async with bench(tmp_path / "pool.sqlite", corpus(range(6)), [Refusing(), FIT], batch=4) as b:
        drawn = await b.supply.draw(4)
        assert {article_of(c) for c in drawn} == {"a0", "a2", "a3", "a5"}
        assert b.preparer.faults == {"InputError: of no use": 2}


async def test_a_model_that_never_writes_anything_of_use_is_not_paid_for_ever(tmp_path: Path) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        await no_sleep(seconds)

    useless = provider(lambda version, user: "No.")
    async with useless.model() as model:
        written = WrittenCorpus(model, "scripted", SHORT)
        async with bench(tmp_path / "pool.sqlite", lambda shelf: WrittenOrigin(written), [FIT], sleep=sleep) as b:
            with pytest.raises(InputError, match="none can be used"):
                await b.supply.draw(1)
    assert pauses == sorted(pauses)


async def test_a_defect_of_a_step_is_not_passed_over(tmp_path: Path) -> None:
    class Broken:
        async def __call__(self, draft: Draft) -> Draft:
            raise ZeroDivisionError

    async with bench(tmp_path / "pool.sqlite", corpus(range(3)), [Broken()]) as b:
        with pytest.raises(BaseException) as caught:
            await b.supply.draw(1)
    assert "ZeroDivisionError" in repr(caught.value)


async def test_questions_are_asked_afresh_and_none_of_the_sources_is_left(tmp_path: Path) -> None:
    async with provider().model() as model:
        ask = AskQuestions(model, TOKENIZER, *SIZE, per_text=12, least=3)
        async with bench(tmp_path / "pool.sqlite", corpus(range(3)), [DropQuestions(), ask, FIT]) as b:
            drawn = await b.supply.draw(3)
    asked = {q.text for c in drawn for q in c.questions}
    assert asked and not asked & {q.text for n in range(3) for q in long_article(n).questions}


async def test_a_source_with_questions_is_not_asked_more() -> None:
    silent = provider(lambda version, user: AssertionError(version))
    draft = Draft(long_article(1), "jsonl:texts#a1", long_article(1).text)
    async with silent.model() as model:
        assert await AskQuestions(model, TOKENIZER, *SIZE, per_text=12, least=3)(draft) is draft


async def test_near_misses_are_noise_beside_the_others_and_none_comes_twice(tmp_path: Path) -> None:
    async with provider().model() as model:
        steps = [FIT, AddNearMisses(model, ReadingJudge())]
        async with bench(tmp_path / "pool.sqlite", corpus(range(12)), steps, batch=6) as b:
            drawn = await b.supply.draw(12)
    assert_nothing_twice(drawn)
    misses = [s for c in drawn for s in noise_of(c) if "Lake Ussen" in s]
    others = [s for c in drawn for s in noise_of(c) if "Lake Ussen" not in s]
    assert misses and len(misses) < len(others)
    for c in drawn:
        left, done = "", 0
        for span in c.noise:
            left, done = left + c.text[done : span.start], span.end
        assert left + c.text[done:] == c.base_text
