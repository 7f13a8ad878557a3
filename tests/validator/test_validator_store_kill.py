import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: hundreds of records are synced, and a killed process loses no page."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as name:
        yield Path(name)


@pytest.mark.parametrize(("how", "step", "least"), [("statement", 1, 150), ("size", 9001, 30)])
def test_a_record_is_whole_wherever_its_process_is_killed_and_ends_as_if_it_never_was(
    folder: Path, how: str, step: int, least: int
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", str(HERE / "kill_points.py"), str(folder), how, str(step)],
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["kills"] >= least
