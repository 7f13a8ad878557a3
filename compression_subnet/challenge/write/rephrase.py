"""Questions from facts, reworded by a model where the new wording passes our checks."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from compression_subnet.challenge.admission import admit_question, contains_tokens, token_string
from compression_subnet.challenge.types import Question
from compression_subnet.challenge.write.candidates import form_fault, is_repeated
from compression_subnet.challenge.write.kinds import kind_of
from compression_subnet.challenge.write.numbered import Items, by_number, numbered
from compression_subnet.challenge.write.prompting import load_writer_prompt
from compression_subnet.challenge.write.text import BriefedText, Statement
from compression_subnet.errors import ContentFault, InputError
from compression_subnet.judge.chat import ChatModel
from compression_subnet.text.special import find_special_token

__all__ = ["Asked", "RephraseRefusal", "ask_facts", "rephrase_fault", "rephrase_questions"]

_BATCH: Final = 10
_MAX_GROWTH: Final = 2.0
_NAME_OR_NUMBER: Final = re.compile(r"(?<!\A)\b(?:[A-Z][\w'-]*|\d[\d.,]*)")


class RephraseRefusal(StrEnum):
    """Why a question keeps the wording of its template."""

    NOT_GIVEN = "not given"
    UNCHANGED = "unchanged"
    SPECIAL_TOKEN = "special token"
    FORM = "not a question of its form"
    OTHER_KIND = "another kind"
    SUBJECT_LOST = "subject lost"
    ADDED = "name or number added"
    ANSWER_IN_QUESTION = "answer in question"
    TOO_LONG = "too long"
    DUPLICATE = "duplicate"


@dataclass(frozen=True, slots=True)
class Asked:
    """A briefed text's questions.

    Attributes:
        questions: admitted, in the order of their evidence.
        rephrased: how many have a model's wording.
        refused: reason to how many wordings were refused.
        faults: the model's fault to how many batches it cost.
    """

    questions: tuple[Question, ...]
    rephrased: int
    refused: Mapping[RephraseRefusal, int]
    faults: Mapping[str, int]


def ask_facts(written: BriefedText) -> list[tuple[Statement, Question]]:
    """Return the stated facts with their questions, worded by template; what is not admitted is left out."""
    asked: list[tuple[Statement, Question]] = []
    for stated in sorted(written.stated, key=lambda s: s.evidence):
        fact = stated.fact
        question = Question(fact.question, fact.gold, stated.evidence, str(fact.kind))
        try:
            question = admit_question(question, written.text)
        except InputError:
            continue
        asked.append((stated, question))
    return asked


async def rephrase_questions(model: ChatModel, asked: Sequence[tuple[Statement, Question]], seed: int) -> Asked:
    """Return the questions, each in the model's wording if that passes, else in its own.

    Raises:
        ProviderFault: the provider failed.
    """
    questions = [question for _, question in asked]
    refused: Counter[RephraseRefusal] = Counter()
    faults: Counter[str] = Counter()
    rephrased = 0
    for first in range(0, len(asked), _BATCH):
        batch = range(first, min(first + _BATCH, len(asked)))
        messages = load_writer_prompt("rephrase-v1").messages(
            {"questions": numbered([questions[i].text for i in batch])}
        )
        try:
            offered = by_number(await model.fill(messages, Items, seed=seed + first), len(batch))
        except ContentFault as fault:
            faults[f"{type(fault).__name__}: {fault}"] += 1
            continue
        for i, wording in zip(batch, offered, strict=True):
            stated, question = asked[i]
            fault_found = RephraseRefusal.NOT_GIVEN if wording is None else rephrase_fault(stated, question, wording)
            if fault_found is None and wording is not None:
                new = replace(question, text=wording)
                if is_repeated(new, (*questions[:i], *questions[i + 1 :])):
                    fault_found = RephraseRefusal.DUPLICATE
                else:
                    questions[i] = new
                    rephrased += 1
            if fault_found is not None:
                refused[fault_found] += 1
    return Asked(tuple(questions), rephrased, dict(refused), dict(faults))


def rephrase_fault(stated: Statement, question: Question, wording: str) -> RephraseRefusal | None:
    """Return why ``wording`` cannot stand for a fact's question, or None if it can.

    It must ask for the same kind of thing, hold what the question holds of the fact's anchors, of names and of
    numbers, and add neither name nor number nor answer.
    """
    own = question.text
    if " ".join(wording.split()).casefold() == own.casefold():
        return RephraseRefusal.UNCHANGED
    if find_special_token(wording):
        return RephraseRefusal.SPECIAL_TOKEN
    if form_fault(wording):
        return RephraseRefusal.FORM
    if len(wording) > _MAX_GROWTH * len(own):
        return RephraseRefusal.TOO_LONG
    # The template's wording, not the fact's kind: a relation may be asked for with "who" or with "how many".
    if kind_of(wording) != kind_of(own):
        return RephraseRefusal.OTHER_KIND
    words, old_words = token_string(wording), token_string(own)
    anchors = [token_string(a) for a in stated.fact.anchors if " " in a or a[0].isupper()]
    held = [a for a in anchors if contains_tokens(old_words, a)]
    names = set(_NAME_OR_NUMBER.findall(own))
    if not all(contains_tokens(words, a) for a in held) or not all(name in wording for name in names):
        return RephraseRefusal.SUBJECT_LOST
    if any(name not in own for name in _NAME_OR_NUMBER.findall(wording)):
        return RephraseRefusal.ADDED
    if any(contains_tokens(words, token_string(gold)) for gold in question.gold):
        return RephraseRefusal.ANSWER_IN_QUESTION
    return None
