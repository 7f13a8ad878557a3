import ast
import json
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from loguru import logger

from compression_subnet import logs
from compression_subnet.logs import configure_logging
from compression_subnet.setting_groups import LoggingSettings

PACKAGE = Path(__file__).parents[1] / "compression_subnet"
LEVELS = {"trace", "debug", "info", "success", "warning", "error", "critical", "exception"}


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


def test_log_files_are_rotated_and_neither_old_nor_many_ones_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "ROTATION_BYTES", 20_000)
    monkeypatch.setattr(logs, "KEEP_FILES", 4)
    configure_logging(LoggingSettings(logging_dir=tmp_path))
    for _ in range(400):
        logger.info("x" * 500)
    files = list(tmp_path.glob("*.log"))
    assert 3 <= len(files) <= 5  # the one that is being written is not counted
    assert all(file.stat().st_size <= 20_000 for file in files)
    old = next(iter(files))
    os.utime(old, (0, 0))
    logs._retain([str(file) for file in files])
    assert not old.exists()


def test_debug_is_off_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    logger.debug("hidden")
    configure_logging(LoggingSettings(debug=True))
    logger.debug("shown")
    err = capsys.readouterr().err
    assert "hidden" not in err
    assert "shown" in err


def test_one_message_is_one_line_of_visible_characters(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    logger.warning("a reply: {}", "x\n2026-01-01 00:00:00 | CRITICAL | forged\r\x1b[31m\u2028\x9b")
    logging.getLogger("some.library").error("two\nlines")
    first, second = capsys.readouterr().err.splitlines()
    assert first.endswith("a reply: x\\x0a2026-01-01 00:00:00 | CRITICAL | forged\\x0d\\x1b[31m\\u2028\\x9b")
    assert second.endswith("two\\x0alines")


def test_words_of_any_language_stay_readable(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    logger.info("Größe\t漢字 🙂")
    assert "Größe\t漢字 🙂" in capsys.readouterr().err


def test_a_traceback_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings())
    try:
        raise ValueError("broken")
    except ValueError:
        logger.exception("it failed")
    err = capsys.readouterr().err
    assert "Traceback" in err and "ValueError: broken" in err and len(err.splitlines()) > 3


def test_each_line_is_json_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LoggingSettings(json_lines=True))
    logging.getLogger("uvicorn.error").warning("a\nb")
    logger.info("two")
    records = [json.loads(line)["record"] for line in capsys.readouterr().err.splitlines()]
    assert [record["message"] for record in records] == ["a\\x0ab", "two"]


def test_handlers_that_a_library_brought_go(capsys: pytest.CaptureFixture[str]) -> None:
    own = logging.getLogger("uvicorn")
    own.addHandler(logging.StreamHandler(sys.stderr))
    own.propagate = False
    configure_logging(LoggingSettings())
    own.error("heard")
    assert capsys.readouterr().err.count("heard") == 1


def test_the_sdk_and_the_server_do_not_take_logging_over() -> None:
    """Whether they are imported before or after: the root's handlers stay ours, and theirs are silent or ours."""
    code = """
import logging
from compression_subnet.logs import configure_logging
from compression_subnet.setting_groups import LoggingSettings
{}
configure_logging(LoggingSettings())
{}
for name in ("bittensor", "uvicorn", "uvicorn.error", "asyncio", "httpx2"):
    logging.getLogger(name).warning("said by " + name)
"""
    imports = "import bittensor, uvicorn; uvicorn.Config(None, log_config=None)"
    for before, after in ((imports, ""), ("", imports)):
        done = subprocess.run(
            [sys.executable, "-c", code.format(before, after)], capture_output=True, text=True, check=True, timeout=120
        )
        lines = done.stderr.splitlines()
        assert len(lines) == 5, done.stderr
        assert all(" | WARNING  | " in line and "said by" in line for line in lines)
        assert done.stdout == ""


def test_no_message_is_built_from_a_value() -> None:
    """What is logged is an argument, never part of the format: braces in a stranger's text are only text."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in LEVELS
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "logger"
                and not isinstance(node.args[0], ast.Constant)
            ):
                found.append(f"{path.relative_to(PACKAGE)}:{node.lineno}")
    assert found == []
