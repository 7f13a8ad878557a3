"""Adversarial noise: sentences like those that answer the questions, about other subjects, with other values."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from compression_subnet.challenge.admission import admit_text, reveals, token_string
from compression_subnet.challenge.filters import ANSWERED_BADLY
from compression_subnet.challenge.types import Question
from compression_subnet.challenge.write.facts import sentence_spans
from compression_subnet.challenge.write.numbered import Items, by_number, numbered
from compression_subnet.challenge.write.prompting import load_writer_prompt
from compression_subnet.errors import ContentFault, InputError, JudgeError, ProviderFault
from compression_subnet.judge.chat import ChatModel
from compression_subnet.judge.types import Answerer, AnswerStatus
from compression_subnet.scoring.f1 import is_supported, token_f1
from compression_subnet.text.special import find_special_token

__all__ = ["NearMissRefusal", "NearMisses", "near_miss_fault", "unanswering", "write_near_misses"]

_LENGTH: Final = (0.6, 1.6)
_NAME: Final = re.compile(r"(?<=[\w,] )[A-Z][\w'-]+|\d[\d,.]*\d|\d")
_OPENERS: Final = re.compile(r"[\"'(]*[A-Z]")


class NearMissRefusal(StrEnum):
    """Why a sentence is not used as noise."""

    NOT_GIVEN = "not given"
    SPECIAL_TOKEN = "special token"
    NOT_A_SENTENCE = "not one sentence"
    NOT_ADMITTED = "not admitted"
    LENGTH = "another length"
    IN_TEXT = "in the text"
    GOLD = "holds a gold answer"
    SAME_SUBJECT = "same subject"
    DUPLICATE = "duplicate"
    ANSWERS = "answers a question"


@dataclass(frozen=True, slots=True)
class NearMisses:
    """Noise sentences for one text, and what became of the others.

    Attributes:
        sentences: those that passed, in the order of the evidence they are like.
        refused: reason to how many did not.
        faults: the model's fault, if it gave nothing for it.
    """

    sentences: tuple[str, ...]
    refused: Mapping[NearMissRefusal, int]
    faults: Mapping[str, int]


async def write_near_misses(
    model: ChatModel,
    text: str,
    questions: Sequence[Question],
    answerer: Answerer,
    seed: int,
    *,
    only_gold: bool = False,
) -> NearMisses:
    """Return at most one noise sentence a question, like its evidence, that answers none of the questions.

    Args:
        model: writes them.
        text: the base text.
        questions: the challenge's; their evidence is in ``text``.
        answerer: the judge, asked whether the noise alone answers a question.
        seed: for the model's sampling.
        only_gold: refuse what the judge answers only if the answer is like a gold one: for a judge that finds an
            answer in any text. Any answer at all is refused else, since a wrong one misleads too.

    Raises:
        ProviderFault: the writer's or the judge's provider failed.
        JudgeError: the judge did not give one answer a question.
    """
    if not questions:
        return NearMisses((), {}, {})
    evidence = [question.evidence.of(text) for question in questions]
    values = {"sentences": numbered(evidence), "questions": numbered([q.text for q in questions])}
    messages = load_writer_prompt("near-miss-v1").messages(values)
    try:
        offered = by_number(await model.fill(messages, Items, seed=seed), len(questions))
    except ContentFault as fault:
        return NearMisses((), {}, {f"{type(fault).__name__}: {fault}": 1})
    refused: Counter[NearMissRefusal] = Counter()
    kept: list[str] = []
    for like, sentence in zip(evidence, offered, strict=True):
        fault_found = (
            NearMissRefusal.NOT_GIVEN if sentence is None else near_miss_fault(sentence, like, text, questions, kept)
        )
        if sentence is not None and fault_found is None:
            kept.append(sentence)
        elif fault_found is not None:
            refused[fault_found] += 1
    passed = await unanswering(kept, questions, answerer, only_gold=only_gold)
    if len(passed) < len(kept):
        refused[NearMissRefusal.ANSWERS] += len(kept) - len(passed)
    return NearMisses(tuple(passed), dict(refused), {})


def near_miss_fault(
    sentence: str, like: str, text: str, questions: Sequence[Question], kept: Sequence[str]
) -> NearMissRefusal | None:
    """Return why ``sentence`` cannot be noise beside ``text``, as far as can be told without a model, or None.

    Args:
        sentence: what the model offered.
        like: the sentence that it is to look like.
        text: the base text.
        questions: the challenge's.
        kept: noise that is in use already.
    """
    if find_special_token(sentence):
        return NearMissRefusal.SPECIAL_TOKEN
    if len(sentence_spans(sentence)) != 1 or sentence[-1] not in ".!?\"'" or not _OPENERS.match(sentence):
        return NearMissRefusal.NOT_A_SENTENCE
    try:
        if admit_text(sentence) != sentence:
            return NearMissRefusal.NOT_ADMITTED
    except InputError:
        return NearMissRefusal.NOT_ADMITTED
    if not _LENGTH[0] * len(like) <= len(sentence) <= _LENGTH[1] * len(like):
        return NearMissRefusal.LENGTH
    if sentence.casefold() in text.casefold():
        return NearMissRefusal.IN_TEXT
    words = token_string(" ".join((*kept[-1:], sentence)))
    if reveals(words, [token_string(gold) for question in questions for gold in question.gold]):
        return NearMissRefusal.GOLD
    own = token_string(sentence)
    if any(names and all(reveals(own, [name]) for name in names) for names in map(_names, questions)):
        return NearMissRefusal.SAME_SUBJECT
    if any(token_string(other) == own for other in kept):
        return NearMissRefusal.DUPLICATE
    return None


async def unanswering(
    sentences: Sequence[str], questions: Sequence[Question], answerer: Answerer, *, only_gold: bool = False
) -> list[str]:
    """Return those of ``sentences`` from which alone, and together, the judge answers none of the questions.

    All are put to it at once; only if it answers something is each put to it by itself, and what is left together
    again. If even that answers something, none is used.

    Raises:
        ProviderFault: the judge's provider failed, which says nothing about the noise.
        JudgeError: it did not give one answer a question.
    """
    left = list(sentences)
    if not left or not await _answers(left, questions, answerer, only_gold):
        return left
    left = [s for s in left if not await _answers([s], questions, answerer, only_gold)] if len(left) > 1 else []
    return [] if left and await _answers(left, questions, answerer, only_gold) else left


async def _answers(
    sentences: Sequence[str], questions: Sequence[Question], answerer: Answerer, only_gold: bool
) -> bool:
    noise = " ".join(sentences)
    answers = await answerer.answer(noise, [question.text for question in questions])
    if len(answers) != len(questions):
        raise JudgeError(f"the answerer gave {len(answers)} answers to {len(questions)} questions")
    for answer, question in zip(answers, questions, strict=True):
        if answer.status is AnswerStatus.PROVIDER_FAULT:
            raise ProviderFault(f"noise could not be checked: {answer.detail or 'no detail given'}")
        if answer.status is not AnswerStatus.ANSWERED or not is_supported(answer.text, noise):
            continue
        if not only_gold or token_f1(answer.text, question.gold) > ANSWERED_BADLY:
            return True
    return False


def _names(question: Question) -> list[str]:
    """Return the names and numbers of a question, as token strings: what tells its subject from others."""
    return [token_string(name) for name in _NAME.findall(question.text)]
