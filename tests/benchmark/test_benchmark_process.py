"""A compressor in a process of its own: whatever it does, the benchmark goes on."""

import asyncio
import importlib
import os
from pathlib import Path

import pytest

from compression_subnet.benchmark.journal import ReplyJournal, reply_key
from compression_subnet.benchmark.process import Compressed, CompressorProcess
from compression_subnet.benchmark.worker import fingerprint
from compression_subnet.errors import CompressorError
from compression_subnet.text import get_tokenizer


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("SLEEPY_PID", str(tmp_path / "pid"))


def process(name: str, tmp_path: Path, deadline: float = 60) -> CompressorProcess:
    return CompressorProcess(name, get_tokenizer(), deadline, tmp_path / "log")


async def test_a_text_that_takes_too_long_is_late_and_the_next_one_is_not(tmp_path: Path) -> None:
    async with process("benchmark_compressors:Sleepy", tmp_path, deadline=3) as sleepy:
        late = await sleepy.compress("sleep now", 5)
        assert (late.text, late.late) == (None, True)
        assert late.seconds >= 3
        next_one = await sleepy.compress("one two three", 2)
        assert (next_one.text, next_one.late) == ("one two", False)
    # Processes of its own end with it.
    pid = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not _runs(pid):
            break
        await asyncio.sleep(0.05)
    assert not _runs(pid)


async def test_errors_cost_one_text_and_are_told(tmp_path: Path) -> None:
    async with process("benchmark_compressors:Troubled", tmp_path) as troubled:
        raised = await troubled.compress("raise it", 2)
        assert (raised.text, raised.error) == (None, "ValueError: no such luck")
        assert (await troubled.compress("exit now", 2)).error == "SystemExit: 7"
        assert "int, not str" in (await troubled.compress("number please", 2)).error
        assert (await troubled.compress("surrogate please", 2)).text == "\ud800 half"
        assert (await troubled.compress("print something", 1)).text == "print"
        dead = await troubled.compress("die now", 2)
        assert (dead.text, dead.late) == (None, False) and "its process ended" in dead.error
        alive = await troubled.compress("fine again", 1)
        assert alive.text == "fine"
        assert alive.peak_bytes is None or alive.peak_bytes > 10**6
        assert 0 < alive.seconds < 60
    assert "not a reply" in (tmp_path / "log").read_text()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("benchmark_compressors:Broken", "RuntimeError: weights are missing"),
        ("referense", "did you mean reference"),
        ("no_such_module:Thing", "importing module no_such_module failed"),
    ],
)
async def test_one_that_cannot_work_at_all_is_an_error(name: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(CompressorError, match="cannot be used") as error:
        async with process(name, tmp_path):
            pass
    assert said in str(error.value)


def test_the_journal_gives_back_what_it_was_given_but_for_a_line_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    reply = Compressed("\ud800 text\n", 0.5, 7, "", False)
    with ReplyJournal(path) as journal:
        journal.keep("a", reply)
        journal.keep("b", Compressed(None, 30.0, None, "", True))
    path.write_bytes(path.read_bytes() + b'["c", "half')
    with ReplyJournal(path) as journal:
        assert journal.find("a") == reply
        assert journal.find("b") == Compressed(None, 30.0, None, "", True)
        assert journal.find("c") is None
        journal.keep("c", reply)
    with ReplyJournal(path) as journal:
        assert journal.find("c") == reply
        journal.remove()
    assert not path.exists()


def test_a_reply_is_of_one_compressor_code_text_budget_and_deadline() -> None:
    base = ("a", "f", "text", 5, 30.0)
    others = [("b", "f", "text", 5, 30.0), ("a", "g", "text", 5, 30.0), ("a", "f", "u", 5, 30.0)]
    others += [("a", "f", "text", 6, 30.0), ("a", "f", "text", 5, 31.0)]
    assert len({reply_key(*key) for key in [base, *others]}) == 6


def test_edited_code_has_another_fingerprint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "edited_compressor.py").write_text("class Mine:\n    compress = None\n")
    beside = tmp_path / "beside.py"
    beside.write_text("X = 1\n")
    mine = importlib.import_module("edited_compressor").Mine()
    before = fingerprint(mine)
    assert before == fingerprint(mine)
    beside.write_text("X = 2\n")
    assert fingerprint(mine) != before


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie without a parent that reaps it has ended too.
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
