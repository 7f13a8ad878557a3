"""``compression-subnet judge compare``: two judges over the same replies."""

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import FakeEndpoint
from test_validator_score_command import answer
from typer.testing import CliRunner
from validator_fakes import challenge, keep_first

from compression_subnet.challenge.files import challenge_line
from compression_subnet.cli import app

MINERS = {"five": 5, "three": 3, "two": 2, "<one>": 1}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    challenges = [replace(challenge(), id=f"c{i}") for i in range(3)]
    (tmp_path / "c.jsonl").write_text("".join(challenge_line(c) + "\n" for c in challenges))
    lines = [
        {"challenge_id": c.id, "level": 60, "compressed_text": keep_first(kept)(""), "miner": miner}
        for c in challenges
        for miner, kept in MINERS.items()
    ]
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "c.jsonl", tmp_path / "r.jsonl"


def run(files: tuple[Path, Path], *flags: str) -> tuple[int, Any, str]:
    command = ["judge", "compare", "--challenges", str(files[0]), "--replies", str(files[1]), "--json", *flags]
    result = CliRunner().invoke(app, command)
    return result.exit_code, json.loads(result.stdout) if result.stdout else None, result.stderr


def half(text: str, question: str) -> str | int:
    """A weaker judge: it cannot tell places and dates."""
    return "UNANSWERABLE" if question.startswith(("Where", "When")) else answer(text, question)


def test_agreement_rank_and_cost_of_two_judges(files: tuple[Path, Path], tmp_path: Path) -> None:
    plot = tmp_path / "plot.svg"
    with FakeEndpoint(answer) as a, FakeEndpoint(half) as b:
        status, found, _ = run(
            files, "--a", f"{a.url}#strong", "--b", f"{b.url}#weak", "--a-prices", "2,8,1", "--plot", str(plot)
        )
        assert status == 0
        # Of eleven answers to be had in a challenge, the weaker judge finds five.
        assert found["questions"]["both"] + found["questions"]["only_a"] == pytest.approx(11 / 20)
        assert found["questions"]["only_b"] == 0
        assert found["questions"]["mean_b"] == pytest.approx(5 / 20)
        assert found["ceiling"] == {"a": 1.0, "b": pytest.approx(0.6)}
        assert 0 < found["kendall_tau_b"] <= 1
        assert found["interval"][0] <= found["kendall_tau_b"] <= found["interval"][1]
        assert found["cost"]["a"] == pytest.approx(len(a.asked) * (40 * 2 + 60 * 1 + 2 * 8) / 1e6)
        assert found["cost"]["b"] == 0
        assert set(found["miners"]) == set(MINERS)
    root = ET.fromstring(plot.read_text())
    assert {title.text for title in root.iter("{http://www.w3.org/2000/svg}title")} == set(MINERS)
    assert not list(tmp_path.glob("*.journal*"))


def test_a_judge_agrees_with_itself(files: tuple[Path, Path]) -> None:
    with FakeEndpoint(answer) as a:
        status, found, _ = run(files, "--a", f"{a.url}#m", "--b", f"{a.url}#n")
    assert status == 0
    assert (found["questions"]["same"], found["questions"]["kappa"], found["kendall_tau_b"]) == (1.0, 1.0, 1.0)


def test_a_judge_at_fault_is_status_3_and_the_run_can_go_on(files: tuple[Path, Path]) -> None:
    flags = ["--judge.concurrency", "32"]
    with FakeEndpoint(answer) as a, FakeEndpoint(lambda text, question: 401) as b:
        flags += ["--a", f"{a.url}#m", "--b", f"{b.url}#m"]
        status, found, err = run(files, *flags)
        assert (status, found["questions"]["questions"]) == (3, 0)
        assert "at fault" in err
        a.asked.clear()
        b.reply = answer
        status, found, _ = run(files, *flags)
        assert (status, found["questions"]["same"], a.asked) == (0, 1.0, [])


def test_without_miners_there_is_agreement_but_no_rank(files: tuple[Path, Path]) -> None:
    files[1].write_text(json.dumps({"challenge_id": "c0", "level": 20, "compressed_text": keep_first(1)("")}))
    with FakeEndpoint(answer) as a:
        command = ["judge", "compare", "--challenges", str(files[0]), "--replies", str(files[1])]
        result = CliRunner().invoke(app, [*command, "--a", f"{a.url}#m", "--b", f"{a.url}#m"])
    assert result.exit_code == 0
    assert "score of the replies" in result.stdout


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--a", "gpt", "--b", "reader"), "URL#MODEL"),
        (("--a", "http://h/v1#", "--b", "reader"), "URL#MODEL"),
        (("--a", "gguf:/nowhere.gguf", "--b", "reader"), "/nowhere.gguf"),
        (("--a", "reader", "--b", "reader", "--a-prices", "x"), "PROMPT,COMPLETION"),
        (("--a", "reader", "--b", "reader", "--b-prices", "1,-2"), "cannot be"),
    ],
)
def test_bad_models_and_prices_are_named(files: tuple[Path, Path], flags: tuple[str, ...], said: str) -> None:
    status, _, err = run(files, *flags)
    assert status == 2
    assert said in err
