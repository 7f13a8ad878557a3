"""Whether a text states a fact, and whether it puts it in doubt: table tests of both."""

import pytest

from compression_subnet.challenge.write.facts import Fact, FactType, contradicts, find_statement
from compression_subnet.challenge.write.kinds import Kind, draw_kinds, is_polar, kind_of
from compression_subnet.challenge.write.stretches import stretches


def fact(type: FactType, value: str, *anchors: str) -> Fact:
    return Fact(Kind.WHICH, type, value, (value,), anchors, f"[{value}].", "Which?")


COUNT = fact(FactType.COUNT, "412 oak saplings")
DATE = fact(FactType.DATE, "14 March 1927", "lower slipway", "opened")
COST = fact(FactType.AMOUNT, "18,400 crowns", "lower slipway")
HOLDER = fact(FactType.HOLDER, "Otto Wexwick", "head carter")
CAUSE = fact(FactType.CAUSE, "a late frost", "lower slipway", "delayed")


@pytest.mark.parametrize(
    ("known", "text", "stated"),
    [
        (COUNT, "They planted 412 oak saplings.", True),
        (COUNT, "They planted 1,412 oak saplings.", False),
        (COUNT, "They planted 412 young oak saplings.", False),
        (COUNT, "They planted 412 oak saplings-to-be.", False),
        (DATE, "On 14 March 1927 the Lower Slipway was opened.", True),
        (DATE, "On 14 March 1927 the lower slipway was closed.", False),
        (DATE, "The lower slipway was opened. It was 14 March 1927.", False),
        (DATE, "On 14 march 1927 the lower slipway was opened.", False),
        (COST, "The lower slipway cost 18,400 crowns.", True),
        (COST, "The lower slipway cost 118,400 crowns.", False),
        (HOLDER, "Otto Wexwick, the head carter, left.", True),
        (HOLDER, "Otto Wexwicks was the head carter.", False),
        (CAUSE, "A late frost delayed the lower slipway.", True),
    ],
)
def test_a_fact_is_stated_only_word_for_word_and_in_one_sentence(known: Fact, text: str, stated: bool) -> None:
    assert (find_statement(f"So it was. {text} That was all.", known) is not None) is stated


@pytest.mark.parametrize(
    ("known", "text", "doubtful"),
    [
        (COUNT, "Later 380 oak saplings were left.", True),
        (COUNT, "Later three hundred young saplings were left.", True),
        (COUNT, "Later 380 benches were left. The saplings grew.", False),
        (COUNT, "Of the 412 oak saplings none died.", False),
        (DATE, "The lower slipway was opened again on 3 May 1931.", True),
        (DATE, "In 1931 the lower slipway was opened again.", True),
        (DATE, "The spare crane was bought on 3 May 1931.", False),
        (DATE, "In March 1927 the lower slipway was opened.", False),
        (COST, "The lower slipway would have cost 20,000 crowns abroad.", True),
        (COST, "The spare crane cost 9,000 crowns.", False),
        (HOLDER, "Then Berta Ingrose was the head carter.", True),
        (HOLDER, "The head carter, Berta Ingrose, left.", True),
        (HOLDER, "The head carter, Otto Wexwick, left. Berta Ingrose stayed.", False),
        (CAUSE, "The lower slipway was delayed again by rain.", False),
    ],
)
def test_a_second_value_of_the_same_sort_is_seen(known: Fact, text: str, doubtful: bool) -> None:
    assert contradicts(text, known, frozenset({"7 June 1950"})) is doubtful


def test_values_of_the_briefs_other_facts_are_no_contradiction() -> None:
    text = "On 14 March 1927, not 3 May 1931, the lower slipway was opened."
    assert contradicts(text, DATE, frozenset())
    assert not contradicts(text, DATE, frozenset({"3 May 1931"}))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who kept the log?", Kind.WHO),
        ("By whom was the log kept?", Kind.WHO),
        ("In which year did Ada Renn arrive?", Kind.WHEN),
        ("Where was the bell cast?", Kind.WHERE),
        ("In what town was the bell cast?", Kind.WHERE),
        ("How many bells were cast?", Kind.HOW_MANY),
        ("How deep is the harbour of Halden?", Kind.HOW_MANY),
        ("Why was the bell cast?", Kind.WHY),
        ("What caused the delay?", Kind.WHY),
        ("Which company cast the bell?", Kind.WHICH),
        ("What was the bell made of?", Kind.WHICH),
        ("Tell me about the bell.", None),
    ],
)
def test_the_wording_tells_the_kind(question: str, kind: Kind | None) -> None:
    assert kind_of(question) == kind


def test_a_relation_is_believed_only_where_one_is_worded() -> None:
    assert kind_of("Who followed Ada Renn as warden?", asked="relation") is Kind.RELATION
    assert kind_of("Who kept the log?", asked="relation") is Kind.WHO


@pytest.mark.parametrize(
    "question", ["Is it deep?", "Did Ada stay?", '"Was it so?"', "Wasn't it so?", "Has it a bell?"]
)
def test_questions_for_yes_or_no_are_told(question: str) -> None:
    assert is_polar(question)
    assert not is_polar("What is it?")


def test_kinds_come_in_balance() -> None:
    import random

    drawn = draw_kinds(16, random.Random(1))
    assert {drawn.count(kind) for kind in Kind} == {2, 3}


def test_stretches_hold_every_sentence_once_and_in_order() -> None:
    text = "\n\n".join(" ".join(f"Sentence {i} of {j} is here." for i in range(5)) for j in range(4))
    for count in (1, 3, 7, 50):
        spans = stretches(text, count)
        assert len(spans) <= count
        assert "".join("".join(s.of(text).split()) for s in spans) == "".join(text.split())
    assert stretches("", 3) == []
