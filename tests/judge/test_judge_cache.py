"""Answers that are asked once, and those that are never taken from a cache."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from compression_subnet.errors import StoreError
from compression_subnet.judge.cache import KEEP_SECONDS, AnswerCache, CachedAnswerer, JournaledAnswerer
from compression_subnet.judge.types import Answer, AnswerStatus, Usage
from compression_subnet.validator.rounds.judging import Judges

USAGE = Usage(100, 60, 2)


class EchoJudge:
    """Answers with the question and a running number, or with the status it was told."""

    def __init__(self, status: AnswerStatus = AnswerStatus.ANSWERED):
        self.status = status
        self.asked: list[tuple[str, str]] = []

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        self.asked += [(text, q) for q in questions]
        await asyncio.sleep(0)
        return [Answer(self.status, f"{q} {len(self.asked)}", usage=USAGE) for q in questions]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


async def test_a_pair_is_asked_once_and_costs_once_within_a_run_and_after_a_restart(path: Path) -> None:
    judge = EchoJudge()
    with AnswerCache(path) as cache:
        cached = CachedAnswerer(judge, cache, "profile")
        first = await cached.answer("text", ["a", "b"])
        again = await cached.answer("text", ["b", "c", "a"])
    with AnswerCache(path) as cache:
        later = await CachedAnswerer(judge, cache, "profile").answer("text", ["a", "b", "c"])
        assert cache.spent() == USAGE + USAGE + USAGE
    assert judge.asked == [("text", "a"), ("text", "b"), ("text", "c")]
    assert [a.usage for a in first] == [USAGE, USAGE]
    assert [a.usage for a in again] == [Usage(), USAGE, Usage()]
    assert [a.text for a in later] == [first[0].text, first[1].text, again[1].text]
    assert {a.usage for a in later} == {Usage()}


async def test_equal_texts_at_the_same_time_are_asked_once(path: Path) -> None:
    judge = EchoJudge()
    with AnswerCache(path) as cache:
        cached = CachedAnswerer(judge, cache, "profile")
        replies = await asyncio.gather(*(cached.answer("text", ["a", "b", "a"]) for _ in range(20)))
    assert len(judge.asked) == 2
    assert sum((a.usage for reply in replies for a in reply), Usage()) == USAGE + USAGE
    assert len({tuple(a.text for a in reply) for reply in replies}) == 1


@pytest.mark.parametrize(
    ("text", "question", "profile"), [("texts", "a", "p"), ("text", "b", "p"), ("text", "a", "q"), ("", "texta", "p")]
)
async def test_another_text_question_or_profile_is_another_answer(
    path: Path, text: str, question: str, profile: str
) -> None:
    judge = EchoJudge()
    with AnswerCache(path) as cache:
        await CachedAnswerer(judge, cache, "p").answer("text", ["a"])
        await CachedAnswerer(judge, cache, profile).answer(text, [question])
    assert len(judge.asked) == 2


async def test_a_providers_fault_is_asked_again_and_a_contents_fault_is_settled(path: Path) -> None:
    with AnswerCache(path) as cache:
        for status, times in ((AnswerStatus.PROVIDER_FAULT, 2), (AnswerStatus.CONTENT_FAULT, 1)):
            judge = EchoJudge(status)
            cached = CachedAnswerer(judge, cache, status)
            answers = [(await cached.answer("text", ["a"]))[0] for _ in range(2)]
            assert {a.status for a in answers} == {status}
            assert len(judge.asked) == times
        with pytest.raises(ValueError, match="no answer"):
            cache.keep(b"k", Answer(AnswerStatus.PROVIDER_FAULT))


async def test_a_half_character_is_kept_as_it_is(path: Path) -> None:
    class Odd(EchoJudge):
        async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
            return [Answer(AnswerStatus.ANSWERED, "\ud800 \x00 é") for _ in questions]

    with AnswerCache(path) as cache:
        cached = CachedAnswerer(Odd(), cache, "p")
        assert await cached.answer("\ud800", ["a"]) == await cached.answer("\ud800", ["a"])


async def test_old_answers_are_forgotten(path: Path) -> None:
    judge, now = EchoJudge(), 1000.0
    for later in (0, KEEP_SECONDS - 1, KEEP_SECONDS + 1):
        with AnswerCache(path, lambda later=later: now + later) as cache:  # type: ignore[misc]
            await CachedAnswerer(judge, cache, "p").answer("text", ["a"])
    assert len(judge.asked) == 2


async def test_neither_text_nor_question_is_in_the_file(path: Path) -> None:
    with AnswerCache(path) as cache:
        await CachedAnswerer(EchoJudge(), cache, "p").answer("the secret text", ["the secret question"])
    stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"secret text" not in stored


async def test_a_cache_that_breaks_costs_money_and_no_answer(path: Path) -> None:
    judge = EchoJudge()
    cache = AnswerCache(path)
    cached = CachedAnswerer(judge, cache, "p")
    await cached.answer("text", ["a"])
    cache.close()
    assert [a.status for a in await cached.answer("text", ["a"])] == [AnswerStatus.ANSWERED]
    assert len(judge.asked) == 2


def test_controls_cannot_be_given_a_cache(path: Path) -> None:
    judge = EchoJudge()
    with AnswerCache(path) as cache:
        cached = CachedAnswerer(judge, cache, "p")
        assert Judges(controls=judge, replies=cached).replies is cached
        with pytest.raises(TypeError, match="anew"):
            Judges(controls=cached, replies=cached)


async def test_a_journal_goes_on_where_a_run_was_broken_off(path: Path) -> None:
    judge = EchoJudge()
    with AnswerCache(path) as journal:
        before = await JournaledAnswerer(judge, journal, "p").answer("text", ["a"])
    with AnswerCache(path) as journal:
        after = await JournaledAnswerer(judge, journal, "p").answer("text", ["a", "b"])
    assert judge.asked == [("text", "a"), ("text", "b")]
    assert after[0].text == before[0].text


@pytest.mark.parametrize("content", [b"no database, but long enough to be read as one" * 20, b"\0" * 4096])
def test_a_file_that_is_no_cache_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"answers\.sqlite.*move it away"):
        AnswerCache(path)
    assert path.read_bytes() == content


def test_another_database_is_not_taken_for_a_cache(tmp_path: Path) -> None:
    from compression_subnet.validator.records.store import Store

    Store(tmp_path / "validator.sqlite").close()
    with pytest.raises(StoreError, match="no cache"):
        AnswerCache(tmp_path / "validator.sqlite")
    with pytest.raises(StoreError, match="cannot be opened"):
        AnswerCache(tmp_path / "nowhere" / "answers.sqlite")
