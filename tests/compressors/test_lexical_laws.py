"""What holds for the lexical compressor whatever the text, the budget and the counter."""

import pytest
from compressor_counters import Recording, SuperAdditive, all_counters
from compressor_laws import CASES, LawCase, check, is_made_of
from compressor_texts import article
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import HeadTruncation, RandomSentences
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.text.tokens import get_tokenizer

PROSE = st.lists(
    st.sampled_from(
        ["The ferry left.", "Mr. Lee", "KX-7714-Q", "not", "12,300", "(so)", "他来了。", "\n\n", "राम आया।", "\t",
         "e\u0301", "“Yes!”", "- item", "never", "10.0.0.7:8080", "a", "of", "Oslo",
         "<|endoftext|>", "👍🏽", "…", "|x|"]
    ),
    max_size=60,
).map(" ".join)  # fmt: skip
TEXTS = st.one_of(st.text(), PROSE, st.text(st.sampled_from("ab.,( )\n中"), max_size=300))
COMPRESSORS = [LexicalCompressor(), HeadTruncation(), RandomSentences()]
COUNTERS = all_counters()


def is_subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(character in rest for character in short)


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: type(c).__name__)
@given(text=TEXTS, tokens=st.integers(0, 60), counter=st.sampled_from(COUNTERS))
def test_never_over_budget_and_always_a_subsequence(compressor, text, tokens, counter) -> None:
    budget = TokenBudget(tokens, counter)
    result = compressor.compress(text, budget)
    assert result == "" or counter.count(result) <= tokens
    assert result == result.strip()
    assert is_subsequence(result, text)


@settings(max_examples=400)
@given(CASES)
def test_no_reply_breaks_a_law(case: LawCase) -> None:
    check(case)


@given(text=TEXTS, level=st.sampled_from([20, 40, 60]))
def test_never_over_a_level_of_the_pinned_tokenizer(text, level) -> None:
    tokenizer = get_tokenizer()
    budget = tokenizer.count(text) * level // 100
    assert tokenizer.count(LexicalCompressor().compress(text, TokenBudget(budget, tokenizer))) <= budget


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: type(c).__name__)
@given(text=TEXTS, tokens=st.integers(0, 40))
def test_the_same_text_gives_the_same_reply(compressor, text, tokens) -> None:
    budget = TokenBudget(tokens, get_tokenizer())
    assert compressor.compress(text, budget) == type(compressor)().compress(text, budget)


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: type(c).__name__)
@pytest.mark.parametrize("text", ["", " ", "   \n", "hello", "?", "7"])
def test_no_budget_or_no_text_gives_the_empty_reply(compressor, text: str) -> None:
    assert compressor.compress(text, TokenBudget(0, get_tokenizer())) == ""
    assert compressor.compress("", TokenBudget(9, get_tokenizer())) == ""


@pytest.mark.parametrize("compressor", [LexicalCompressor(), HeadTruncation()], ids=lambda c: type(c).__name__)
def test_a_text_that_fits_comes_back_as_it_is_but_for_its_ends(compressor) -> None:
    assert compressor.compress(" It  rained.\n", TokenBudget(50, get_tokenizer())) == "It  rained."


@pytest.mark.parametrize("level", [20, 40, 60])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sentences", [4, 9, 40])
def test_at_least_97_per_cent_of_the_budget_is_used(level: int, seed: int, sentences: int) -> None:
    tokenizer = get_tokenizer()
    text = article(sentences, seed)
    size = tokenizer.count(text)
    assert size >= 100
    budget = size * level // 100
    used = tokenizer.count(LexicalCompressor().compress(text, TokenBudget(budget, tokenizer)))
    assert 0.97 * budget <= used <= budget


@pytest.mark.parametrize("counter", [get_tokenizer(), SuperAdditive()], ids=["o200k", "super-additive"])
@pytest.mark.parametrize("sentences", [20, 200])
def test_the_number_of_counts_of_whole_replies_is_bounded(counter, sentences: int) -> None:
    text = article(sentences)
    recording = Recording(counter)
    LexicalCompressor().compress(text, TokenBudget(counter.count(text) // 5, recording))
    # One for each sentence, one for the text, and three stages of bisection and single tries.
    assert recording.calls <= sentences + 150


@pytest.mark.parametrize("unit", ["a", ".", "a ", "a. ", "中", "9,", "(", "\n", "x-", "\u0301"])
def test_long_monotonous_texts_are_compressed(unit: str) -> None:
    tokenizer = get_tokenizer()
    text = unit * 8_000
    budget = TokenBudget(tokenizer.count(text) // 5, tokenizer)
    result = LexicalCompressor().compress(text, budget)
    assert budget.fits(result)


def test_a_reply_is_made_of_words_only_if_they_are_whole_and_in_order() -> None:
    assert is_made_of("-A.A.", ["x", "-", ".", "A.A.", ":"])
    assert is_made_of("", ["x"])
    assert not is_made_of("AB", ["B", "A"])
    assert not is_made_of("A A", ["A"])
    assert not is_made_of("ferr", ["ferry"])
