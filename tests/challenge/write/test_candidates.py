"""Candidates: good ones become admitted questions, and every way to be wrong is refused under its own name."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from question_offers import GOOD, SURVEY, TEXT, WHOLE, check, offer

from compression_subnet.challenge.admission import admit_question, contains_tokens, token_string
from compression_subnet.challenge.types import Question
from compression_subnet.challenge.write.candidates import Refusal
from compression_subnet.challenge.write.kinds import Kind, is_polar
from compression_subnet.text.special import find_special_token

WRONG: dict[str, tuple[dict[str, Any], Refusal]] = {
    "blank question": (offer("", ["Ada Renn"], SURVEY), Refusal.MALFORMED),
    "no gold": (offer("Who led the survey of Port Halden?", [], SURVEY), Refusal.MALFORMED),
    "blank gold": (offer("Who led the survey of Port Halden?", [" \u200b"], SURVEY), Refusal.MALFORMED),
    "no evidence": (offer("Who led the survey of Port Halden?", ["Ada Renn"], ""), Refusal.MALFORMED),
    "special token": (offer("Who led the <|im_end|> survey?", ["Ada Renn"], SURVEY), Refusal.SPECIAL_TOKEN),
    "special token in gold": (offer("Who led the survey?", ["Ada [INST]"], SURVEY), Refusal.SPECIAL_TOKEN),
    "statement": (offer("Ada Renn led the survey.", ["Ada Renn"], SURVEY), Refusal.NO_QUESTION),
    "two lines": (offer("Who led\nthe survey?", ["Ada Renn"], SURVEY), Refusal.NO_QUESTION),
    "endless": (offer("Who " + "led " * 200 + "it?", ["Ada Renn"], SURVEY), Refusal.NO_QUESTION),
    "asks nothing": (offer("Name Halden's head?", ["Ada Renn"], SURVEY), Refusal.NO_QUESTION),
    "yes or no": (offer("Was Ada Renn at Port Halden in March?", ["Ada Renn"], SURVEY), Refusal.POLAR),
    "points at the text": (offer("Who is mentioned in the text?", ["Ada Renn"], SURVEY), Refusal.UNCLEAR),
    "pronoun alone": (offer("When did she begin her survey?", ["March 1921"], SURVEY), Refusal.UNCLEAR),
    "invented evidence": (
        offer("Who led the survey of Port Halden?", ["Ada Renn"], "Ada Renn led the survey."),
        Refusal.EVIDENCE_NOT_IN_TEXT,
    ),
    "evidence twice": (offer("What was the weather like at Halden?", ["raining"], "It was raining."),
                       Refusal.EVIDENCE_NOT_UNIQUE),
    "evidence of another part": (
        offer("Who built the lighthouse at Skarn Point?", ["Tomas Veil"], GOOD[2]["evidence"]),
        Refusal.EVIDENCE_ELSEWHERE,
    ),
    "answer not in evidence": (offer("Who led the survey of Port Halden?", ["Tomas Veil"], SURVEY),
                               Refusal.ANSWER_NOT_IN_EVIDENCE),
    "answer in question": (offer("Who was Ada Renn of Port Halden?", ["Ada Renn"], SURVEY),
                           Refusal.ANSWER_IN_QUESTION),
    "answer too long": (
        offer("What began at Port Halden?", ["survey of Port Halden began in March 1921 under Ada Renn"], SURVEY),
        Refusal.ANSWER_TOO_LONG,
    ),
    "number asked, none given": (offer("How many led the survey of Port Halden?", ["Ada Renn"], SURVEY),
                                 Refusal.ANSWER_NO_NUMBER),
    "answer in question in words": (offer("How many of the thirty-one boats does Port Halden hold?", ["31"],
                                          GOOD[1]["evidence"]), Refusal.ANSWER_IN_QUESTION),
    "answer that says the question again": (
        offer("Why did the survey of Port Halden begin?", ["The survey of Port Halden began in March 1921"], SURVEY),
        Refusal.ANSWER_IN_QUESTION,
    ),
    "only articles": (offer("What began at Port Halden?", ["The"], SURVEY), Refusal.ANSWER_NOT_IN_EVIDENCE),
}  # fmt: skip


@pytest.mark.parametrize("entry", GOOD, ids=lambda e: e["kind"])
def test_a_good_candidate_becomes_an_admitted_question(entry: dict[str, Any]) -> None:
    question = check(entry, WHOLE)
    assert isinstance(question, Question)
    assert admit_question(question, TEXT) == question
    assert question.kind == entry["kind"]
    assert question.evidence.of(TEXT) == entry["evidence"]
    assert set(entry["gold"]) <= set(question.gold)


@pytest.mark.parametrize("wrong", WRONG)
def test_each_wrong_candidate_is_refused_under_its_own_name(wrong: str) -> None:
    entry, reason = WRONG[wrong]
    assert check(entry) == reason


def test_numbers_are_accepted_in_words_and_digits() -> None:
    question = check(GOOD[1])
    assert isinstance(question, Question)
    assert {"31", "31 boats", "thirty-one", "thirty-one boats"} == set(question.gold)


def test_aliases_that_the_evidence_does_not_bear_out_are_dropped() -> None:
    entry = offer("Who led the survey of Port Halden?", ["Ada Renn", "Tomas Veil", "March 1921", "Renn"], SURVEY)
    question = check(entry)
    assert isinstance(question, Question)
    assert question.gold == ("Ada Renn", "Renn")


def test_evidence_is_widened_to_its_sentence() -> None:
    question = check(offer("Who led the survey of Port Halden?", ["Ada Renn"], "March 1921 under Ada Renn"))
    assert isinstance(question, Question)
    assert question.evidence.of(TEXT) == SURVEY


def test_the_kind_is_that_of_the_wording_whatever_the_model_says() -> None:
    question = check(offer("When did the survey of Port Halden begin?", ["March 1921"], SURVEY, "why"))
    assert isinstance(question, Question)
    assert question.kind == Kind.WHEN


@pytest.mark.parametrize(
    "again",
    [
        GOOD[0],
        offer("Who led the survey at Port Halden?", ["Ada Renn"], SURVEY),
        offer("Under whom did work start at Port Halden?", ["Ada Renn"], SURVEY),
    ],
)
def test_the_same_question_again_is_a_duplicate(again: dict[str, Any]) -> None:
    first = check(GOOD[0])
    assert isinstance(first, Question)
    assert check(again, kept=(first,)) is Refusal.DUPLICATE


PIECES = ["Who", "led", "the survey", "Port Halden", "Ada Renn", "March 1921", "31", "boats", "?", " ", "<|im_end|>",
          "It", "was raining.", "thirty-one", SURVEY, "Ina Moll", "²", "\u200b", "yes", "The", "hold",
          "How many"]  # fmt: skip
FIELD = (
    st.lists(st.sampled_from(PIECES), max_size=6).map(" ".join)
    | st.sampled_from(TEXT.split(". "))
    | st.text(max_size=20)
)


@settings(max_examples=300, deadline=None)
@given(
    question=FIELD | st.sampled_from([entry["question"] for entry in GOOD]),
    gold=st.lists(FIELD, max_size=3),
    evidence=FIELD,
    kind=st.sampled_from(["who", "relation", ""]),
)
def test_whatever_is_offered_only_supported_questions_are_kept(
    question: str, gold: list[str], evidence: str, kind: str
) -> None:
    outcome = check(offer(question, gold, evidence, kind), WHOLE)
    if isinstance(outcome, Question):
        assert admit_question(outcome, TEXT) == outcome
        within = token_string(outcome.evidence.of(TEXT))
        assert contains_tokens(within, token_string(outcome.gold[0]))
        assert not any(contains_tokens(token_string(outcome.text), token_string(g)) for g in outcome.gold)
        assert find_special_token(outcome.text) is None
        assert not is_polar(outcome.text)
