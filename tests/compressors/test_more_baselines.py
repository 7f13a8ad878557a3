"""The baselines on sentences and phrases: never over budget, and each what its name says."""

import pytest
from compressor_counters import all_counters
from compressor_texts import FERRY, FOREIGN, article
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import parse
from compression_subnet.compressors.sentence_baselines import (
    CentralSentences,
    LeadAndTail,
    TfIdfSentences,
    mean_tf_idf,
    text_rank,
)
from compression_subnet.compressors.surprisal import SurprisingPhrases
from compression_subnet.compressors.vectors import vectorise
from compression_subnet.text.tokens import get_tokenizer

COMPRESSORS = [LeadAndTail(), CentralSentences(), TfIdfSentences(), SurprisingPhrases()]
COUNTERS = all_counters()
PIECES = [
    "The ferry left.",
    "Mr. Lee",
    "KX-7714-Q",
    "not",
    "12,300",
    "(so)",
    "他来了。",
    "\n\n",
    "राम आया।",
    "\t",
    "…",
    "a",
]
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=60).map(" ".join))
named = pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: type(c).__name__)


@named
@given(text=TEXTS, tokens=st.integers(0, 60), counter=st.sampled_from(COUNTERS))
def test_never_over_budget_a_subsequence_and_always_the_same(compressor, text, tokens, counter) -> None:
    budget = TokenBudget(tokens, counter)
    result = compressor.compress(text, budget)
    assert result == "" or counter.count(result) <= tokens
    rest = iter(text)
    assert all(character in rest for character in result)
    assert result == type(compressor)().compress(text, budget)


@named
@pytest.mark.parametrize("level", [20, 40, 60])
def test_no_more_of_the_budget_is_left_than_a_sentence_takes(compressor, level: int) -> None:
    tokenizer = get_tokenizer()
    text = article(40)
    budget = TokenBudget(tokenizer.count(text) * level // 100, tokenizer)
    assert budget.tokens - 35 <= tokenizer.count(compressor.compress(text, budget)) <= budget.tokens


@named
def test_a_budget_under_any_sentence_gets_the_start_of_one(compressor) -> None:
    tokenizer = get_tokenizer()
    text = "x" * 3 + " ".join(FERRY)
    assert compressor.compress(text, TokenBudget(1, tokenizer)) != ""


@named
@pytest.mark.parametrize("unit", ["a ", "a. ", "中", "\n", "9,"])
def test_long_monotonous_texts_are_compressed(compressor, unit: str) -> None:
    tokenizer = get_tokenizer()
    text = unit * 4_000
    budget = TokenBudget(tokenizer.count(text) // 5, tokenizer)
    assert budget.fits(compressor.compress(text, budget))


def test_lead_and_tail_keeps_both_ends_and_not_the_middle() -> None:
    tokenizer = get_tokenizer()
    text = " ".join(FERRY)
    result = LeadAndTail().compress(text, TokenBudget(tokenizer.count(text) * 60 // 100, tokenizer))
    assert result.startswith(FERRY[0]) and result.endswith(FERRY[-1])
    assert FERRY[5] not in result


def test_central_sentences_are_those_of_the_topic() -> None:
    sentences = [s for pair in zip(FERRY, [*FOREIGN, *[""] * 6], strict=True) for s in pair if s]
    ranks = text_rank(vectorise(parse(" ".join(sentences))))
    assert ranks.sum() == pytest.approx(1.0)
    foreign = max(r for r, s in zip(ranks, sentences, strict=True) if s in FOREIGN)
    assert sum(r > foreign for r, s in zip(ranks, sentences, strict=True) if s in FERRY) >= 9


def test_text_rank_is_that_of_the_graph() -> None:
    # A path of three: the middle has both neighbours' votes (d = 0.85): r = (0.2567, 0.4865, 0.2567).
    ranks = text_rank(vectorise(parse("Otters swim. Otters whistle. Nightingales whistle.")))
    assert ranks.tolist() == pytest.approx([0.2568, 0.4865, 0.2568], abs=2e-3)


def test_tf_idf_prefers_words_that_few_sentences_have() -> None:
    scores = mean_tf_idf(parse("The sea was calm. The sea was calm. The heron heron heron ate. The sea was calm."))
    assert scores.argmax() == 2


def test_surprising_phrases_are_those_with_words_that_stand_once() -> None:
    text = "the sea was calm, and the sea was calm, and a heron quarrelled with Ingrid Solberg, and the sea was calm."
    kept = SurprisingPhrases().compress(text, TokenBudget(6, get_tokenizer()))
    assert "Solberg" in kept and "sea" not in kept
