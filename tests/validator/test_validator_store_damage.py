import random
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from loguru import logger
from scripted_record import Script, script_of

from compression_subnet.errors import StoreError
from compression_subnet.validator.records.archive import archive_folder, archive_path
from compression_subnet.validator.records.quarantine import find_damage, set_aside
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.records.wal import wal_damage

PAGE = 4096


@pytest.fixture
def script() -> Script:
    return script_of(3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "validator.sqlite"


@pytest.fixture
def closed(path: Path, script: Script) -> Path:
    """A record that was closed: all of it is in its file."""
    with Store(path) as store:
        script.play(store)
    return path


@pytest.fixture
def crashed(tmp_path: Path, script: Script, path: Path) -> Path:
    """A record whose process died: the last rounds are in the log alone."""
    running = tmp_path / "running.sqlite"
    with Store(running) as store:
        script.play(store, 1)
        store.read.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.read.db.execute("PRAGMA wal_autocheckpoint = 0")
        script.play(store)
        for suffix in ("", "-wal"):
            path.with_name(path.name + suffix).write_bytes(running.with_name(running.name + suffix).read_bytes())
    return path


@pytest.fixture
def logged() -> Iterator[list[str]]:
    lines: list[str] = []
    sink = logger.add(lines.append, format="{level} {message}", level="WARNING")
    yield lines
    logger.remove(sink)


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def damage(path: Path, offset: int, data: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(data)


def root_of(path: Path, table: str) -> int:
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    return (page - 1) * PAGE


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "not SQLite": lambda path: path.write_bytes(b"not a database at all, but as long as one" * 200),
    "zeros": lambda path: path.write_bytes(bytes(8192)),
    "half a header": lambda path: path.write_bytes(path.read_bytes()[:50]),
    "a header alone": lambda path: path.write_bytes(path.read_bytes()[:100]),
    "garbage after the header": lambda path: damage(path, 100, random.Random(0).randbytes(path.stat().st_size - 100)),
    "cut off": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "cut off within its last page": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "cut off in the middle of its last page": lambda path: path.write_bytes(path.read_bytes()[: -PAGE // 2]),
    "a malformed page": lambda path: damage(path, root_of(path, "answers"), b"\xff" * PAGE),
    "a malformed page of the averages": lambda path: damage(path, root_of(path, "averages"), b"\x00" * PAGE),
    "a table is gone": lambda path: change(path, "DROP TABLE average_history"),
    "an average that cannot be read": lambda path: change(path, "UPDATE averages SET body = 'NaN'"),
    "an average that is another": lambda path: change(path, "UPDATE averages SET body = replace(body, '0.', '1.')"),
    "an average too many": lambda path: change(path, "INSERT INTO averages SELECT 'new', body FROM averages LIMIT 1"),
    "an average too few": lambda path: change(path, "DELETE FROM averages WHERE hotkey = 'good'"),
}


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_record_is_set_aside_as_it_is_and_a_new_one_is_begun(
    closed: Path, kind: str, logged: list[str]
) -> None:
    DAMAGES[kind](closed)
    before = closed.read_bytes()
    with Store(closed, lambda: 86_400.0) as store:
        aside = closed.with_name("validator.sqlite.damaged-19700102T000000Z")
        assert store.set_aside == aside
        assert store.read.averages() == {}
        assert store.read.last_counted() is None
        ((kind_, detail, count),) = store.read.db.execute("SELECT kind, detail, count FROM faults")
        assert (kind_, count) == ("set_aside", 1)
        assert str(aside) in detail
        assert store.begin_round(1, "profile", 1) == 1
    assert aside.read_bytes() == before
    assert f"ERROR {closed} is damaged" in logged[0] and f"it is now {aside}," in logged[0]
    with Store(closed) as store:  # the new one is sound
        assert store.set_aside is None


def test_a_damaged_records_archives_go_with_it_since_a_new_ones_have_the_same_names(closed: Path) -> None:
    archives = archive_folder(closed)
    archive_path(archives, 1).parent.mkdir()
    archive_path(archives, 1).write_bytes(b"round 1 of the old record")
    closed.write_bytes(b"damaged")
    for second, left in ((0, True), (1, False)):
        with Store(closed, lambda second=second: 86_400.0 + second):
            assert not archives.exists()
        aside = archives.with_name(f"validator-archive.damaged-19700102T00000{second}Z")
        assert aside.exists() is left
        if left:
            assert archive_path(aside, 1).read_bytes() == b"round 1 of the old record"
        closed.write_bytes(b"damaged again")  # by now there are no archives


@pytest.mark.parametrize("cut", [1, PAGE // 2, PAGE - 1])
def test_a_last_page_that_was_being_copied_from_the_log_is_sound(tmp_path: Path, script: Script, cut: int) -> None:
    running, killed = tmp_path / "running.sqlite", tmp_path / "killed.sqlite"
    with Store(running) as store:
        store.read.db.execute("PRAGMA wal_autocheckpoint = 0")
        script.play(store)
        averages = store.read.averages()
        log_of(killed).write_bytes(log_of(running).read_bytes())
        store.read.db.execute("PRAGMA wal_checkpoint(PASSIVE)")
        killed.write_bytes(running.read_bytes()[:-cut])
    assert averages and find_damage(killed) is None
    with Store(killed) as store:
        assert store.set_aside is None
        assert store.read.averages() == averages


def test_a_record_that_is_empty_is_not_read_and_its_log_stays(tmp_path: Path) -> None:
    record = tmp_path / "validator.sqlite"
    record.touch()
    log_of(record).write_bytes(b"all that is left")
    with pytest.raises(StoreError, match="is empty"), open_record(record):
        pass
    assert log_of(record).read_bytes() == b"all that is left"


def test_a_record_whose_process_died_is_sound(crashed: Path, script: Script) -> None:
    with Store(crashed) as store:
        assert store.set_aside is None
        assert store.read.last_counted() == (3, 3)


@pytest.mark.parametrize("where", ["header", "frame", "checksum"])
def test_a_log_that_went_bad_before_whole_transactions_is_damage(crashed: Path, where: str) -> None:
    offset = {"header": 10, "frame": 32 + 24 + 100, "checksum": 32 + 20}[where]
    damage(log_of(crashed), offset, b"\xaa\x55")
    kept = [crashed.read_bytes(), log_of(crashed).read_bytes()]
    with Store(crashed) as store:
        assert store.set_aside is not None
        assert store.read.averages() == {}
        assert [store.set_aside.read_bytes(), log_of(store.set_aside).read_bytes()] == kept


def test_a_log_that_is_torn_at_any_byte_is_no_damage_and_loses_no_whole_transaction_before(crashed: Path) -> None:
    whole = log_of(crashed).read_bytes()
    original = crashed.read_bytes()
    reached = 0
    for size in (*range(0, len(whole), 2 * PAGE + 1001), len(whole)):
        crashed.write_bytes(original)
        log_of(crashed).write_bytes(whole[:size])
        with Store(crashed) as store:
            assert store.set_aside is None
            assert store.read.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            last = store.read.last_counted()
            assert last is not None and last[0] >= reached
            reached = last[0]
    assert reached == 3


def test_what_an_earlier_longer_log_left_behind_is_no_damage(crashed: Path) -> None:
    log = log_of(crashed)
    frames = log.read_bytes()[32:]
    salted = bytearray(frames)
    for start in range(0, len(frames), 24 + PAGE):
        salted[start + 8 : start + 16] = struct.pack(">2I", 1, 2)
    with log.open("ab") as file:
        file.write(salted)
    assert wal_damage(log) is None


def test_a_log_whose_record_is_gone_is_kept(crashed: Path) -> None:
    crashed.unlink()
    kept = log_of(crashed).read_bytes()
    with Store(crashed) as store:
        assert store.set_aside is not None
        assert log_of(store.set_aside).read_bytes() == kept


def test_damage_anywhere_never_overwrites_the_file_and_never_raises_more_than_our_error(
    closed: Path, tmp_path: Path
) -> None:
    content, rng = closed.read_bytes(), random.Random(0)
    found = 0
    for number in range(60):
        path = tmp_path / f"{number}" / "validator.sqlite"
        path.parent.mkdir()
        broken = bytearray(content)
        start = rng.randrange(len(broken))
        broken[start : start + 200] = rng.randbytes(200)
        broken = broken[: len(content)]
        path.write_bytes(broken)
        try:
            verdict = find_damage(path)
        except StoreError:
            continue
        assert path.read_bytes() == broken
        assert sorted(p.name for p in path.parent.iterdir()) in (
            ["validator.sqlite"],
            ["validator.sqlite", "validator.sqlite-shm", "validator.sqlite-wal"],
        )
        found += verdict is not None
    assert found > 10


def test_names_that_are_taken_are_passed_over(path: Path) -> None:
    names = set()
    for content in (b"one", b"two", b"three"):
        path.write_bytes(content)
        aside = set_aside(path, 0.0)
        assert aside.read_bytes() == content
        names.add(aside.name)
    assert len(names) == 3


@pytest.mark.parametrize("mark", [0, 77])
def test_another_applications_file_is_refused_and_not_touched(path: Path, mark: int) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(f"PRAGMA application_id = {mark}")
        db.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="no record of ours"):
        Store(path)
    assert path.read_bytes() == before


def test_a_newer_releases_file_is_refused_and_not_set_aside(closed: Path) -> None:
    change(closed, "PRAGMA user_version = 99")
    before = closed.read_bytes()
    with pytest.raises(StoreError, match="newer release"):
        Store(closed)
    assert closed.read_bytes() == before


def test_a_folder_in_its_place_is_an_error_that_names_it(path: Path) -> None:
    path.mkdir()
    with pytest.raises(StoreError, match=r"validator\.sqlite"):
        Store(path)


def test_a_link_to_a_record_is_followed(closed: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.sqlite"
    link.symlink_to(closed)
    closed.write_bytes(b"")
    with Store(link) as store:
        assert store.set_aside is not None
        assert store.set_aside.parent == closed.parent
    assert link.is_symlink() and closed.stat().st_size


def test_a_record_that_another_process_holds_is_not_taken_for_damaged(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compression_subnet.validator.records.quarantine.BUSY_SECONDS", 0.01)
    with closing(sqlite3.connect(closed, isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="no other process holds it"):
            Store(closed)
        db.execute("ROLLBACK")
    assert closed.exists()


def test_opening_a_record_changes_no_byte_of_it(closed: Path) -> None:
    before = closed.read_bytes()
    with Store(closed) as store:
        assert store.read.averages() != {}
    assert closed.read_bytes() == before
