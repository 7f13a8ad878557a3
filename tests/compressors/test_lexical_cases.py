"""The complaints of users of other compressors, each with the reply that it should have got.

The numbers T.. are those of the project's notes on compressors.
"""

import random
import re

import numpy as np
import pytest
from compressor_texts import NOUNS, PLACES, article

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.text.canonical import canonical
from compression_subnet.text.tokens import get_tokenizer
from compression_subnet.text.words import split_words

LEVELS = [20, 40, 60]


def compress(text: str, level: int) -> str:
    tokenizer = get_tokenizer()
    return LexicalCompressor().compress(text, TokenBudget(tokenizer.count(text) * level // 100, tokenizer))


def words(text: str) -> set[str]:
    return {text[start:end].strip() for start, end in split_words(text)}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("tokens", [60, 150, 2_000, 12_000])
def test_t01_the_rate_is_met_for_short_and_long_texts(tokens: int, level: int) -> None:
    tokenizer = get_tokenizer()
    text = article(tokens // 35)
    size = tokenizer.count(text)
    used = tokenizer.count(compress(text, level))
    assert used <= size * level // 100
    assert size < 100 or used >= 0.97 * (size * level // 100)


def test_t02_a_short_text_is_compressed_too() -> None:
    text = "Mara sold nine blue kites in Oslo on Tuesday, then drove home to her two brothers."
    result = compress(text, 40)
    assert 0 < get_tokenizer().count(result) <= 8
    assert {"Mara", "nine"} <= words(result)


@pytest.mark.xfail(reason="the last token goes to a number, 'two', and not to the place", strict=True)
def test_t02_a_short_text_keeps_what_would_be_asked_for() -> None:
    text = "Mara sold nine blue kites in Oslo on Tuesday, then drove home to her two brothers."
    assert {"nine", "Oslo"} <= words(compress(text, 40))


def test_t03_an_absolute_limit_binds() -> None:
    tokenizer = get_tokenizer()
    text = "Mara sold nine blue kites in Oslo on Tuesday, then drove home again."
    assert 5 <= tokenizer.count(LexicalCompressor().compress(text, TokenBudget(10, tokenizer))) <= 10


@pytest.mark.parametrize("text", ["", "   \n", "hello", "?", "7", "a\n\n\nb"])
@pytest.mark.parametrize("level", LEVELS)
def test_t05_t07_empty_and_tiny_texts_raise_nothing(text: str, level: int) -> None:
    assert len(compress(text, level)) <= len(text)


def test_t06_an_empty_batch_gives_an_empty_list() -> None:
    assert LexicalCompressor().compress_batch([]) == []


def test_t14_no_character_is_cut() -> None:
    text = "田中さんは三月五日に東京で鍵を三本なくした。"
    result = compress(text, 40)
    assert result and "\ufffd" not in result and set(result) <= set(text)
    assert canonical(result) == result


@pytest.mark.parametrize("level", LEVELS)
def test_t15_no_space_is_put_between_ideographs(level: int) -> None:
    assert " " not in compress("李雷在杭州买了两本旧书", level)


@pytest.mark.parametrize(
    "text",
    [
        "他来了。她走了。雨停了。" * 3,
        "राम आया। सीता गई। " * 3,
        "Он пришёл. Она ушла. " * 4,
        "그는 왔다. 그녀는 갔다. " * 4,
    ],
)
def test_t16_texts_of_other_scripts_are_compressed_in_part(text: str) -> None:
    result = compress(text, 40)
    assert 0 < len(result) < len(text)


def test_t18_500_ideographs_are_counted_not_estimated() -> None:
    text = "".join(chr(0x4E00 + 37 * i % 5000) + ("。" if i % 20 == 19 else "") for i in range(500))
    tokenizer = get_tokenizer()
    for level in LEVELS:
        budget = tokenizer.count(text) * level // 100
        assert 0.9 * budget <= tokenizer.count(compress(text, level)) <= budget


@pytest.mark.parametrize("level", LEVELS)
def test_t19_t22_identifiers_are_verbatim_or_absent(level: int) -> None:
    text = "Van KX-7714-Q left bay 12B at 06:45; permit 00-8831. It ran v0.21.3 of ord_8f3a at 10.0.0.7:8080."
    assert words(compress(text, level)) <= words(text)


@pytest.mark.parametrize("level", [10, *LEVELS])
def test_t20_every_word_of_the_reply_is_a_word_of_the_text(level: int) -> None:
    text = "The fuel dilution was measured (by hand)in the sump, and/or elsewhere; see x,y and foo(bar)baz. " * 3
    assert words(compress(text, level)) <= words(text)
    long = article(12)
    assert words(compress(long, level)) <= words(long)


@pytest.mark.parametrize("level", [25, 40, 50, 60, 70, 80])
def test_t23_a_verb_keeps_its_negation(level: int) -> None:
    result = compress("The valve must not be opened before 9 pm. It was never tested.", level)
    assert "opened" not in result or re.search(r"not be opened", result)
    assert "tested" not in result or "never tested" in result


@pytest.mark.parametrize(
    "text", ['{"a":""}', '{"a":"", "b": [1, 2, {"c": null}], "d": "the ferry left at 9"}', "[]", "{}"]
)
@pytest.mark.parametrize("level", LEVELS)
def test_t28_json_is_text(text: str, level: int) -> None:
    assert get_tokenizer().count(compress(text, level)) <= get_tokenizer().count(text) * level // 100


@pytest.mark.parametrize("sentences", [40, 400])
def test_t32_the_tokenizer_is_called_a_few_times_however_long_the_text(sentences: int) -> None:
    class Counting:
        calls = 0

        def count(self, text: str) -> int:
            self.calls += 1
            return get_tokenizer().count(text)

        def token_bytes(self, text: str) -> np.ndarray:
            self.calls += 1
            return get_tokenizer().token_bytes(text)

    text = article(sentences)
    counter = Counting()
    LexicalCompressor().compress(text, TokenBudget(get_tokenizer().count(text) * 4 // 10, counter))
    assert counter.calls <= 12


@pytest.mark.parametrize("level", LEVELS)
def test_t39_a_batch_gives_what_each_text_gives_alone_in_any_order(level: int) -> None:
    tokenizer = get_tokenizer()
    texts = [article(3 + seed, seed) for seed in range(17)]
    requests = [(t, TokenBudget(tokenizer.count(t) * level // 100, tokenizer)) for t in texts]
    alone = [compress(t, level) for t in texts]
    order = random.Random(level).sample(range(17), 17)
    together = LexicalCompressor().compress_batch([requests[i] for i in order])
    assert together == [alone[i] for i in order]


@pytest.mark.parametrize("level", LEVELS)
def test_t39_other_texts_before_it_change_nothing(level: int) -> None:
    texts = [article(10, seed) for seed in range(4)]
    one = LexicalCompressor()
    tokenizer = get_tokenizer()
    together = [one.compress(t, TokenBudget(tokenizer.count(t) * level // 100, tokenizer)) for t in texts]
    assert together == [compress(t, level) for t in texts]


def test_t40_no_global_random_state_is_touched() -> None:
    before, numpy_before = random.getstate(), np.random.get_state()[1].tolist()
    compress(article(10), 40)
    assert random.getstate() == before
    assert np.random.get_state()[1].tolist() == numpy_before


def test_t41_spellings_of_special_tokens_are_text() -> None:
    assert compress("You type <|endoftext|> to stop the old machine in the hall of Bergen.", 60)


def test_t49_a_dense_paragraph_keeps_more_than_one_of_filler() -> None:
    filler = " ".join(
        f"As it was with the {noun} of {place}, so it may well be said to have been with all of the others there."
        for noun, place in zip(NOUNS, [*PLACES, "Oslo"], strict=True)
    )
    text = f"{article(8)}\n\n{filler}"
    tokenizer = get_tokenizer()
    dense, _, rest = compress(text, 40).rpartition("\n")
    assert tokenizer.count(dense) / tokenizer.count(article(8)) > tokenizer.count(rest) / tokenizer.count(filler)


@pytest.mark.parametrize("level", [20, 30, 40, 50, 60, 70, 80])
def test_a_number_is_kept_with_its_unit(level: int) -> None:
    text = "The mast was 34 metres high and the hull weighed 210 tonnes, said Olav. It sailed 5 million miles in all."
    result = compress(text, level)
    for number, unit in (("34", "metres"), ("210", "tonnes"), ("5", "million"), ("million", "miles")):
        assert (number in result.split()) == (unit in re.findall(r"\w+", result))


def test_no_bracket_of_a_short_aside_is_left_open() -> None:
    result = compress(article(30), 40)
    depth = 0
    for character in result:
        depth += {"(": 1, ")": -1}.get(character, 0)
        assert depth in (0, 1)
