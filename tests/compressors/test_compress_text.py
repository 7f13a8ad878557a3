"""Compressing one text from the outside: the numbers are counted from the strings."""

import pytest
from compressor_texts import article

from compression_subnet.compressors import compress_text
from compression_subnet.errors import CompressorError, ConfigurationError, TokenizerError
from compression_subnet.text.tokens import VOCABULARY_SHA256, get_tokenizer


class Padded:
    def compress(self, text: str, budget: object) -> str:
        return f"  {text[:20]}\r\n"


@pytest.mark.parametrize("level", [20, 40, 60])
def test_the_result_says_what_was_counted(level: int) -> None:
    text = article(12)
    result = compress_text(text, level, "random", "cl100k_base")
    tokenizer = get_tokenizer("cl100k_base")
    assert result.tokens_in == tokenizer.count(text)
    assert result.budget_tokens == result.tokens_in * level // 100
    assert result.tokens == tokenizer.count(result.compressed_text)
    assert result.within_budget and 0 < result.ratio <= level / 100
    assert (result.compressor, result.level, result.tokenizer) == ("random", level, "cl100k_base")
    assert result.tokenizer_sha256 == VOCABULARY_SHA256["cl100k_base"]


def test_t43_a_reply_that_is_over_budget_is_reported_as_such() -> None:
    result = compress_text(article(5), 20, "whole")
    assert result.tokens == result.tokens_in > result.budget_tokens
    assert not result.within_budget and result.ratio == 1.0


def test_text_and_reply_are_made_canonical() -> None:
    result = compress_text("Ｏｎｅ two\u200b three\r\nfour five six seven.", 60, f"{__name__}:Padded")
    assert result.compressed_text == "One two three\nfour f"


def test_only_the_compressor_is_timed() -> None:
    ticks = iter([10.0, 12.5])
    assert compress_text(article(4), 40, "truncation", clock=lambda: next(ticks)).seconds == 2.5


def test_an_empty_text_is_no_error() -> None:
    result = compress_text("", 20, "truncation")
    assert (result.compressed_text, result.tokens, result.ratio, result.within_budget) == ("", 0, 0.0, False)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("text", 0), ConfigurationError),
        (("text", 101), ConfigurationError),
        (("text", 20, "no-such"), CompressorError),
        (("text", 20, "truncation", "no-such"), TokenizerError),
    ],
)
def test_wrong_arguments_are_refused(arguments, error) -> None:
    with pytest.raises(error):
        compress_text(*arguments)
