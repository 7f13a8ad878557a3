import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest
from test_validator_round import run
from validator_fakes import keep_first

from compression_subnet.chain.port import WeightsSet
from compression_subnet.database import open_database
from compression_subnet.errors import StoreError
from compression_subnet.judge.cost import Prices
from compression_subnet.scoring import Average, ChallengeScore
from compression_subnet.transport import Failure
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.schema import MIGRATIONS
from compression_subnet.validator.records.store import Store

AVERAGE = Average.empty(0).update(4, [ChallengeScore(20, Fraction(1, 3), Fraction(1, 7))] * 3, 0.85)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "validator.sqlite"


async def test_a_round_comes_back_as_it_was_written(path: Path) -> None:
    result, _ = await run({"a": keep_first(2), "b": Failure.STATUS, "c": lambda text: text}, count=2)
    with Store(path) as store:
        number = store.begin_round(3, "profile", 2)
        store.add(number, result.challenges[0])
        assert store.read.progress() == (1, 2)
        store.add(number, result.challenges[1])
        store.finish_round(number, {"a": AVERAGE})
        store.record_weights(number, {"a": 65535}, WeightsSet(7, "0x1"))
    with open_record(path) as record:
        assert record.averages() == {"a": AVERAGE}
        assert record.reasons() == {"a": {"ok": 2}, "b": {"missing": 2}, "c": {"too_long": 2}}
        assert record.last_weights() == {"a": 65535}
        assert record.progress() == (2, 2)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT DISTINCT score FROM replies WHERE hotkey = 'a'").fetchall() == [("2/5",)]
        assert db.execute("SELECT count(*) FROM answers WHERE party = 'control:ceiling'").fetchone() == (10,)
    db.close()


async def test_a_reply_with_half_a_character_is_recorded(path: Path) -> None:
    result, _ = await run({"a": lambda text: "Ada Renn \ud800"})
    with Store(path) as store:
        store.add(store.begin_round(3, "profile", 1), result.challenges[0])
        assert store.read.reasons() == {"a": {"ok": 1}}


def test_a_round_that_was_killed_is_dropped_and_moves_nobody(path: Path) -> None:
    with Store(path) as store:
        store.finish_round(store.begin_round(1, "profile", 5), {"a": AVERAGE})
        store.begin_round(2, "profile", 5)
    with Store(path) as store:
        store.begin_round(3, "profile", 5)
        assert store.read.averages() == {"a": AVERAGE}
    with sqlite3.connect(path) as db:
        statuses = [row[0] for row in db.execute("SELECT status FROM rounds ORDER BY number")]
        assert statuses == ["counted", "dropped", "running"]
    db.close()


def test_a_void_round_keeps_the_averages(path: Path) -> None:
    with Store(path) as store:
        store.finish_round(store.begin_round(1, "profile", 5), {"a": AVERAGE})
        store.finish_round(store.begin_round(2, "profile", 5), None, "weak_ceiling")
        assert store.read.averages() == {"a": AVERAGE}


def test_the_deregistered_are_deleted(path: Path) -> None:
    with Store(path) as store:
        store.finish_round(store.begin_round(1, "profile", 5), {"a": AVERAGE, "b": AVERAGE})
        store.finish_round(store.begin_round(2, "profile", 5), {"b": AVERAGE})
        assert store.read.averages() == {"b": AVERAGE}


async def test_a_challenge_is_there_whole_or_not_at_all(path: Path) -> None:
    result, _ = await run({"a": keep_first(2)})
    with Store(path) as store:
        number = store.begin_round(1, "profile", 2)
        store.add(number, result.challenges[0])
        with pytest.raises(StoreError):  # the same challenge twice
            store.add(number, result.challenges[0])
        with pytest.raises(StoreError):  # of a round that there is not
            store.record_weights(99, {}, None)
        assert store.read.reasons() == {"a": {"ok": 1}}


def test_a_newer_releases_file_is_refused(path: Path) -> None:
    Store(path).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="newer release"):
        Store(path)
    with pytest.raises(StoreError, match="schema 99"), open_record(path):
        pass


def test_a_record_of_the_first_release_is_brought_up_to_date_with_what_it_holds(path: Path) -> None:
    with closing(open_database(path, MIGRATIONS[:1], "record")) as db:
        db.execute("INSERT INTO rounds VALUES (1, 5, 0.0, 1.0, 'profile', 3, 'counted', '')")
    with Store(path) as store:
        assert store.begin_round(6, "profile", 3, Prices(1, 2), 9.5) == 2
        assert store.read.costs(1) == {}
    with sqlite3.connect(path) as db:
        rows = db.execute("SELECT cut, max_cost, price_prompt, price_cached, price_completion FROM rounds").fetchall()
    db.close()
    assert rows == [(0, None, 0, 0, 0), (0, 9.5, 1, 1, 2)]


def test_reading_makes_no_file(path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be read"), open_record(path):
        pass
    assert not path.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        Store(tmp_path / "nowhere" / "validator.sqlite")
