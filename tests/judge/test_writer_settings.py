"""The writer from its settings: its own endpoint or the judge's, its own key, and never the reader."""

from pathlib import Path
from typing import Any

import pytest

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.endpoint import load_api_key
from compression_subnet.judge.writing import can_write, writer_endpoint, writer_of
from compression_subnet.setting_groups import JudgeSettings, WriterSettings

JUDGE = JudgeSettings(base_url="http://judge.invalid/v1,http://second.invalid/v1", model="able")
KEYS = {"CS_JUDGE_API_KEY": "judge-key", "CS_WRITER_API_KEY": "writer-key"}


def endpoint(
    judge: JudgeSettings = JUDGE, environ: dict[str, str] = KEYS, **writer: Any
) -> tuple[str, str, str | None]:
    found = writer_endpoint(WriterSettings(**writer), judge, environ)
    return found.base_url, found.model, found.api_key and found.api_key.get_secret_value()


def test_what_is_left_out_is_the_judges() -> None:
    assert endpoint() == ("http://judge.invalid/v1", "able", "writer-key")
    assert endpoint(model="abler") == ("http://judge.invalid/v1", "abler", "writer-key")


def test_the_judges_key_goes_to_the_judges_address_alone() -> None:
    only_judge = {"CS_JUDGE_API_KEY": "judge-key"}
    assert endpoint(environ=only_judge)[2] == "judge-key"
    assert endpoint(environ=only_judge, base_url="https://writer.invalid/v1")[2] is None


def test_a_key_in_a_file_goes_before_the_environments(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("from-file\n")
    assert endpoint(base_url="https://writer.invalid/v1", api_key_file=file)[2] == "from-file"


def test_the_embedded_reader_cannot_write_and_the_message_names_the_fix() -> None:
    assert not can_write(WriterSettings(), JudgeSettings())
    with pytest.raises(ConfigurationError, match=r"--writer\.base-url.*--writer\.model"):
        endpoint(judge=JudgeSettings())
    assert endpoint(judge=JudgeSettings(), base_url="http://w.invalid/v1", model="able")[1] == "able"


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"writer\.base_url"):
        endpoint(base_url="writer.invalid")


async def test_the_writers_bounds_are_its_own() -> None:
    async with writer_of(WriterSettings(concurrency=2, max_tokens=512), JUDGE, {}) as writer:
        assert (writer._limits.concurrency, writer._limits.max_answer_tokens) == (2, 512)
        assert writer._limits.call_seconds == 180


def test_a_key_is_read_from_the_variable_that_is_named() -> None:
    judge, writer = load_api_key(KEYS), load_api_key(KEYS, variable="CS_WRITER_API_KEY")
    assert judge is not None and judge.get_secret_value() == "judge-key"
    assert writer is not None and writer.get_secret_value() == "writer-key"
