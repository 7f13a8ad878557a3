"""The whole record is recomputed without a model, and a value that somebody changed is found and named."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from recorded_run import FreshSupply, record_run, validator
from validator_fakes import ME, ContainmentJudge, ScriptedChain

from compression_subnet.errors import StoreError
from compression_subnet.judge.types import Answer
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.schema import MIGRATIONS
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rescoring.difference import UNSCORED
from compression_subnet.validator.rescoring.rescore import Rescored, rescore


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "validator.sqlite"
    asyncio.run(record_run(path))
    return path


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(run, tmp_path / "copy.sqlite"))


@contextmanager
def edited(path: Path) -> Iterator[sqlite3.Connection]:
    """A plain connection, as anybody with a shell has it: it enforces no reference."""
    with closing(sqlite3.connect(path)) as db, db:
        yield db


def rescored(path: Path, only: int | None = None) -> Rescored:
    with open_record(path) as record:
        return asyncio.run(rescore(record, get_tokenizer(), only))


def test_a_run_with_faults_copies_and_a_broken_round_is_equal(run: Path) -> None:
    found = rescored(run)
    assert found.difference is None
    assert [(r.number, r.status, r.averages, r.vectors) for r in found.rounds] == [
        (1, "counted", 7, 1),
        (2, "counted", 7, 1),
        (3, "void", None, 0),
        (4, "counted", 6, 1),
        (5, "dropped", None, 0),
        (6, "counted", 6, 1),
    ]
    assert [r.challenges for r in found.rounds] == [33, 33, 33, 33, 2, 33]
    assert not any(r.note for r in found.rounds)


def test_one_round_is_recomputed_from_the_averages_before_it(run: Path) -> None:
    found = rescored(run, only=4)
    assert found.equal
    assert [(r.number, r.averages) for r in found.rounds] == [(4, 6)]


def test_a_round_that_is_not_there_is_said_to_be(run: Path) -> None:
    with pytest.raises(StoreError, match="no round 7; its rounds are 1 to 6"):
        rescored(run, only=7)


# A row that matters, by table; the first of round 1's else.
ROWS = {
    "rounds": "number = 2",
    "terms": "round = 2",
    "averages": "hotkey = 'two'",
    "average_history": "round = 2 AND hotkey = 'two'",
    "weight_settings": "round = 1",
    "replies": "hotkey = 'two'",
    "answers": "party = 'two'",
    "controls": "kind = 'ceiling'",
}


def other(table: str, column: str, value: Any) -> Any:
    """A value near the old one, of the same type and still within the table's checks."""
    if column == "status" and table == "rounds":
        return "dropped"
    if column == "min_challenges":
        return 1000
    if column in ("registered", "vector"):
        changed = json.loads(value)
        del changed["two"]
        return json.dumps(changed)
    if column == "body" and table == "challenges":
        return value.replace('"seed":0', '"seed":1')
    if column == "body":
        return value.replace('"count":', '"count":1')
    if value is None:
        return "1"
    return value + 100 if isinstance(value, int | float) else f"{value}x"


# Of the three kinds of control each challenge has one: the file itself lets none become another.
FORBIDDEN = {("controls", "kind")}


def columns() -> list[tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as db:
        for migration in MIGRATIONS:
            db.executescript(migration)
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return [(t, column[1]) for t in tables for column in db.execute(f"PRAGMA table_info({t})")]


def change(db: sqlite3.Connection, table: str, column: str, how: Callable[[Any], Any]) -> None:
    where = ROWS.get(table, "true")
    row = f"SELECT rowid FROM {table} WHERE {where} ORDER BY rowid LIMIT 1"
    (value,) = db.execute(f"SELECT {column} FROM {table} WHERE rowid = ({row})").fetchone()
    db.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ({row})", (how(value),))


@pytest.mark.parametrize(
    ("table", "column"),
    [c for c in columns() if c[0] in UNSCORED and c[1] not in UNSCORED[c[0]] and c not in FORBIDDEN],
)
def test_a_value_that_was_changed_is_found(copy: Path, table: str, column: str) -> None:
    with edited(copy) as db:
        change(db, table, column, lambda value: other(table, column, value))
    found = rescored(copy).difference
    assert found is not None
    assert found.recorded != found.recomputed
    assert found.field


@pytest.mark.parametrize(("table", "column"), FORBIDDEN)
def test_a_value_that_the_file_itself_does_not_take(copy: Path, table: str, column: str) -> None:
    with edited(copy) as db:
        for value in ("floor", "baseline", "another"):
            with pytest.raises(sqlite3.IntegrityError):
                change(db, table, column, lambda _, v=value: v)  # type: ignore[misc]


def test_what_is_documented_as_not_scored_is_all_that_may_be_changed(copy: Path) -> None:
    known = set(columns())
    assert {(t, c) for t, names in UNSCORED.items() for c in names} <= known
    assert {t for t, _ in known} - UNSCORED.keys() == {"requests", "faults"}
    with edited(copy) as db:
        for table, names in UNSCORED.items():
            for column in names:
                if column != "archive":  # says that the challenges are elsewhere, and is found by their absence
                    change(db, table, column, lambda v, t=table, c=column: other(t, c, v))  # type: ignore[misc]
        db.execute("DELETE FROM requests")
        db.execute("DELETE FROM faults")
    assert rescored(copy).equal


@pytest.mark.parametrize(
    ("statement", "round_number", "field", "recorded", "recomputed"),
    [
        ("UPDATE replies SET score = '1' WHERE score = '2/5' AND hotkey = 'two'", 1, "score", "1", "2/5"),
        ("UPDATE replies SET reason = 'ok' WHERE hotkey = 'whole'", 1, "verdict", "ok", "too_long"),
        ("UPDATE answers SET f1 = '1/2' WHERE party = 'two' AND question = 1", 1, "F1, question 2", "1/2", "1"),
        ("DELETE FROM answers WHERE party = 'two'", 1, "supported, question 1", "absent", "1"),
        ("DELETE FROM answers WHERE party = 'control:floor'", 1, "answers", None, None),
        ("DELETE FROM replies WHERE challenge = 'c0' AND hotkey = 'gone'", 1, "digest", None, None),
        ("UPDATE rounds SET status = 'counted' WHERE number = 3", 3, "status", "counted", "void"),
        ("UPDATE challenges SET round = 99 WHERE id = 'c0'", 0, "challenges, row 1", "refers to rounds", "absent"),
        ("UPDATE challenges SET body = '{}'", 1, "form", None, None),
        ("UPDATE replies SET score = '1/0' WHERE hotkey = 'two'", 1, "form", None, None),
        ("UPDATE weight_settings SET vector = '{\"five\": 65535}'", 1, "weight", None, None),
        ("UPDATE weight_settings SET block = NULL", 1, "weight", None, None),
        ("DELETE FROM averages", 0, "present average", "absent", None),
        ("DELETE FROM terms WHERE round = 2", 2, "terms of the round", "absent", None),
        ("UPDATE challenges SET digest = NULL", 1, "digest", "absent", None),
    ],
)
def test_the_first_difference_is_named(
    copy: Path, statement: str, round_number: int, field: str, recorded: str | None, recomputed: str | None
) -> None:
    with edited(copy) as db:
        assert db.execute(statement).rowcount
    found = rescored(copy).difference
    assert found is not None
    assert found.round == round_number
    assert found.field.startswith(field)
    assert recorded in (None, found.recorded)
    assert recomputed in (None, found.recomputed)


def test_every_column_that_is_not_scored_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text().partition("Not scored")[2]
    for table, names in UNSCORED.items():
        row = next((line for line in page.splitlines() if line.startswith(f"| `{table}` | `") and names), "")
        assert {name for name in names if f"`{name}`" not in row} == set(), table


def test_a_record_of_an_earlier_release_is_followed_from_its_averages(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    shutil.copy(run, path)
    with edited(path) as db:  # as schema 2 had it: rounds 1 and 2 without terms, digests and histories but the last
        db.execute("DELETE FROM terms WHERE round <= 2")
        db.execute("UPDATE challenges SET digest = NULL WHERE round <= 2")
        db.execute("DELETE FROM average_history WHERE round = 1")
        db.execute("UPDATE weight_settings SET block = NULL, registered = NULL WHERE round <= 2")
    found = rescored(path)
    assert found.equal
    assert [(r.number, r.averages, bool(r.note)) for r in found.rounds[:4]] == [
        (1, None, True),
        (2, None, True),
        (3, None, False),
        (4, 6, False),
    ]


def test_an_empty_record_is_equal(tmp_path: Path) -> None:
    with Store(tmp_path / "v.sqlite"):
        pass
    assert rescored(tmp_path / "v.sqlite") == Rescored((), None)


async def test_an_answer_with_half_a_character_is_scored_as_it_is_recorded(tmp_path: Path) -> None:
    class HalfJudge(ContainmentJudge):
        """Breaks an answer in two with half a character."""

        async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
            return [
                replace(a, text=a.text.replace("Renn", "Re\ud800nn")) for a in await super().answer(text, questions)
            ]

    with Store(tmp_path / "v.sqlite") as store:
        await validator(store, ScriptedChain([ME, "two"]), HalfJudge(), FreshSupply("")).step()
        assert (await rescore(store.read, get_tokenizer())).difference is None
        scores = {row[0] for row in store.read.db.execute("SELECT score FROM replies WHERE hotkey = 'two'")}
    assert scores == {"2/5", "1/2", "2/3"}, "the whole name was given"
