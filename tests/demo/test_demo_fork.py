"""A compressor of one's own, as ``new-compressor`` writes it, in the demo in place of the reference."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from compression_subnet.demo.run import run_demo
from compression_subnet.errors import ConfigurationError

COMMAND = [sys.executable, "-m", "compression_subnet.cli"]


def test_a_fork_earns_in_the_demo_what_its_replies_are_worth(tmp_path: Path) -> None:
    made = subprocess.run(
        [*COMMAND, "new-compressor", "rare-words", "--dir", str(tmp_path)], capture_output=True, text=True, timeout=60
    )
    assert made.returncode == 0, made.stderr
    file = tmp_path / "demo.json"
    done = subprocess.run(
        [*COMMAND, "demo", "--challenges", "3", "--json", str(file), "--compressor", "rare_words:RareWords"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "rare-words")},
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(file.read_text())
    assert data["agree"] is True
    miners = {miner["name"]: miner for miner in data["miners"]}
    assert set(miners) == {"rare_words:RareWords", "random", "truncation", "whole", "flaky"}
    assert set(miners["rare_words:RareWords"]["reasons"]) == {"ok"}
    assert miners["rare_words:RareWords"]["score"] > 0


@pytest.mark.parametrize(("name", "said"), [("flaky", "already"), ("no-such", "PYTHONPATH")])
async def test_a_compressor_that_cannot_run_there_is_refused_before_anything_starts(name: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await run_demo(Console(quiet=True), compressor=name)
