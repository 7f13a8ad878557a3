import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from scripted_record import Script, script_of

from compression_subnet.database import open_database
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.record import AVERAGE_JSON, open_record
from compression_subnet.validator.records.schema import MIGRATIONS, RECORD
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rescoring.replay import replay_round


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "validator.sqlite"


def write_old(path: Path, version: int, script: Script) -> Path:
    """A record of an earlier schema with two rounds in it, the second of which was killed: the rows of a new one."""
    new = path.with_name("new.sqlite")
    with Store(new, lambda: 1.0) as store:
        script.play(store, 1)
        store.begin_round(2, "profile", 3)
    with closing(open_database(path, MIGRATIONS[:version], RECORD)) as db:
        db.execute("ATTACH ? AS new", (str(new),))
        tables = [row[0] for row in db.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'")]
        for table in ["rounds", "challenges", *(t for t in tables if t not in ("rounds", "challenges"))]:
            columns = ", ".join(row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,)))
            db.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")
    return new


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
async def test_a_record_of_any_release_is_brought_up_to_date_with_all_that_it_holds(path: Path, version: int) -> None:
    script = script_of(3)
    new = write_old(path, version, script)
    with Store(path, lambda: 2.0) as store, Store(new) as same:
        assert store.set_aside is None
        assert store.read.db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
        assert store.read.db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert store.read.averages() == same.read.averages() != {}
        assert store.read.last_weights() == same.read.last_weights()
        assert store.read.reasons() == same.read.reasons()
        assert store.read.last_counted() == (1, 1)
        assert [one.scores for one in store.read.challenges(1)] == [one.scores for one in same.read.challenges(1)]
        again = await replay_round(store.read, 1, get_tokenizer())
        assert [list(r.scores()) for r in again.challenges] == [
            list(r.scores()) for r in script.result(1, 1).challenges
        ]
        script.play(store)
        script.play(same)
        assert store.read.averages() == same.read.averages()
        statuses = [row[0] for row in store.read.db.execute("SELECT status FROM rounds ORDER BY number")]
        assert statuses == ["counted", "dropped", "counted", "counted"]
    with Store(path) as store:
        assert store.set_aside is None


def test_a_migrated_record_has_the_schema_of_a_new_one(path: Path) -> None:
    def schema(file: Path) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(file)) as db:
            return db.execute(
                "SELECT s.name, s.type, c.name, c.type FROM sqlite_master AS s, pragma_table_info(s.name) AS c"
                " ORDER BY s.name, c.cid"
            ).fetchall()

    new = path.with_name("new.sqlite")
    Store(new).close()
    open_database(path, MIGRATIONS[:1], RECORD).close()
    Store(path).close()
    assert schema(path) == schema(new)


def test_the_averages_of_an_earlier_release_are_those_after_its_last_round(path: Path) -> None:
    write_old(path, 2, script_of(1))
    with Store(path) as store:
        history = dict(store.read.db.execute("SELECT hotkey, body FROM average_history WHERE round = 1"))
        assert {hotkey: AVERAGE_JSON.validate_json(body) for hotkey, body in history.items()} == store.read.averages()
        assert all(json.loads(body)["epoch"] == 1 for body in history.values())
    with open_record(path) as record:
        assert record.last_counted() == (1, 1)
