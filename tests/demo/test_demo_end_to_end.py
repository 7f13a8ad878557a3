"""The whole subnet as a new user runs it, with few challenges: real processes, chain, HTTP and model."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-m", "compression_subnet.cli", "demo", "--challenges", "6"]


def children(session_marker: str) -> list[str]:
    """Command lines of processes that name the marker."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if session_marker in line:
            found.append(line)
    return found


def test_a_round_from_text_to_weights(tmp_path: Path) -> None:
    keep, file = tmp_path / "keep", tmp_path / "demo.json"
    done = subprocess.run(
        [*COMMAND, "--json", str(file), "--keep", str(keep)], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(file.read_text())
    assert data["agree"] is True
    miners = {miner["name"]: miner for miner in data["miners"]}
    assert set(miners) == {"reference", "random", "truncation", "whole", "flaky"}
    assert miners["whole"]["weight_on_chain"] == 0
    assert "ok" not in miners["whole"]["reasons"]
    assert set(miners["flaky"]["reasons"]) == {"ok", "missing"}
    assert abs(sum(miner["weight_on_chain"] for miner in data["miners"]) - 1) < 1e-9
    assert miners["reference"]["score"] > miners["whole"]["score"]
    assert children(str(keep)) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing_behind(number: int, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    demo = subprocess.Popen(
        [*COMMAND, "--keep", str(keep)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert demo.stdout is not None
    with demo.stdout:
        for line in demo.stdout:
            if "are registered" in line:
                break
        end = time.monotonic() + 60
        while not children(str(keep)) and time.monotonic() < end:
            time.sleep(0.1)
        assert children(str(keep)), "no miner was started"
        os.kill(demo.pid, number)
        assert demo.wait(timeout=60) == 130
        assert "nothing is left behind" in demo.stdout.read()
    # The demo's own command line names the folder too, and it has ended.
    assert children(str(keep)) == []
