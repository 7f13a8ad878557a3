import pytest

from compression_subnet.text import SPECIAL_TOKENS, canonical, find_special_token


@pytest.mark.parametrize("token", SPECIAL_TOKENS)
def test_each_spelling_is_found_inside_a_text(token: str) -> None:
    assert find_special_token(f"before {token} after") is not None


@pytest.mark.parametrize("token", SPECIAL_TOKENS)
def test_the_list_is_canonical(token: str) -> None:
    assert canonical(token) == token


def test_full_width_bars_are_seen_through() -> None:
    assert find_special_token(canonical("<｜begin▁of▁sentence｜>")) == "<|begin▁of▁sentence|>"


@pytest.mark.parametrize("text", ["", "plain", "a < b > c", "[1] see note", "if x<s and s>y"])
def test_ordinary_text_has_none(text: str) -> None:
    assert find_special_token(text) is None
