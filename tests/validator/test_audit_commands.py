"""The commands themselves: what they print, and the status that they end with."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from recorded_run import record_run
from typer.testing import CliRunner

from compression_subnet.chain.wallets import throwaway_wallet
from compression_subnet.cli import app


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record and the wallet of the hotkey whose it is."""
    path = tmp_path_factory.mktemp("run")
    wallet = throwaway_wallet(path / "wallets", "v", "h")
    asyncio.run(record_run(path / "validator.sqlite", wallet.hotkey.ss58_address))
    return path


def run(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    return done.exit_code, done.stdout, done.stderr


def test_rescore_says_equal_or_names_the_first_difference(folder: Path, tmp_path: Path) -> None:
    store = folder / "validator.sqlite"
    status, out, _ = run("rescore", "--store", store)
    assert (status, out.splitlines()[-1]) == (0, "equal")
    assert run("rescore", "--store", store, "--round", 4)[0] == 0
    (tmp_path / "copy.sqlite").write_bytes(store.read_bytes())
    with closing(sqlite3.connect(tmp_path / "copy.sqlite")) as db, db:
        db.execute("UPDATE replies SET score = '\x1b[31m' WHERE hotkey = 'two' AND challenge = 'c40'")
    status, out, _ = run("rescore", "--store", tmp_path / "copy.sqlite", "--json")
    difference = json.loads(out)["difference"]
    assert status == 1
    assert (difference["round"], difference["field"]) == (2, "form")
    status, out, _ = run("rescore", "--store", tmp_path / "copy.sqlite")
    assert status == 1
    assert "NOT equal; the first difference:" in out
    assert "\x1b[31m" not in out
    assert run("rescore", "--store", tmp_path / "none.sqlite")[0] == 2


def test_a_record_is_published_and_checked_by_somebody_else(folder: Path, tmp_path: Path) -> None:
    store, audit = folder / "validator.sqlite", tmp_path / "audit"
    wallet = ("--wallet.path", folder / "wallets", "--wallet.name", "v", "--wallet.hotkey", "h")
    status, _, err = run("audit", "export", "--store", store, "--out", audit, "--rounds", "2-4", *wallet)
    assert status == 2
    assert "is published after 10" in err
    status, out, _ = run("audit", "export", "--store", store, "--out", audit, "--rounds", "2-4", "--delay", 2, *wallet)
    assert status == 0
    assert "rounds 2, 3, 4, signed by" in out
    status, out, _ = run("audit", "verify", audit, "--json")
    assert status == 0
    assert json.loads(out)["good"] is True
    assert "not checked: name one with --subtensor.network" in run("audit", "verify", audit)[1].replace("\n", " ")
    data = bytearray(audit.read_bytes())
    data[-20] ^= 1
    (tmp_path / "altered").write_bytes(data)
    status, out, _ = run("audit", "verify", tmp_path / "altered")
    assert status == 1
    assert "the part of round 4 was altered" in " ".join(out.split())
    assert run("audit", "verify", tmp_path / "none")[0] == 2
    # The same views of both files.
    for command in (("show", "{}", "--hotkey", "two", "--round", 3), ("explain", "--store", "{}", "--hotkey", "two")):
        views = []
        for path in (store, audit):
            arguments = [path if a == "{}" else a for a in command]
            status, out, _ = run("audit", *arguments, *(("--round", 4) if command[0] == "explain" else ()), "--json")
            assert status == 0
            views.append(json.loads(out))
        assert views[0] == views[1]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("explain",), "give one of --uid and --hotkey"),
        (("explain", "--uid", 1, "--round", 1, "--block", 9), "at most one of --round and --block"),
        (("export", "--out", "x", "--rounds", "two"), "--rounds is 'two'; give A-B"),
        (("export", "--out", "x", "--subtensor.netwerk", "test"), "did you mean"),
    ],
)
def test_what_cannot_be_meant_is_an_error(folder: Path, arguments: tuple[object, ...], complaint: str) -> None:
    wallet = ("--wallet.path", folder / "wallets", "--wallet.name", "v", "--wallet.hotkey", "h")
    more = wallet if arguments[0] == "export" else ()
    status, _, err = run("audit", *arguments, "--store", folder / "validator.sqlite", *more)
    assert status == 2
    assert complaint in err
