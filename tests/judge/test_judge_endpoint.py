from pathlib import Path
from typing import Any

import pytest

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.endpoint import CallLimits, load_api_key


def test_a_key_comes_from_the_file_before_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-file\n")
    for environ, path, expected in (
        ({"CS_JUDGE_API_KEY": "from-env"}, file, "from-file"),
        ({"CS_JUDGE_API_KEY": " from-env "}, None, "from-env"),
    ):
        key = load_api_key(environ, path)
        assert key is not None
        assert key.get_secret_value() == expected
        assert expected not in repr(key)


def test_keys_of_other_products_are_not_sent_to_whichever_server_is_configured() -> None:
    assert load_api_key({"OPENAI_API_KEY": "sk"}) is None
    assert load_api_key({"CS_JUDGE_API_KEY": " "}) is None


@pytest.mark.parametrize("content", [None, b"", b" \n", b"\xff"])
def test_a_key_file_without_a_key_is_an_error(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigurationError, match="API key's file"):
        load_api_key({"CS_JUDGE_API_KEY": "k"}, file)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tries": 2},
        {"concurrency": 0},
        {"max_answer_tokens": 0},
        {"call_seconds": 0},
        {"reply_seconds": -1},
        {"backoff_seconds": -1},
    ],
)
def test_senseless_limits_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        CallLimits(**wrong)
