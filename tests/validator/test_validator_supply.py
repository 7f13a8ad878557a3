from dataclasses import replace

import pytest
from validator_fakes import QUESTIONS, ContainmentJudge, challenge

from compression_subnet.challenge import Challenge
from compression_subnet.errors import InputError, ProviderFault
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.validator.supply import TRIES_A_CHALLENGE, Supply


class CountingBuilder:
    def __init__(self) -> None:
        self.built = 0

    def build(self, n_questions: int) -> Challenge:
        self.built += 1
        return replace(challenge(), id=f"c{self.built}", questions=challenge().questions[:n_questions])


def supply(judge: ContainmentJudge, builder: CountingBuilder, **changes: int) -> Supply:
    numbers = {"questions": 3, "min_questions": 2, "candidates": 5, "parallel": 2} | changes
    return Supply(builder, judge, **numbers)  # type: ignore[arg-type]


async def test_questions_are_filtered_and_no_more_kept_than_wanted() -> None:
    drawn = await supply(ContainmentJudge(), CountingBuilder()).draw(4)
    assert len({c.id for c in drawn}) == 4
    assert {len(c.questions) for c in drawn} == {3}


async def test_a_corpus_that_its_judge_cannot_answer_ends_in_an_error_and_not_in_a_loop() -> None:
    judge = ContainmentJudge(lambda text, question: AnswerStatus.CONTENT_FAULT)
    builder = CountingBuilder()
    with pytest.raises(InputError, match="another corpus"):
        await supply(judge, builder).draw(4)
    assert builder.built == 4 * TRIES_A_CHALLENGE


async def test_a_judge_that_is_down_says_nothing_about_the_questions() -> None:
    judge = ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT)
    with pytest.raises(ProviderFault):
        await supply(judge, CountingBuilder()).draw(4)


async def test_questions_answered_without_the_text_are_dropped() -> None:
    class Knowing(ContainmentJudge):
        async def answer(self, text: str, questions: list[str]):  # type: ignore[no-untyped-def, override]
            return await super().answer(text or QUESTIONS[0][1], questions)

    drawn = await supply(Knowing(), CountingBuilder(), questions=5).draw(1)
    assert QUESTIONS[0][0] not in {q.text for q in drawn[0].questions}
    assert len(drawn[0].questions) == 4
