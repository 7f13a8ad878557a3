"""The naive baselines, and the faulty ones."""

import pytest
from compressor_counters import Characters, Erratic, Recording, SuperAdditive, Words
from compressor_texts import article

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import HeadTruncation, RandomSentences, head_truncation
from compression_subnet.compressors.faulty import Flaky, WholeText
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.errors import CompressorError
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.tokens import get_tokenizer


@pytest.mark.parametrize(
    ("text", "tokens", "expected"),
    [
        ("one two three four", 2, "one two"),
        ("one two three four", 9, "one two three four"),
        ("one two three four", 0, ""),
        ("  one two three", 1, "one"),
        ("", 3, ""),
    ],
)
def test_head_truncation_ends_at_a_word(text: str, tokens: int, expected: str) -> None:
    assert head_truncation(text, TokenBudget(tokens, Words())) == expected


def test_head_truncation_cuts_a_single_word_that_is_too_long() -> None:
    assert head_truncation("abcdefgh", TokenBudget(3, Characters())) == "abc"


def test_head_truncation_keeps_the_longest_prefix_of_whole_words() -> None:
    tokenizer = get_tokenizer()
    text = article(20)
    for tokens in (1, 7, 50, 333):
        prefix = head_truncation(text, TokenBudget(tokens, tokenizer))
        longer = text[: len(prefix) + 30]
        assert text.startswith(prefix) and tokenizer.count(prefix) <= tokens < tokenizer.count(longer)


@pytest.mark.parametrize("counter", [Words(), SuperAdditive(), Erratic()])
def test_head_truncation_counts_few_times(counter) -> None:
    recording = Recording(counter)
    head_truncation(article(200), TokenBudget(50, recording))
    assert recording.calls <= 20


def test_head_truncation_as_a_compressor_is_the_function() -> None:
    budget = TokenBudget(40, get_tokenizer())
    assert HeadTruncation().compress(article(9), budget) == head_truncation(article(9), budget)


def test_random_sentences_are_whole_in_order_and_fill_the_budget() -> None:
    text = article(40)
    budget = TokenBudget(400, get_tokenizer())
    result = RandomSentences().compress(text, budget)
    sentences = [text[a:b].strip() for a, b in split_sentences(text)]
    places = [sentences.index(result[a:b].strip()) for a, b in split_sentences(result)]
    assert places == sorted(places) and len(set(places)) == len(places)
    assert 340 <= budget.counter.count(result) <= 400
    assert places != list(range(len(places)))


def test_random_sentences_differ_between_texts() -> None:
    budget = TokenBudget(200, get_tokenizer())
    text = article(40)
    one, other = (RandomSentences().compress(t, budget) for t in (text, text + " Then it ended."))
    assert one != other


def test_whole_text_ignores_the_budget() -> None:
    budget = TokenBudget(3, get_tokenizer())
    text = article(5)
    assert WholeText().compress(text, budget) == text
    assert not budget.fits(text)


def test_flaky_fails_for_every_second_text_and_is_lexical_otherwise() -> None:
    flaky = Flaky()
    budget = TokenBudget(30, get_tokenizer())
    text = article(4)
    for _ in range(3):
        assert flaky.compress(text, budget) == LexicalCompressor().compress(text, budget)
        with pytest.raises(CompressorError, match="on purpose"):
            flaky.compress(text, budget)
