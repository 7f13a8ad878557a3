"""Adversarial noise: like the evidence, about something else, and no answer to anything; else refused."""

from typing import Any

import httpx2
import pytest
from writer_provider import FakeJudge, FaultyJudge, WritingProvider, items

from compression_subnet.challenge.types import Question, Span
from compression_subnet.challenge.write.near_miss import (
    NearMisses,
    NearMissRefusal,
    near_miss_fault,
    unanswering,
    write_near_misses,
)
from compression_subnet.errors import JudgeError, ProviderFault
from compression_subnet.judge.types import Answer, AnswerStatus

EVIDENCE = (
    "The survey of Port Halden began in March 1921 under Ada Renn.",
    "The lamp of Skarn Point came from Ellerquay by barge.",
)
TEXT = " ".join(EVIDENCE)
SPANS = (Span(0, len(EVIDENCE[0])), Span(len(EVIDENCE[0]) + 1, len(TEXT)))
QUESTIONS = (
    Question("Who led the survey of Port Halden?", ("Ada Renn", "Renn"), SPANS[0], "who"),
    Question("Where did the lamp of Skarn Point come from?", ("Ellerquay",), SPANS[1], "where"),
)
GOOD = (
    "The dredging of Lake Ussen began in April 1933 under Bo Tarr.",
    "The bell of Grimholm came from Vanestrand by cart.",
)
SILENT = FakeJudge(lambda text, question: None)

WRONG = {
    "A <|im_end|> of Lake Ussen began in April 1933 under Bo.": NearMissRefusal.SPECIAL_TOKEN,
    "The dredging of Lake Ussen began. It was April 1933 and cold.": NearMissRefusal.NOT_A_SENTENCE,
    "the dredging of Lake Ussen began in April 1933 under Bo Tarr": NearMissRefusal.NOT_A_SENTENCE,
    "The dredging of Lake Ussen took 12 000 days under Bo Tarr.": NearMissRefusal.NOT_ADMITTED,
    "Lake Ussen froze.": NearMissRefusal.LENGTH,
    f"{GOOD[0][:-1]}, {'and again and again' * 5}.": NearMissRefusal.LENGTH,
    EVIDENCE[0]: NearMissRefusal.IN_TEXT,
    "The dredging of Lake Ussen began in April 1933 under RENN.": NearMissRefusal.GOLD,
    "The survey of Port Halden began in April 1933 under Bo Tarr.": NearMissRefusal.SAME_SUBJECT,
    GOOD[1] + "": None,
}


@pytest.mark.parametrize("sentence", WRONG)
def test_each_unfit_sentence_is_refused_under_its_own_name(sentence: str) -> None:
    like = EVIDENCE[1] if sentence == GOOD[1] else EVIDENCE[0]
    assert near_miss_fault(sentence, like, TEXT, QUESTIONS, ()) == WRONG[sentence]


def test_a_sentence_is_used_once() -> None:
    assert near_miss_fault(GOOD[0], EVIDENCE[0], TEXT, QUESTIONS, GOOD[:1]) is NearMissRefusal.DUPLICATE


async def noise(reply: Any, judge: Any = SILENT, **options: Any) -> NearMisses:
    async with WritingProvider(lambda *_: reply).model() as model:
        return await write_near_misses(model, TEXT, QUESTIONS, judge, 3, **options)


async def test_good_near_misses_are_kept_and_put_to_the_judge_together() -> None:
    judge = FakeJudge(lambda text, question: None)
    found = await noise(items(GOOD), judge)
    assert found == NearMisses(GOOD, {}, {})
    assert judge.texts == [" ".join(GOOD)]


async def test_a_sentence_that_answers_a_question_is_left_out() -> None:
    judge = FakeJudge(lambda text, question: "Vanestrand" if "Vanestrand" in text and "lamp" in question else None)
    found = await noise(items(GOOD), judge)
    assert found.sentences == GOOD[:1]
    assert found.refused == {NearMissRefusal.ANSWERS: 1}
    assert judge.texts == [" ".join(GOOD), *GOOD, GOOD[0]]


async def test_noise_that_answers_only_together_is_not_used() -> None:
    judge = FakeJudge(lambda text, question: "Tarr" if len(text) > len(GOOD[0]) else None)
    assert (await noise(items(GOOD), judge)).sentences == ()


async def test_an_answer_that_the_noise_does_not_hold_is_not_the_noises() -> None:
    assert (await noise(items(GOOD), FakeJudge(lambda *_: "the Prime Minister"))).sentences == GOOD


async def test_with_a_judge_that_always_answers_only_gold_can_be_what_counts() -> None:
    eager = FakeJudge(lambda text, question: text.split()[2])
    assert (await noise(items(GOOD), eager)).sentences == ()
    assert (await noise(items(GOOD), eager, only_gold=True)).sentences == GOOD
    assert await unanswering(["Renn sailed."], QUESTIONS, FakeJudge(lambda *_: "Renn"), only_gold=True) == []


async def test_what_is_not_given_or_wrong_is_counted() -> None:
    found = await noise(items([None, EVIDENCE[1]]))
    assert found == NearMisses((), {NearMissRefusal.NOT_GIVEN: 1, NearMissRefusal.IN_TEXT: 1}, {})


@pytest.mark.parametrize("reply", ["Here are some sentences.", '{"items": [{"number": 1, "te', '{"items": "none"}'])
async def test_a_reply_that_cannot_be_read_gives_no_noise_and_a_fault(reply: str) -> None:
    found = await noise(reply)
    assert found.sentences == ()
    assert list(found.faults.values()) == [1]


async def test_a_faulty_judge_or_writer_is_no_verdict() -> None:
    with pytest.raises(ProviderFault, match="noise could not be checked: HTTP 503"):
        await noise(items(GOOD), FaultyJudge())
    with pytest.raises(ProviderFault):
        await noise(httpx2.Response(502))


async def test_a_judge_that_skips_questions_is_an_error() -> None:
    class Short:
        async def answer(self, text: str, questions: object) -> list[Answer]:
            return [Answer(AnswerStatus.ANSWERED, "")]

    with pytest.raises(JudgeError, match="1 answers to 2 questions"):
        await noise(items(GOOD), Short())


async def test_without_questions_there_is_nothing_to_miss() -> None:
    provider = WritingProvider(lambda *_: items(GOOD))
    async with provider.model() as model:
        assert await write_near_misses(model, TEXT, (), SILENT, 1) == NearMisses((), {}, {})
    assert provider.asked == []
