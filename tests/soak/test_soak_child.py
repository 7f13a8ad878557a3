"""The machine that the harness commands is what it says, for whoever runs on it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import os, shutil, sqlite3, sys, time
from soak.child import Machine
real = time.time()
machine = Machine()
machine.take_over()
machine.obey({"clock": 3600.0})
assert 3599 < time.time() - real < 3660 and time.time_ns() > 1e9 * (real + 3599)
db = sqlite3.connect("f.sqlite", isolation_level=None)
db.execute("PRAGMA journal_mode = WAL")
db.execute("CREATE TABLE t (x TEXT)")

def write():
    try:
        db.execute("INSERT INTO t VALUES (?)", ("x" * 50_000,))
    except sqlite3.OperationalError as error:
        return str(error)

assert write() is None
machine.obey({"disk": "full"})
assert shutil.disk_usage(".").free == os.statvfs(".").f_bavail == 0
print(write())
machine.obey({"disk": "failing"})
print(write())
machine.obey({"disk": "ok"})
assert write() is None and shutil.disk_usage(".").free > 0
print(db.execute("SELECT count(*) FROM t").fetchone()[0])
"""


def test_its_clock_jumps_and_its_disk_is_full_and_fails_when_told_to(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=tmp_path, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["database or disk is full", "disk I/O error", "2"]
