"""What the soak checks can fail: each breach that it is there to find is committed here, and found."""

import asyncio
import json
import random
import sqlite3
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from recorded_run import record_run

from compression_subnet.chain.port import WeightsSet
from compression_subnet.validator.records.archive import archive_folder
from compression_subnet.validator.records.retention import Retention
from compression_subnet.validator.records.retention_policy import RetentionPolicy
from compression_subnet.validator.records.round_rows import vectors_of
from compression_subnet.validator.records.store import Store
from soak.checks import Checks
from soak.damage import DAMAGES, damage, digests
from soak.final import lost_archives, recompute
from soak.ledger import Ledger, Seen, expected_vectors, follow, is_warm, last_counted
from soak.network import Setting
from soak.outcome import Outcome


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "validator.sqlite"
    asyncio.run(record_run(path))
    return path


@pytest.fixture(scope="module")
def sound(recorded: Path) -> Seen:
    """What is seen of the record as it is."""
    return follow(recorded, Ledger(), closed=True)


@pytest.fixture
def record(recorded: Path, tmp_path: Path) -> Path:
    path = tmp_path / "validator.sqlite"
    with closing(sqlite3.connect(recorded)) as source, closing(sqlite3.connect(path)) as target:
        source.backup(target)
    return path


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            assert db.execute(statement).rowcount


def test_a_sound_record_is_followed_to_its_end(record: Path, sound: Seen) -> None:
    assert sound.problems == ()
    assert set(sound.ledger.rounds.values()) == {"counted", "void", "dropped"}
    assert sound.ledger.counted == last_counted(record) == 6
    assert {made.block: max(made.by_uid.values()) for made in sound.made} == {128: 65535, 228: 65535}
    assert follow(record, sound.ledger, closed=True) == sound


@pytest.mark.parametrize(
    ("breach", "told"),
    [
        (("UPDATE rounds SET status = 'void' WHERE number = 2",), "round 2 was counted and is now void"),
        (("DELETE FROM rounds WHERE number = 3",), "round 3 was void and is now gone"),
        (("DELETE FROM averages WHERE hotkey = 'five'",), "not those after round 6"),
        (("INSERT INTO averages SELECT 'stranger', body FROM averages LIMIT 1",), "not those after round 6"),
        (("DELETE FROM average_history WHERE round = 6",), "averages after round 6 have changed"),
    ],
)
def test_what_was_seen_and_is_otherwise_now_is_told(
    record: Path, sound: Seen, breach: Sequence[str], told: str
) -> None:
    change(record, *breach)
    assert any(told in problem for problem in follow(record, sound.ledger, closed=True).problems)


def test_an_average_that_was_moved_twice_is_told(record: Path) -> None:
    with closing(sqlite3.connect(record)) as db:
        (body,) = db.execute("SELECT body FROM averages WHERE hotkey = 'five'").fetchone()
    moved = json.loads(body)
    moved["scores"]["20"]["count"] *= 2
    for table in ("averages", "average_history"):
        change(record, f"UPDATE {table} SET body = '{json.dumps(moved)}' WHERE hotkey = 'five' AND body = '{body}'")
    (problem,) = follow(record, Ledger(), closed=True).problems
    assert "five" in problem and "rescore" in problem


def test_the_averages_of_a_round_that_was_broken_off_must_not_have_moved(record: Path) -> None:
    change(record, "INSERT INTO average_history SELECT 5, hotkey, body FROM average_history WHERE round = 4")
    assert follow(record, Ledger(), closed=True).problems


def test_a_file_that_is_no_record_any_more_is_a_problem_and_no_crash(record: Path) -> None:
    record.write_bytes(b"x" * 5_000)
    assert "cannot be read" in follow(record, Ledger(), closed=True).problems[0]


@pytest.fixture
def settings(recorded: Path, sound: Seen) -> list[Setting]:
    """The weights of rounds 1 and 6, as the chain would have brought them."""
    found = []
    with closing(sqlite3.connect(recorded)) as db:
        for made in sound.made:
            (vector,) = vectors_of(db, made.round)
            assert made.block is not None and vector.terms is not None
            holders = {uid: hotkey for hotkey, uid in vector.terms.registered.items()}
            found.append(Setting(made.block, made.by_uid, (holders,), frozenset(holders.values())))
    return found


def problems_of(record: Path, settings: Sequence[Setting], published: set[str] | None = None) -> list[str]:
    outcome = Outcome(seed=1, first=0)
    with ThreadPoolExecutor(1) as pool:
        checks = Checks(record, record.parent, pool, outcome, set() if published is None else published)
        for setting in settings:
            checks.caught(setting)
        asyncio.run(checks.check(closed=True))
    return outcome.problems


def test_weights_that_no_round_made_are_told(record: Path, settings: list[Setting]) -> None:
    first, last = settings
    strange = Setting(300, {1: 65535}, last.holders, last.serving)
    assert any("block 300 has weights that round 6's" in p for p in problems_of(record, [first, last, strange]))


def test_weights_that_the_record_has_otherwise_are_told(record: Path, settings: list[Setting]) -> None:
    first, last = settings
    other = Setting(last.block, {**last.by_uid, 1: 1}, last.holders, last.serving)
    assert any("block 228 has weights that the chain has not" in p for p in problems_of(record, [first, other]))


def test_weights_of_another_round_than_the_last_that_counted_are_told(record: Path, settings: list[Setting]) -> None:
    first, last = settings
    found = problems_of(record, [first, last])
    # Both were caught after round 6 here; the first is of round 1.
    assert [p for p in found if "weights of round" in p and "not warm" not in p] == [
        "epoch 0: block 128 has weights of round 1, not 6"
    ]


def test_weights_of_one_round_fit_whoever_held_the_uids(record: Path, settings: list[Setting]) -> None:
    _, last = settings
    (alone,) = expected_vectors(record, 6, last.holders)
    swapped = {**last.holders[0], max(alone): "stranger"}
    now, before = expected_vectors(record, 6, (swapped, last.holders[0]))
    assert before == alone
    assert now == {uid: weight for uid, weight in alone.items() if uid != max(alone)}


def test_a_round_is_warm_where_enough_of_those_that_serve_are(record: Path) -> None:
    known = frozenset({"five", "three", "two", "same", "whole"})
    crowd = known | {f"unknown-{n}" for n in range(20)}
    assert is_warm(record, 6, known, crowd)  # of those that served when the round began
    assert is_warm(record, 6, frozenset({"stranger"}), known)  # of those that serve now
    change(record, 'UPDATE average_history SET body = replace(body, \'"count":\', \'"count":0,"was":\')')
    assert not is_warm(record, 6, known, crowd)


def test_a_vector_without_a_row_is_checked_against_the_averages(record: Path, settings: list[Setting]) -> None:
    *_, last = settings
    change(record, "DELETE FROM weight_settings WHERE set_block = 228")
    (fitting,) = expected_vectors(record, 6, last.holders)
    assert problems_of(record, [Setting(228, fitting, last.holders, last.serving)], set(last.serving)) == [
        "epoch 0: the record says that block 128 has weights that the chain has not"
    ]


@pytest.mark.parametrize("way", DAMAGES)
def test_each_damage_changes_the_file_or_its_log(record: Path, way: str) -> None:
    with Store(record) as store:
        # A log is there as long as somebody has the file open.
        store.record_weights(6, {"five": 1}, WeightsSet(9, "0x"))
        log = record.with_name(record.name + "-wal").read_bytes()
    record.with_name(record.name + "-wal").write_bytes(log)
    before = digests(record)
    damage(record, way, random.Random(0))
    assert digests(record) != before


def test_a_whole_record_is_recomputed_with_the_rounds_that_left_it(record: Path) -> None:
    whole = recompute(record)
    assert whole.problems == () and whole.archived == 0
    policy = RetentionPolicy(seconds=0.0, record_bytes=None, archive_bytes=None)
    assert Retention(record, policy).run_here().archived
    parted = recompute(record)
    assert parted.problems == () and parted.rounds == whole.rounds and parted.archived


def test_an_archive_that_was_altered_is_told(record: Path) -> None:
    Retention(record, RetentionPolicy(seconds=0.0, record_bytes=None, archive_bytes=None)).run_here()
    file = min(archive_folder(record).glob("*.gz"))
    file.write_bytes(file.read_bytes()[:-20])
    assert any("cannot be restored" in problem for problem in recompute(record).problems)


def test_archives_of_a_record_that_was_set_aside_are_lost_where_others_take_their_names(tmp_path: Path) -> None:
    before, now = tmp_path / "before", tmp_path / "now"
    for folder in (before, now):
        folder.mkdir()
        (folder / "round-00000001.jsonl.gz").write_bytes(folder.name.encode())
    assert lost_archives(before, now.iterdir()) == ["round-00000001.jsonl.gz"]
    assert lost_archives(before, [*now.iterdir(), *before.iterdir()]) == []
