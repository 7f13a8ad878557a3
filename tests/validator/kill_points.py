"""Kills a process that writes a record, at every statement or at every few bytes of a file's growth, and goes on.

Run as a program, apart from pytest: it forks. Prints as JSON how often it killed, or fails with what went wrong.
"""

import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from loguru import logger
from scripted_record import LEVELS, script_of

from compression_subnet.validator.records.archive import archive_folder, archive_path, read_archive
from compression_subnet.validator.records.retention import Retention
from compression_subnet.validator.records.retention_policy import RetentionPolicy
from compression_subnet.validator.records.store import Store

EPOCHS = 2
SCRIPT = script_of(EPOCHS)
KEEP_NOTHING = RetentionPolicy(seconds=0, record_bytes=None, archive_bytes=None)

Averages = dict[str, Any]


def write(path: Path, clock: Callable[[], float]) -> None:
    """Write all rounds that are missing, and archive whatever may leave after each second."""
    retention = Retention(path, KEEP_NOTHING, clock)
    with Store(path, clock) as store:
        SCRIPT.play(store, after_round=lambda epoch: retention.run_here() if epoch % 2 == 0 else None)
    retention.run_here()


def ticking() -> Callable[[], float]:
    """A clock that is a second later at each look."""
    seconds = iter(range(1, 10**9))
    return lambda: float(next(seconds))


def averages(path: Path) -> Averages:
    with closing(sqlite3.connect(path)) as db:
        return {hotkey: json.loads(body) for hotkey, body in db.execute("SELECT hotkey, body FROM averages")}


def check(path: Path, reached: dict[int, Averages]) -> None:
    """Check that a record is whole, as it stands."""
    if not path.exists() or not path.stat().st_size:
        return
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        if db.execute("PRAGMA user_version").fetchone()[0] < 4:
            return  # killed while it was made
        assert not db.execute("PRAGMA foreign_key_check").fetchall()
        assert not db.execute(
            "SELECT id FROM challenges WHERE (SELECT count(*) FROM replies WHERE challenge = id) != 3"
            " OR (SELECT count(*) FROM requests WHERE challenge = id) != 3"
            " OR (SELECT count(*) FROM controls WHERE challenge = id) != 3"
            " OR (SELECT count(*) FROM answers WHERE challenge = id) < 20 OR digest IS NULL"
        ).fetchall()
        rounds = db.execute(
            "SELECT number, epoch, archive, (SELECT count(*) FROM challenges WHERE round = number)"
            " FROM rounds WHERE status = 'counted' ORDER BY number"
        ).fetchall()
    assert [row[1] for row in rounds] == list(range(1, len(rounds) + 1)), "an epoch counted twice, or not at all"
    for number, _, archive, challenges in rounds:
        if archive is not None:
            assert challenges == 0
            assert read_archive(archive_path(archive_folder(path), number)).counts["challenges"] == len(LEVELS)
        else:
            assert challenges == len(LEVELS)
    assert averages(path) == reached[len(rounds)]


def killed(path: Path, kill_at: Callable[[], None]) -> bool:
    """Write in a child that ``kill_at`` has killed at some point; return whether it was."""
    child = os.fork()
    if not child:
        kill_at()
        write(path, ticking())
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGXFSZ), status
        return True
    assert os.waitstatus_to_exitcode(status) == 0, status
    return False


def at_statement(number: int) -> Callable[[], None]:
    """Kill before the write of this number, on whatever connection; of rows to one table in a row the first counts."""

    def prepare() -> None:
        left = iter(range(number - 1))
        last = ""
        connect = sqlite3.connect

        def count(statement: str) -> None:
            nonlocal last
            kind = statement.strip()[:20]
            repeated, last = kind == last, kind
            if not repeated and not kind.startswith("SELECT") and next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)

        def traced(*args: Any, **kwargs: Any) -> sqlite3.Connection:
            db = connect(*args, **kwargs)
            db.set_trace_callback(count)
            return db

        sqlite3.connect = traced  # type: ignore[assignment]

    return prepare


def at_size(limit: int) -> Callable[[], None]:
    """Kill within the write by which any file would grow beyond ``limit`` bytes: what fits is written."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return prepare


def main(folder: Path, how: str, step: int) -> int:
    logger.remove()
    reached: dict[int, Averages] = {0: {}}
    straight = folder / "straight" / "validator.sqlite"
    straight.parent.mkdir()
    with Store(straight) as store:
        SCRIPT.play(store, after_round=lambda epoch: reached.update({epoch: averages(straight)}))
    assert len({json.dumps(one) for one in reached.values()}) == EPOCHS + 1
    kills, position = 0, step
    while True:
        path = folder / "killed" / "validator.sqlite"
        path.parent.mkdir()
        if not killed(path, at_statement(position) if how == "statement" else at_size(position)):
            break
        kills += 1
        check(path, reached)
        write(path, ticking())  # goes on by itself
        check(path, reached)
        assert averages(path) == reached[EPOCHS]
        shutil.rmtree(path.parent)
        position += step
    print(json.dumps({"kills": kills}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
