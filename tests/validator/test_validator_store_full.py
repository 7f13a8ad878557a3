import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripted_record import Script, script_of

from compression_subnet.errors import StoreFull
from compression_subnet.validator.records.store import Store

PAGE = 4096


@pytest.fixture
def script() -> Script:
    return script_of(3)


@pytest.fixture
def store(tmp_path: Path, script: Script) -> Iterator[Store]:
    """A record with a round in it."""
    with Store(tmp_path / "validator.sqlite") as store:
        script.play(store, 1)
        yield store


def limit(store: Store, pages: int) -> None:
    """Let the file grow by so many pages; SQLite then fails as it does on a disk that is full."""
    present = store.read.db.execute("PRAGMA page_count").fetchone()[0]
    store.read.db.execute(f"PRAGMA max_page_count = {present + pages}")


@pytest.mark.parametrize("pages", range(0, 3))
def test_a_disk_that_is_full_at_any_page_is_a_typed_error_and_the_record_is_as_before_that_write(
    store: Store, script: Script, pages: int
) -> None:
    averages = store.read.averages()
    limit(store, pages)
    with pytest.raises(StoreFull, match="free space"):
        script.play(store)
    assert store.read.last_counted() == (1, 1)
    assert store.read.averages() == averages
    limit(store, 1000)
    script.play(store)
    assert store.read.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    counted = store.read.db.execute("SELECT epoch FROM rounds WHERE status = 'counted' ORDER BY number").fetchall()
    assert counted == [(1,), (2,), (3,)]


GROWING = """
import resource, sys
from pathlib import Path
from compression_subnet.errors import StoreFull
from compression_subnet.validator.records.store import Store
from scripted_record import script_of
path, script = Path(sys.argv[1]), script_of(3)
with Store(path) as store:
    script.play(store, 1)
    store.read.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
    full = 0
    for _ in range(3):
        try:
            script.play(store)
        except StoreFull:
            full += 1
    assert full == 3, full
    assert store.read.last_counted() == (1, 1)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    script.play(store)
    assert store.read.last_counted()[1] == 3
    assert store.read.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
"""


def test_a_write_that_the_system_refuses_is_a_full_disk_and_the_record_goes_on_once_there_is_room(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", GROWING, str(tmp_path / "validator.sqlite")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def mounted(folder: Path, kilobytes: int) -> bool:
    if os.geteuid() != 0:
        return False
    command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True).returncode == 0


def fill(path: Path) -> None:
    with path.open("ab", buffering=0) as file:
        try:
            while file.write(random.Random(0).randbytes(PAGE)):
                pass
        except OSError:
            pass


def test_a_real_disk_that_is_full_keeps_its_record(tmp_path: Path, script: Script) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted(disk, 1500):
        pytest.skip("only root may mount a small disk")
    try:
        with Store(disk / "validator.sqlite") as store:
            script.play(store, 1)
            averages = store.read.averages()
            fill(disk / "other")
            with pytest.raises(StoreFull):
                script.play(store)
            with pytest.raises(StoreFull):
                store.check_space(100_000)
            assert store.read.averages() == averages
            (disk / "other").unlink()
            store.check_space(100_000)
            script.play(store)
        fill(disk / "other")
        with pytest.raises(StoreFull):  # not damaged: nothing is set aside
            Store(disk / "validator.sqlite")
        (disk / "other").unlink()
        with Store(disk / "validator.sqlite") as store:
            assert store.read.last_counted() is not None
            assert store.set_aside is None
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_too_little_room_is_told_with_the_settings_that_help(tmp_path: Path) -> None:
    free = iter([1_000_000, 999_999])
    with Store(tmp_path / "validator.sqlite", free_space=lambda _: next(free)) as store:
        store.check_space(1_000_000)
        with pytest.raises(StoreFull, match=r"neuron\.min_free_bytes.*neuron\.keep_bytes"):
            store.check_space(1_000_000)


def test_faults_are_counted_by_round_and_kind_and_kept_short(tmp_path: Path, script: Script) -> None:
    with Store(tmp_path / "validator.sqlite", lambda: 5.0) as store:
        store.fault("ChainError", "down")
        script.play(store, 1)
        store.fault("ChainError", "down")
        store.fault("ChainError", "x\ud800" * 1000, 4)
        rows = store.read.db.execute("SELECT round, kind, length(detail), count, first, last FROM faults").fetchall()
    assert rows == [(0, "ChainError", 4, 1, 5.0, 5.0), (1, "ChainError", 500, 5, 5.0, 5.0)]
