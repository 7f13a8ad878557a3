import asyncio
import gzip
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_record import HOTKEYS, Script, script_of
from typer.testing import CliRunner

from compression_subnet.cli import app
from compression_subnet.database import open_database
from compression_subnet.errors import StoreError, StoreFull
from compression_subnet.settings import ValidatorSettings, load_settings
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.archive import (
    archive_folder,
    archive_path,
    read_archive,
    restore,
    round_tables,
)
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.retention import Retention
from compression_subnet.validator.records.retention_policy import RetentionPolicy, StoredRound, next_to_archive
from compression_subnet.validator.records.schema import MIGRATIONS
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rescoring.rescore import rescore

DAY = 86_400.0
KEEP_ALL = RetentionPolicy(None, None, None)
KEEP_NOTHING = RetentionPolicy(0, None, None)

Rows = dict[str, list[tuple[Any, ...]]]


class Days:
    """A clock in days, which stands still."""

    def __init__(self) -> None:
        self.day = 0.0

    def __call__(self) -> float:
        return self.day * DAY


@pytest.fixture
def script() -> Script:
    return script_of(4)


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
def store(tmp_path: Path, script: Script, days: Days) -> Iterator[Store]:
    """A record of four rounds, one a day."""
    with Store(tmp_path / "validator.sqlite", days) as store:

        def next_day(epoch: int) -> None:
            days.day += 1

        script.play(store, after_round=next_day)
        yield store


def rows_of(db: sqlite3.Connection, number: int) -> Rows:
    tables = {"rounds": "number", **round_tables(db)}
    of_challenge = "challenge IN (SELECT id FROM challenges WHERE round = ?)"
    return {
        table: db.execute(
            f"SELECT * FROM {table} WHERE {of_challenge if column == 'challenge' else f'{column} = ?'}", (number,)
        ).fetchall()
        for table, column in tables.items()
    }


def kept(store: Store) -> list[int]:
    return [row[0] for row in store.read.db.execute("SELECT DISTINCT round FROM challenges ORDER BY round")]


def test_rounds_leave_by_age_and_the_last_that_counted_never_does(store: Store, days: Days) -> None:
    averages, weights = store.read.averages(), store.read.last_weights()
    policy = RetentionPolicy(3.5 * DAY, None, None)  # the rounds are 4, 3, 2 and 1 days old
    assert Retention(store.path, policy, days).run_here().archived == (1,)
    assert kept(store) == [2, 3, 4]
    days.day = 1000
    assert Retention(store.path, policy, days).run_here().archived == (2, 3)
    assert Retention(store.path, policy, days).run_here().archived == ()
    assert kept(store) == [4]
    assert (store.read.averages(), store.read.last_weights()) == (averages, weights)
    assert store.read.last_counted() == (4, 4)
    assert store.read.counted_since(1) == 4
    assert store.begin_round(5, "profile", 1) == 5


def test_rounds_leave_by_size_and_the_file_becomes_smaller(store: Store, days: Days) -> None:
    store.read.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = store.path.stat().st_size
    assert Retention(store.path, RetentionPolicy(None, before, None), days).run_here().archived == ()
    retained = Retention(store.path, RetentionPolicy(None, before - 1, None), days).run_here()
    assert retained.archived == (1,)
    assert Retention(store.path, RetentionPolicy(None, 1, None), days).run_here().archived == (2, 3)
    assert store.path.stat().st_size < before - retained.freed < before
    assert store.read.db.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert store.read.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_an_archive_holds_every_row_of_its_round(store: Store, days: Days, tmp_path: Path) -> None:
    before = {number: rows_of(store.read.db, number) for number in (1, 2, 3)}
    assert all(before[1].values() or table == "faults" for table in before[1])
    Retention(store.path, KEEP_NOTHING, days).run_here()
    archives = sorted(archive_folder(store.path).iterdir())
    assert [archive.name for archive in archives] == [f"round-{n:08}.jsonl.gz" for n in (1, 2, 3)]
    restored = tmp_path / "restored.sqlite"
    assert restore(archives, restored) == [1, 2, 3]
    with closing(sqlite3.connect(restored)) as db:
        assert {number: rows_of(db, number) for number in (1, 2, 3)} == before


async def test_a_record_made_of_archives_is_rescored_and_so_is_what_stayed(
    store: Store, days: Days, tmp_path: Path
) -> None:
    Retention(store.path, KEEP_NOTHING, days).run_here()
    restored = tmp_path / "restored.sqlite"
    restore(list(archive_folder(store.path).iterdir()), restored)
    with Store(restored) as again:
        assert again.set_aside is None
    with open_record(restored) as record:
        rescored = await rescore(record, get_tokenizer())
        assert rescored.difference is None
        assert [(r.number, r.averages, r.vectors) for r in rescored.rounds] == [(n, len(HOTKEYS), 1) for n in (1, 2, 3)]
    with open_record(store.path) as record:
        rescored = await rescore(record, get_tokenizer())
        assert rescored.difference is None
        last = rescored.rounds[-1]
        assert (last.number, last.challenges, last.averages, last.vectors, last.note) == (4, 3, len(HOTKEYS), 1, "")


def test_going_on_after_archiving_moves_averages_as_if_nothing_had_left(
    store: Store, script: Script, days: Days, tmp_path: Path
) -> None:
    with Store(tmp_path / "other.sqlite", days) as other:
        retention = Retention(other.path, KEEP_NOTHING, days)

        def next_day(epoch: int) -> None:
            days.day += 1
            retention.run_here()

        script.play(other, after_round=next_day)
        assert other.read.averages() == store.read.averages()


def test_a_process_that_died_between_archive_and_deletion_writes_the_same_file_again(
    store: Store, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("compression_subnet.validator.records.retention.transaction", dies)
        with pytest.raises(KeyboardInterrupt):
            Retention(store.path, KEEP_NOTHING, days).run_here()
    archive = archive_path(archive_folder(store.path), 1)
    first = archive.read_bytes()
    assert kept(store) == [1, 2, 3, 4]
    Retention(store.path, KEEP_NOTHING, days).run_here()
    assert archive.read_bytes() == first
    assert kept(store) == [4]


def test_an_archive_that_does_not_read_back_deletes_nothing(
    store: Store, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_disk(path: Path) -> object:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        return read_archive(path)

    monkeypatch.setattr("compression_subnet.validator.records.archive.read_archive", broken_disk)
    with pytest.raises(StoreError, match=r"cannot be read as an archive|altered"):
        Retention(store.path, KEEP_NOTHING, days).run_here()
    assert kept(store) == [1, 2, 3, 4]
    assert list(archive_folder(store.path).iterdir()) == []


def test_a_full_disk_leaves_the_round_in_the_record_and_no_draft(
    store: Store, days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("compression_subnet.validator.records.archive.os.fsync", full)
    with pytest.raises(StoreFull, match="No space left"):
        Retention(store.path, KEEP_NOTHING, days).run_here()
    assert kept(store) == [1, 2, 3, 4]
    assert list(archive_folder(store.path).iterdir()) == []


def test_drafts_of_a_process_that_died_are_swept(store: Store, days: Days) -> None:
    draft = archive_folder(store.path) / "round-00000009.jsonl.gz.draft"
    draft.parent.mkdir()
    draft.write_bytes(b"half")
    Retention(store.path, KEEP_ALL, days).run_here()
    assert not draft.exists()


def test_the_oldest_archives_are_deleted_where_they_take_too_much(store: Store, days: Days) -> None:
    Retention(store.path, KEEP_NOTHING, days).run_here()
    files = sorted(archive_folder(store.path).iterdir())
    (archive_folder(store.path) / "notes.txt").write_text("an operator's own")
    room = sum(file.stat().st_size for file in files) - 1
    assert Retention(store.path, RetentionPolicy(0, None, room), days).run_here().deleted == (files[0],)
    assert sorted(p.name for p in archive_folder(store.path).iterdir()) == ["notes.txt", files[1].name, files[2].name]


def test_a_file_of_an_earlier_release_becomes_one_that_gives_room_back(tmp_path: Path, script: Script) -> None:
    path = tmp_path / "validator.sqlite"
    open_database(path, MIGRATIONS, "record").close()  # as earlier releases made it
    with Store(path, lambda: 1.0) as store:
        script.play(store)
    before = path.stat().st_size
    tight = Retention(path, RetentionPolicy(0, None, None), lambda: 9.0, free_space=lambda _: 0)
    assert tight.run_here().freed == 0
    assert path.stat().st_size == before
    assert Retention(path, KEEP_NOTHING, lambda: 9.0).run_here().freed > 0
    with Store(path) as store:
        assert store.read.db.execute("PRAGMA auto_vacuum").fetchone() == (2,)
        assert store.read.last_counted() == (4, 4)


async def test_it_runs_off_the_event_loop_and_stops_where_it_is_cancelled(store: Store, days: Days) -> None:
    threads: list[str] = []
    entered, go_on = threading.Event(), threading.Event()

    def progress() -> None:
        threads.append(threading.current_thread().name)
        entered.set()
        go_on.wait(10)

    work = asyncio.create_task(Retention(store.path, KEEP_NOTHING, days).run(progress))
    assert await asyncio.to_thread(entered.wait, 10)
    work.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert threading.main_thread().name not in threads
    assert kept(store) == [1, 2, 3, 4]
    assert (await Retention(store.path, KEEP_NOTHING, days).run()).archived == (1, 2, 3)


@pytest.mark.parametrize("damage", ["cut", "flipped", "emptied", "row gone", "foreign"])
def test_an_archive_that_was_altered_is_refused(store: Store, days: Days, tmp_path: Path, damage: str) -> None:
    Retention(store.path, KEEP_NOTHING, days).run_here()
    archive = archive_path(archive_folder(store.path), 1)
    content = archive.read_bytes()
    lines = gzip.decompress(content).splitlines(keepends=True)
    archive.write_bytes(
        {
            "cut": content[:-20],
            "flipped": content[:200] + bytes([content[200] ^ 1]) + content[201:],
            "emptied": b"",
            "row gone": gzip.compress(b"".join(lines[:3] + lines[4:])),
            "foreign": gzip.compress(b'{"hello": 1}\n'),
        }[damage]
    )
    with pytest.raises(StoreError, match="round-00000001"):
        restore([archive], tmp_path / "restored.sqlite")
    assert not (tmp_path / "restored.sqlite").exists()


def test_a_round_in_two_archives_or_a_file_in_the_way_is_an_error(store: Store, days: Days, tmp_path: Path) -> None:
    Retention(store.path, KEEP_NOTHING, days).run_here()
    archive = archive_path(archive_folder(store.path), 1)
    with pytest.raises(StoreError, match="UNIQUE"):
        restore([archive, archive], tmp_path / "restored.sqlite")
    with pytest.raises(StoreError, match="name a new file"):
        restore([archive], store.path)


@given(
    ages=st.lists(st.floats(0, 100), max_size=6),
    seconds=st.none() | st.floats(0, 100),
    size=st.none() | st.integers(0, 100),
    used=st.integers(0, 100),
    free=st.integers(0, 100),
)
def test_it_is_always_the_oldest_that_leaves_and_only_where_a_bound_is_passed(
    ages: Sequence[float], seconds: float | None, size: int | None, used: int, free: int
) -> None:
    rounds = [StoredRound(n, 100 - age) for n, age in enumerate(sorted(ages, reverse=True), 1)]
    leaves = next_to_archive(rounds, RetentionPolicy(seconds, size, None, 50), 100, used, free)
    passed = (size is not None and used > size) or free < 50
    passed |= bool(rounds) and seconds is not None and 100 - rounds[0].at > seconds
    assert leaves == (rounds[0] if rounds and passed else None)


def test_rounds_leave_sooner_where_the_disk_is_short_and_no_more_of_them_than_it_takes(
    store: Store, days: Days
) -> None:
    store.read.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    policy = RetentionPolicy(None, None, None, free_bytes=10_000)
    assert Retention(store.path, policy, days, free_space=lambda _: 10_000).run_here().archived == ()
    assert Retention(store.path, policy, days, free_space=lambda _: 9_999).run_here().archived == (1,)
    assert Retention(store.path, policy, days, free_space=lambda _: 0).run_here().archived == (2,)
    with Store(store.path) as again:
        assert again.set_aside is None


def test_the_command_makes_a_record_that_rescore_takes(store: Store, days: Days, tmp_path: Path) -> None:
    Retention(store.path, KEEP_NOTHING, days).run_here()
    out, folder = str(tmp_path / "restored.sqlite"), str(archive_folder(store.path))
    done = CliRunner().invoke(app, ["restore", folder, "--out", out])
    assert (done.exit_code, done.stdout) == (0, f"{out}: 3 rounds, 1 to 3\n")
    assert CliRunner().invoke(app, ["rescore", "--store", out]).exit_code == 0
    assert CliRunner().invoke(app, ["restore", folder, "--out", out]).exit_code == 2
    assert CliRunner().invoke(app, ["restore", str(tmp_path), "--out", str(tmp_path / "new.sqlite")]).exit_code == 2


def test_bounds_are_given_as_an_operator_writes_them() -> None:
    flags = [
        "--netuid",
        "1",
        "--neuron.keep-days",
        "None",
        "--neuron.keep-bytes",
        "5GB",
        "--neuron.min-free-bytes",
        "50MB",
    ]
    neuron = load_settings(ValidatorSettings, flags, "validator").neuron
    assert (neuron.keep_days, neuron.keep_bytes, neuron.min_free_bytes) == (None, 5 * 10**9, 50 * 10**6)
    assert neuron.archive_bytes == 40 * 10**9
