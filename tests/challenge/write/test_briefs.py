"""Laws of briefs: many, distinct, the same for the same seed, and made of facts that can be checked."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.admission import admit_question, admit_text, contains_tokens, token_string
from compression_subnet.challenge.types import Question
from compression_subnet.challenge.write.brief import MAX_WORDS, MIN_WORDS, Brief, distinct_briefs, draw_brief
from compression_subnet.challenge.write.candidates import form_fault
from compression_subnet.challenge.write.kinds import Kind
from compression_subnet.challenge.write.text import check_text
from compression_subnet.challenge.write.topics import TOPICS
from compression_subnet.errors import ConfigurationError

SEEDS = st.integers(0, 2**128 - 1)
LENGTHS = st.integers(MIN_WORDS, MAX_WORDS)
FEW = settings(max_examples=25, deadline=None)


def stated(brief: Brief) -> str:
    return " ".join(fact.statement for fact in brief.facts)


def test_there_are_far_more_briefs_than_anyone_can_list() -> None:
    assert distinct_briefs(MIN_WORDS) > 10**16
    assert distinct_briefs(600) > 10**28
    assert distinct_briefs(MAX_WORDS) > distinct_briefs(600)


@FEW
@given(SEEDS, LENGTHS)
def test_a_seed_determines_its_brief(seed: int, length: int) -> None:
    assert draw_brief(seed, length) == draw_brief(seed, length)


def test_a_known_seed_gives_the_same_brief_on_every_platform() -> None:
    assert draw_brief(1, 600).sha256 == "e3252410642adc10268d5a978e3ad97a8e373fe2779c89a869cc3c7f7328eb44"


@FEW
@given(st.lists(SEEDS, min_size=2, max_size=6, unique=True))
def test_different_seeds_give_different_briefs(seeds: list[int]) -> None:
    assert len({draw_brief(seed, MIN_WORDS).sha256 for seed in seeds}) == len(seeds)


@FEW
@given(SEEDS, LENGTHS)
def test_every_fact_is_found_in_its_own_statement_and_nowhere_else(seed: int, length: int) -> None:
    brief = draw_brief(seed, length)
    text = stated(brief)
    assert admit_text(text) == text
    found, missing, contradicted = check_text(text, brief.facts)
    assert (missing, contradicted) == ((), ())
    assert [s.evidence.of(text) for s in found] == [fact.statement for fact in brief.facts]


@FEW
@given(SEEDS, LENGTHS)
def test_every_fact_has_an_admissible_question_that_does_not_tell_its_answer(seed: int, length: int) -> None:
    brief = draw_brief(seed, length)
    text = stated(brief)
    for statement in check_text(text, brief.facts)[0]:
        fact = statement.fact
        assert fact.value in fact.gold or any(gold in fact.value for gold in fact.gold)
        assert form_fault(fact.question) is None
        assert brief.subject in fact.question
        question = admit_question(Question(fact.question, fact.gold, statement.evidence, str(fact.kind)), text)
        assert not any(contains_tokens(token_string(fact.question), token_string(gold)) for gold in question.gold)


@settings(max_examples=8, deadline=None)
@given(SEEDS, LENGTHS)
def test_no_facts_answer_stands_in_the_statement_of_another(seed: int, length: int) -> None:
    facts = draw_brief(seed, length).facts
    said = [token_string(fact.statement) for fact in facts]
    for i, fact in enumerate(facts):
        golds = [token_string(gold) for gold in fact.gold]
        assert not any(contains_tokens(said[j], gold) for j in range(len(facts)) if j != i for gold in golds)


@FEW
@given(SEEDS, LENGTHS)
def test_kinds_are_balanced_and_facts_are_dealt_evenly_to_the_sections(seed: int, length: int) -> None:
    brief = draw_brief(seed, length)
    sizes = [len(section) for section in brief.sections]
    assert max(sizes) - min(sizes) <= 1
    assert len(brief.facts) == length // 40
    # Where a list runs out, dates stand in.
    others = [kind for kind in Kind if kind not in (Kind.WHEN, Kind.RELATION)]
    counts = [sum(fact.kind == kind for fact in brief.facts) for kind in others]
    assert max(counts) - min(counts) <= 3


@pytest.mark.parametrize("length", [0, MIN_WORDS - 1, MAX_WORDS + 1])
def test_a_length_out_of_range_is_an_error_that_names_the_range(length: int) -> None:
    with pytest.raises(ConfigurationError, match=f"{MIN_WORDS} to {MAX_WORDS}"):
        draw_brief(1, length)


@pytest.mark.parametrize("topic", TOPICS, ids=lambda t: t.noun)
def test_what_a_topic_counts_and_who_serves_there_can_be_told_apart(topic: object) -> None:
    assert topic in TOPICS
    counted, roles, works = topic.counted, topic.roles, topic.works  # type: ignore[attr-defined]
    assert len({thing.split()[-1] for thing in counted}) == len(counted) == 8
    assert len(set(roles)) == len(roles) == 9
    assert len(set(works)) == len(works) == 8
    assert all(re.fullmatch(r"[a-z' -]+", phrase) for phrase in (*counted, *roles, *works))
    assert not any(a != b and re.search(rf"\b{a}\b", b) for a in roles for b in roles)
