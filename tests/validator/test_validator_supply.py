import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from validator_fakes import QUESTIONS, ContainmentJudge, challenge

from compression_subnet.challenge import Challenge
from compression_subnet.challenge.made import Recipe
from compression_subnet.challenge.store import ChallengeStore
from compression_subnet.errors import InputError, ProviderFault
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.validator.rounds.supply import TRIES_A_CHALLENGE, Supply


class CountingBuilder:
    def __init__(self) -> None:
        self.built = 0

    def build(self, n_questions: int) -> Challenge:
        self.built += 1
        return replace(challenge(), id=f"c{self.built}", questions=challenge().questions[:n_questions])


def pool(path: Path | str = ":memory:", profile: str = "judge") -> ChallengeStore:
    return ChallengeStore(Path(path), Recipe("settings", profile), reuse=True)


def supply(
    judge: ContainmentJudge,
    builder: CountingBuilder,
    store: ChallengeStore,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    **changes: int,
) -> Supply:
    numbers = {"questions": 3, "min_questions": 2, "candidates": 5, "parallel": 2} | changes
    return Supply(builder, judge, store, sleep=sleep, **numbers)


async def eventually(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.001)


async def test_questions_are_filtered_and_no_more_kept_than_wanted() -> None:
    with pool() as store:
        drawn = await supply(ContainmentJudge(), CountingBuilder(), store).draw(4)
        assert len({c.id for c in drawn}) == 4
        assert {len(c.questions) for c in drawn} == {3}


async def test_a_corpus_that_its_judge_cannot_answer_ends_in_an_error_and_not_in_a_loop() -> None:
    judge = ContainmentJudge(lambda text, question: AnswerStatus.CONTENT_FAULT)
    builder = CountingBuilder()
    with pool() as store:
        with pytest.raises(InputError, match="another corpus"):
            await supply(judge, builder, store).draw(4)
        assert builder.built == 4 * TRIES_A_CHALLENGE


async def test_a_judge_that_is_down_says_nothing_about_the_questions() -> None:
    judge = ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT)
    with pool() as store, pytest.raises(ProviderFault):
        await supply(judge, CountingBuilder(), store).draw(4)


async def test_questions_answered_without_the_text_are_dropped() -> None:
    class Knowing(ContainmentJudge):
        async def answer(self, text: str, questions: list[str]):  # type: ignore[no-untyped-def, override]
            return await super().answer(text or QUESTIONS[0][1], questions)

    with pool() as store:
        drawn = await supply(Knowing(), CountingBuilder(), store, questions=5).draw(1)
        assert QUESTIONS[0][0] not in {q.text for q in drawn[0].questions}
        assert len(drawn[0].questions) == 4
        before, after = store.balance()
        assert (before, after) == ({"what": 5}, {"what": 4})


async def test_a_filled_pool_is_drawn_from_without_the_judge() -> None:
    judge, builder = ContainmentJudge(), CountingBuilder()
    with pool() as store:
        async with supply(judge, builder, store, ready=6):
            await eventually(lambda: store.ready() == 6)
        asked = len(judge.asked)
        drawn = await supply(judge, builder, store).draw(6)
        assert (len(drawn), len(judge.asked), store.ready()) == (6, asked, 0)


async def test_the_pool_is_topped_up_after_each_draw() -> None:
    with pool() as store:
        async with supply(ContainmentJudge(), CountingBuilder(), store, ready=5) as filled:
            seen: set[str] = set()
            for _ in range(4):
                seen |= {c.id for c in await filled.draw(3)}
                await eventually(lambda: store.ready() == 5)
            assert len(seen) == 12


async def test_a_draw_of_more_than_is_kept_ready_makes_the_rest() -> None:
    with pool() as store:
        async with supply(ContainmentJudge(), CountingBuilder(), store, ready=2) as filled:
            assert len(await filled.draw(9)) == 9


async def test_a_provider_that_comes_back_is_asked_again_after_a_pause() -> None:
    down = True
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        nonlocal down
        pauses.append(seconds)
        down = len(pauses) < 3

    judge = ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT if down else AnswerStatus.ANSWERED)
    with pool() as store:
        async with supply(judge, CountingBuilder(), store, sleep, ready=2):
            await eventually(lambda: store.ready() == 2)
    assert pauses == [2.0, 4.0, 8.0]


async def test_another_judge_filters_the_pool_anew_before_it_is_drawn_from(tmp_path: Path) -> None:
    file = tmp_path / "pool.sqlite"
    with pool(file) as store:
        await supply(ContainmentJudge(), CountingBuilder(), store)._fill(3)

    class Weaker(ContainmentJudge):
        """Cannot answer the first question."""

        async def answer(self, text: str, questions: list[str]):  # type: ignore[no-untyped-def, override]
            return await super().answer(text.replace(QUESTIONS[0][1], "someone"), questions)

    builder = CountingBuilder()
    with pool(file, profile="another") as store:
        assert store.ready() == 0
        drawn = await supply(Weaker(), builder, store).draw(3)
        assert builder.built == 0
        assert {c.id for c in drawn} == {"c1", "c2", "c3"}
        assert not any(q.text == QUESTIONS[0][0] for c in drawn for q in c.questions)


async def test_what_another_judge_cannot_answer_leaves_the_pool(tmp_path: Path) -> None:
    file = tmp_path / "pool.sqlite"
    with pool(file) as store:
        await supply(ContainmentJudge(), CountingBuilder(), store)._fill(2)
    with pool(file, profile="another") as store:
        nobody = ContainmentJudge(lambda text, question: AnswerStatus.CONTENT_FAULT)
        builder = CountingBuilder()
        builder.built = 100
        with pytest.raises(InputError):
            await supply(nobody, builder, store).draw(1)
        assert (store.stale(), store.ready()) == (None, 0)


async def test_no_candidate_too_many_is_made() -> None:
    builder = CountingBuilder()
    with pool() as store:
        await supply(ContainmentJudge(), builder, store, parallel=4).draw(5)
    assert builder.built == 5


async def test_a_candidate_that_the_judge_has_not_told_of_is_put_to_it_again() -> None:
    down = True
    judge = ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT if down else AnswerStatus.ANSWERED)
    builder = CountingBuilder()
    with pool() as store:
        drawing = supply(judge, builder, store)
        for _ in range(3):
            with pytest.raises(ProviderFault):
                await drawing.draw(4)
        down = False
        drawn = await drawing.draw(4)
    assert builder.built == 4
    assert {c.id for c in drawn} == {"c1", "c2", "c3", "c4"}


async def test_a_builder_may_take_its_time() -> None:
    class Slow(CountingBuilder):
        async def build(self, n_questions: int) -> Challenge:  # type: ignore[override]
            await asyncio.sleep(0)
            return super().build(n_questions)

    with pool() as store:
        assert len(await supply(ContainmentJudge(), Slow(), store).draw(3)) == 3
