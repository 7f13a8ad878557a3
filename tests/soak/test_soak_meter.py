import subprocess
import sys
import time
from pathlib import Path

import pytest

from soak import meter

KEEPS = """
import sys, time
from pathlib import Path
from soak import meter
meter.keep_telling(Path(sys.argv[1]))
time.sleep(0.5)
kept = [bytes(10_000) for _ in range(1_000)], [object() for _ in range(50_000)]
print("kept", flush=True)
sys.stdin.read()
"""


def told(file: Path) -> meter.InUse:
    deadline = time.monotonic() + 20
    while (found := meter.read(file)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="asks the GNU C library")
def test_what_a_process_keeps_is_told(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    meter.begin(file)
    assert meter.read(file) is None
    with subprocess.Popen(
        [sys.executable, "-c", KEEPS, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        before = told(file)
        assert process.stdout is not None and process.stdout.readline()
        deadline = time.monotonic() + 20
        while (after := told(file)).bytes < before.bytes + 9_000_000 or after.blocks < before.blocks + 45_000:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.communicate(b"")
    assert process.returncode == 0
