import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.errors import TokenizerError
from compression_subnet.text import canonical, get_tokenizer
from compression_subnet.text import tokens as module


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello world", 2),
        # a special token's spelling is plain text
        ("<|endoftext|>", 7),
        ("antidisestablishmentarianism", 6),
        ("東京都", 1),
        (" " * 128, 1),
    ],
)
def test_golden_counts(text: str, count: int) -> None:
    assert get_tokenizer("o200k_base").count(text) == count


def test_is_named_and_hashed() -> None:
    tokenizer = get_tokenizer()
    assert tokenizer.name == "o200k_base"
    assert tokenizer.sha256 == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(TokenizerError, match="cl100k_base, o200k_base"):
        get_tokenizer("p50k_base")


def test_a_changed_vocabulary_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(b"IQ== 0\n"))
    monkeypatch.setattr(module.resources, "files", lambda _: tmp_path)
    with pytest.raises(TokenizerError, match="reinstall bpe-openai"):
        module.get_tokenizer.__wrapped__("o200k_base")


def test_a_lone_surrogate_is_a_tokenizer_error_or_counted() -> None:
    tokenizer = get_tokenizer()
    try:
        assert tokenizer.count("\ud800") > 0
    except TokenizerError as error:
        assert "cannot encode" in str(error)


@given(st.text(max_size=300).map(canonical))
def test_token_lengths_cover_the_text(text: str) -> None:
    tokenizer = get_tokenizer()
    lengths = tokenizer.token_bytes(text)
    assert len(lengths) == tokenizer.count(text)
    assert lengths.sum() == len(text.encode())


def test_a_long_run_of_one_character_is_counted_whole() -> None:
    assert get_tokenizer().count("a" * 400_000) > 0
