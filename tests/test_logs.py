import json
import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loguru import logger

from compression_subnet.logs import configure_logging
from compression_subnet.setting_groups import LoggingSettings


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level
    logger.remove()
    logger.add(sys.stderr)


def test_the_libraries_loggers_go_the_same_way_once(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    logging.getLogger("some.library").warning("heard %s", "it")
    logging.getLogger("httpx2").info("not this")
    err = capsys.readouterr().err
    assert err.count("heard it") == 1
    assert "not this" not in err


def test_braces_and_markup_in_a_message_are_only_text(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    logging.getLogger("some.library").warning("{x} <red>%d%% {0.__class__}", 3)
    assert "{x} <red>3% {0.__class__}" in capsys.readouterr().err


def test_json_lines_in_a_file(tmp_path: Path) -> None:
    configure_logging(LoggingSettings(json_lines=True, logging_dir=tmp_path))
    logger.info("hello")
    logger.complete()
    (file,) = tmp_path.glob("*.log")
    assert json.loads(file.read_text().splitlines()[0])["record"]["message"] == "hello"


def test_debug_is_off_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    logger.debug("hidden")
    configure_logging(LoggingSettings(debug=True))
    logger.debug("shown")
    err = capsys.readouterr().err
    assert "hidden" not in err
    assert "shown" in err
