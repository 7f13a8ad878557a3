"""A model asked for questions, stretch by stretch: what comes of good, malformed, lazy and hostile replies."""

import json
from typing import Any

import httpx2
import pytest
from pydantic import BaseModel
from question_offers import GOOD, SURVEY, TEXT, check, offer
from writer_provider import WritingProvider

from compression_subnet.challenge.admission import admit_question
from compression_subnet.challenge.types import Question
from compression_subnet.challenge.write.candidates import Candidates, Refusal
from compression_subnet.challenge.write.numbered import Items
from compression_subnet.challenge.write.questions import QuestionWriter, WrittenQuestions
from compression_subnet.errors import ConfigurationError, ProviderFault


async def write(reply: Any, count: int = 4, per_stretch: int = 2) -> tuple[WrittenQuestions, WritingProvider]:
    provider = WritingProvider(lambda _, user: reply(user) if callable(reply) else reply)
    async with provider.model() as model:
        return await QuestionWriter(model, per_stretch).write(TEXT, count, seed=1), provider


async def test_every_stretch_is_asked_about_and_the_balance_is_reported() -> None:
    written, provider = await write({"questions": GOOD}, count=6, per_stretch=3)
    assert len(provider.asked) == written.report.parts == 2
    assert sum(written.report.wanted.values()) == 6
    assert sum(written.report.offered.values()) == 2 * len(GOOD)
    assert sum(written.report.kept.values()) == len(written.questions) == 5
    assert sum(written.report.kept_by_part) == 5
    assert all(n > 0 for n in written.report.kept_by_part)
    assert written.report.refused[Refusal.EVIDENCE_ELSEWHERE] > 0
    assert list(written.questions) == sorted(written.questions, key=lambda q: q.evidence)
    assert all(admit_question(q, TEXT) == q for q in written.questions)


async def test_wrong_and_malformed_entries_do_not_cost_the_good_ones() -> None:
    bad = [{"question": 3}, "text", None, {"question": "Who?", "gold": "Ada", "evidence": SURVEY, "kind": "who"}]
    written, _ = await write({"questions": [*bad, GOOD[0]]}, count=3, per_stretch=3)
    assert [q.text for q in written.questions] == [GOOD[0]["question"]]
    assert written.report.refused == {Refusal.MALFORMED: 4}
    assert written.report.offered == {"none": 4, "who": 1}


async def test_a_model_that_does_not_stop_is_cut_short() -> None:
    flood = [offer(f"Who led survey {i} of Port Halden and why{i}?", ["Ada Renn"], SURVEY) for i in range(500)]
    written, _ = await write({"questions": flood}, count=2, per_stretch=2)
    assert written.report.refused[Refusal.TOO_MANY] == 496


@pytest.mark.parametrize(
    "reply",
    [
        "I would ask: who led the survey?",
        '{"questions": [{"question": "Who led the survey of Port',
        httpx2.Response(400, json={"error": {"message": "no"}}),
    ],
    ids=["prose", "truncated", "refused"],
)
async def test_a_stretch_without_a_usable_reply_is_counted_as_a_fault(reply: Any) -> None:
    written, _ = await write(reply)
    assert written.questions == ()
    assert sum(written.report.faults.values()) == 2
    assert all(fault.startswith("ContentFault") for fault in written.report.faults)


async def test_json_inside_prose_is_read() -> None:
    written, _ = await write(f"Certainly!\n```json\n{json.dumps({'questions': GOOD})}\n```\nGood luck.", 6, 3)
    assert len(written.questions) == 5


async def test_a_provider_that_fails_throughout_is_no_verdict_on_the_text() -> None:
    with pytest.raises(ProviderFault, match="HTTP 503"):
        await write(httpx2.Response(503))


async def test_a_provider_that_fails_on_one_stretch_costs_only_that() -> None:
    def fails_once(user: str) -> Any:
        return httpx2.Response(500) if "Ina Moll" in user.rpartition("about this part")[2] else {"questions": GOOD}

    written, _ = await write(fails_once)
    assert sum(written.report.faults.values()) == 1
    assert len(written.questions) >= 1


async def test_instructions_within_the_text_stay_within_a_fence_that_the_text_cannot_close() -> None:
    _, provider = await write({"questions": GOOD})
    for _, user in provider.asked:
        opening = user.partition("\n")[0].removeprefix("<<< ")
        assert len(opening) == 24
        assert opening not in TEXT
        assert user.count(f"<<< {opening}\n") == user.count(f"\n{opening} >>>") == 2


async def test_the_same_seed_asks_the_same() -> None:
    assert (await write({"questions": GOOD}))[1].asked == (await write({"questions": GOOD}))[1].asked


async def test_questions_that_the_text_has_already_are_not_asked_again() -> None:
    first = check(GOOD[0])
    assert isinstance(first, Question)
    provider = WritingProvider(lambda *_: {"questions": GOOD[:1]})
    async with provider.model() as model:
        written = await QuestionWriter(model).write(TEXT, 2, seed=1, kept=[first])
    assert written.report.refused == {Refusal.DUPLICATE: 1}


async def test_an_empty_text_asks_for_nothing() -> None:
    provider = WritingProvider(lambda *_: {"questions": []})
    async with provider.model() as model:
        assert (await QuestionWriter(model).write("", 3, seed=1)).questions == ()
        with pytest.raises(ConfigurationError):
            QuestionWriter(model, 0)
    assert provider.asked == []


@pytest.mark.parametrize("shape", [Candidates, Items])
def test_schemas_are_of_the_strict_sort_that_providers_take(shape: type[BaseModel]) -> None:
    schema = shape.model_json_schema()
    for part in (schema, *schema["$defs"].values()):
        assert part["additionalProperties"] is False
        assert set(part["required"]) == set(part["properties"])
