import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from challenge_strategies import article

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.filters import keep_answerable
from compression_subnet.errors import JudgeError, ProviderFault
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.text.tokens import get_tokenizer

CHALLENGE = ChallengeBuilder(
    [article(f"a{i}", random.Random(i), 12) for i in range(3)],
    get_tokenizer(),
    ChallengeSettings(min_tokens=250, max_tokens=600, min_questions=5),
    random.Random(1),
).build(12)
GOLD = {q.text: q.gold[0] for q in CHALLENGE.questions}
QUESTIONS = [q.text for q in CHALLENGE.questions]


def said(text: str) -> Answer:
    return Answer(AnswerStatus.ANSWERED, text)


@dataclass
class Scripted:
    """Answers all from the text, nothing without it, but for what it is told."""

    with_text: dict[str, Answer] = field(default_factory=dict)
    without_text: dict[str, Answer] = field(default_factory=dict)
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        self.asked.append((text, tuple(questions)))
        if text:
            return [self.with_text.get(q, said(GOLD[q])) for q in questions]
        return [self.without_text.get(q, said("")) for q in questions]


async def test_the_asked_number_of_good_questions_is_kept_and_nothing_else_changes():
    kept = await keep_answerable(CHALLENGE, Scripted(), n_questions=5)
    assert kept is not None
    assert len(kept.questions) == 5
    assert set(kept.questions) <= set(CHALLENGE.questions)
    assert (kept.id, kept.text, kept.noise, kept.seed) == (
        CHALLENGE.id,
        CHALLENGE.text,
        CHALLENGE.noise,
        CHALLENGE.seed,
    )
    assert [q.evidence for q in kept.questions] == sorted(q.evidence for q in kept.questions)


async def test_a_question_badly_answered_from_the_text_goes():
    wrong = Scripted({QUESTIONS[0]: said("something else"), QUESTIONS[1]: said("")})
    kept = await keep_answerable(CHALLENGE, wrong, n_questions=99)
    assert kept is not None
    assert [q.text for q in kept.questions] == QUESTIONS[2:]


async def test_a_question_answered_without_the_text_goes():
    known = Scripted(without_text={QUESTIONS[3]: said(GOLD[QUESTIONS[3]])})
    kept = await keep_answerable(CHALLENGE, known, n_questions=99)
    assert kept is not None
    assert [q.text for q in kept.questions] == [*QUESTIONS[:3], *QUESTIONS[4:]]


async def test_the_thresholds_count_as_inclusive():
    q, gold = QUESTIONS[0], GOLD[QUESTIONS[0]]
    n = len(gold.split())
    assert n == 2
    # Both gold tokens and one more: F1 4/5. Both and ten more: 4/14.
    exactly = Scripted({q: said(f"{gold} indeed")}, {q: said(f"{gold} b c d e f g h i j k")})
    kept = await keep_answerable(CHALLENGE, exactly, n_questions=99, badly=Fraction(4, 14))
    assert kept is not None and q in [k.text for k in kept.questions]
    under = Scripted({q: said(f"{gold} indeed so")})
    kept = await keep_answerable(CHALLENGE, under, n_questions=99)
    assert kept is not None and q not in [k.text for k in kept.questions]


async def test_content_faults_are_bad_answers():
    fault = Answer(AnswerStatus.CONTENT_FAULT, detail="refused")
    kept = await keep_answerable(CHALLENGE, Scripted({QUESTIONS[0]: fault}, {QUESTIONS[1]: fault}), n_questions=99)
    assert kept is not None
    assert [q.text for q in kept.questions] == QUESTIONS[1:]


@pytest.mark.parametrize("where", ["with_text", "without_text"])
async def test_a_provider_fault_is_raised_and_not_taken_for_a_bad_answer(where):
    fault = Answer(AnswerStatus.PROVIDER_FAULT, detail="HTTP 429")
    with pytest.raises(ProviderFault, match="HTTP 429"):
        await keep_answerable(CHALLENGE, Scripted(**{where: {QUESTIONS[2]: fault}}))


async def test_too_few_questions_are_none_and_cost_no_further_call():
    lost = Scripted({q: said("no idea") for q in QUESTIONS[2:]})
    assert await keep_answerable(CHALLENGE, lost, min_questions=3) is None
    assert len(lost.asked) == 1
    known = Scripted(without_text={q: said(GOLD[q]) for q in QUESTIONS})
    assert await keep_answerable(CHALLENGE, known) is None


async def test_only_questions_answered_from_the_text_are_asked_without_it():
    model = Scripted({QUESTIONS[0]: said("no idea")})
    await keep_answerable(CHALLENGE, model)
    assert model.asked == [(CHALLENGE.text, tuple(QUESTIONS)), ("", tuple(QUESTIONS[1:]))]


async def test_answers_that_do_not_match_the_questions_are_an_error():
    class Short(Scripted):
        async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
            return (await super().answer(text, questions))[1:]

    with pytest.raises(JudgeError, match="answers to"):
        await keep_answerable(CHALLENGE, Short())
