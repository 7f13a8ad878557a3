"""The quality benchmark compares compressors on the same texts, and tells noise from text."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "compressors_quality.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True)


def test_a_better_compressor_is_told_from_a_worse_one_and_noise_from_text() -> None:
    names = ("lexical", "truncation", "whole")
    done = run("--proxy", "--json", "--challenges", "4", *(part for n in names for part in ("--compressor", n)))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    lexical, truncation, whole = result["compressors"]
    assert result["clean"] == 1.0 and result["challenges"] == 4
    assert lexical["score"] > truncation["score"] > whole["score"] == 0.0  # the whole text is over budget
    assert lexical["first_minus_this"]["weighted"] == {"mean": 0.0, "low": 0.0, "high": 0.0}
    difference = truncation["first_minus_this"]["weighted"]
    assert difference["low"] <= difference["mean"] <= difference["high"] and difference["mean"] > 0
    assert lexical["kept"]["60"] > lexical["kept"]["20"]
    assert set(result["auc"]) == {"lexical"} and 0.7 < result["auc"]["lexical"]["far"] <= 1.0


def test_a_compressor_that_knows_the_noise_keeps_more_and_one_without_a_scorer_cannot() -> None:
    options = ("--proxy", "--json", "--no-auc", "--challenges", "4", "--compressor")
    own, known = (json.loads(run(*options, "lexical", *more).stdout) for more in ((), ("--known-noise",)))
    assert known["compressors"][0]["score"] > own["compressors"][0]["score"]
    refused = run(*options, "truncation", "--known-noise")
    assert refused.returncode == 2 and refused.stderr.startswith("--known-noise is for a compressor with a scorer")


def test_an_unknown_compressor_is_named_on_one_line() -> None:
    done = run("--proxy", "--compressor", "no-such")
    assert done.returncode == 2 and "unknown compressor" in done.stderr and "Traceback" not in done.stderr
