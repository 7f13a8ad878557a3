"""The proxy benchmark runs on any file in SQuAD format, and says what is wrong with any other."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from compressor_texts import FERRY, FOREIGN

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "proxy.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True)


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    answers = [["412", "Ingrid Solberg"], ["smoked paprika", "the spruce"]]
    data = [
        {"paragraphs": [{"context": " ".join(text), "qas": [{"answers": [{"text": gold}]} for gold in golds]}]}
        for text, golds in zip((FERRY, FOREIGN), answers, strict=True)
    ]
    path = tmp_path / "dev.json"
    path.write_text(json.dumps({"data": data}))
    return path


def test_it_prints_a_row_for_each_compressor(squad: Path) -> None:
    done = run("--data", str(squad), "--paragraphs", "1", "--compressor", "whole", "--compressor", "truncation")
    assert done.returncode == 0, done.stderr
    whole, truncation = (next(r for r in done.stdout.splitlines() if n in r) for n in ("whole", "truncation"))
    assert "0.000" in whole.split("│")[2]
    assert 0.0 <= float(truncation.split("│")[2]) <= 1.0
    assert "4 answers" in done.stdout


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("[1]", [], "not a readable file in SQuAD format"),
        (None, [], "fewer than two texts of 5 paragraphs"),
        (None, ["--paragraphs", "1", "--compressor", "no-such"], "unknown compressor"),
        (None, ["--paragraphs", "1", "--tokenizer", "no-such"], "unknown tokenizer"),
        (None, ["--noise", "-1"], "must not be negative"),
    ],
)
def test_wrong_input_ends_with_one_line_that_says_so(squad: Path, content, arguments: list[str], message: str) -> None:
    if content is not None:
        squad.write_text(content)
    done = run("--data", str(squad), *arguments)
    assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
