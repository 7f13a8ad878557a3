"""From the record alone, with no model: the same verdicts, answers and scores, equal and not close."""

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from validator_fakes import SENTENCES, ContainmentJudge, ScriptedDendrite, challenge, keep_first

from compression_subnet.chain.port import Axon
from compression_subnet.errors import StoreError
from compression_subnet.judge.cache import AnswerCache, CachedAnswerer
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Failure, Target
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rescoring.replay import replay_round
from compression_subnet.validator.rewarding.rewards import updated_averages
from compression_subnet.validator.rounds.results import Assignment, RoundResult
from compression_subnet.validator.rounds.round import Round, RoundSettings

MINERS = {
    "five": keep_first(5),
    "two": keep_first(2),
    "same": keep_first(2),
    "odd": lambda _: "Ada Renn \ud800 led it\u200b with a crew.",
    "head": lambda text: text[: len(text) // 3],
    "whole": lambda text: text,
    "gone": Failure.STATUS,
    "late": Failure.TIMEOUT,
}


class FickleJudge(ContainmentJudge):
    """Says something else each time that it is asked, some of it partly right; fails on one text."""

    def __init__(self) -> None:
        def fault(text: str, question: str) -> AnswerStatus:
            if text == " ".join(SENTENCES) and question.startswith("Who"):
                return AnswerStatus.PROVIDER_FAULT
            return AnswerStatus.CONTENT_FAULT if text[-5:] == "crew." and "boat" in question else AnswerStatus.ANSWERED

        super().__init__(fault)
        self.rng = random.Random(3)

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        extra = ["", " of the survey", " barges", " elsewhere entirely"]
        return [
            replace(a, text=a.text + self.rng.choice(extra)) if a.text else a
            for a in await super().answer(text, questions)
        ]


async def recorded(path: Path, cache: Path) -> tuple[int, RoundResult]:
    with Store(path) as store, AnswerCache(cache) as answers:
        judge = FickleJudge()
        round_ = Round(
            ScriptedDendrite(MINERS),  # type: ignore[arg-type]
            judge,
            get_tokenizer(),
            random.Random(0),
            RoundSettings(deadline=1, concurrency=4, parallel=2),
            replies=CachedAnswerer(judge, answers, "profile"),
        )
        number = store.begin_round(7, "profile", 4)
        assignments = [Assignment(replace(challenge(), id=f"c{i}"), (20, 40, 60)[i % 3]) for i in range(4)]
        targets = [Target(hotkey, Axon("127.0.0.2", 1)) for hotkey in MINERS]
        return number, await round_.run(assignments, targets, lambda one: store.add(number, one))


async def test_a_rounds_scores_are_recomputed_from_its_record_equal(tmp_path: Path) -> None:
    number, result = await recorded(tmp_path / "v.sqlite", tmp_path / "a.sqlite")
    with open_record(tmp_path / "v.sqlite") as record:
        again = await replay_round(record, number, get_tokenizer())
        written = {one.challenge.id: one.scores for one in record.challenges(number)}
    assert len(again.challenges) == 4
    seen: set[Fraction | None] = set()
    for one, anew in zip(result.challenges, again.challenges, strict=True):
        scores = {m.hotkey: m.score for m in anew.miners}
        assert scores == {m.hotkey: m.score for m in one.miners} == written[one.assignment.challenge.id]
        assert {m.hotkey: m.compliance for m in anew.miners} == {m.hotkey: m.compliance for m in one.miners}
        assert anew.controls == one.controls
        assert dict(anew.scores()) == dict(one.scores())
        seen |= set(scores.values())
    assert None in seen and len(seen) > 4  # unscored ones, and partly right ones
    assert updated_averages({}, again, MINERS.keys(), 7, 0.85) == updated_averages({}, result, MINERS.keys(), 7, 0.85)


async def test_a_record_that_lacks_answers_says_so(tmp_path: Path) -> None:
    number, _ = await recorded(tmp_path / "v.sqlite", tmp_path / "a.sqlite")
    with Store(tmp_path / "v.sqlite") as store:
        store._db.execute("DELETE FROM answers WHERE party = 'two'")
        store._db.execute("DELETE FROM answers WHERE party = 'control:floor'")
        with pytest.raises(StoreError, match="lacks answers"):
            await replay_round(store.read, number, get_tokenizer())
