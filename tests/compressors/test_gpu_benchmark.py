"""The GPU benchmark runs, on a CPU and a tiny shape, so that it is known to work before a GPU is at hand."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "gpu.py"


def test_it_measures_every_way_that_there_is_time_for_and_prints_json() -> None:
    options = "--device cpu --shape tiny --dtype float32 --documents 3 --words 60 --batch-tokens 512 --vocabulary 1000"
    # So little time that nothing is compiled, which takes a compiler and half a minute.
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *options.split(), "--seconds", "0", "--each", "0.001", "--peak-tflops", "0.1"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["whole"]["tokens_per_second"] > 0 and 0 <= result["whole"]["share_outside_scorer"] <= 1
    assert [mixed["what"] for mixed in result["mixed"]] == ["mixed lengths, padded", "mixed lengths, in buckets"]
    assert all(speed["tokens_per_second"] > 0 for speed in result["mixed"])
    assert all(0 < speed["share_of_peak"] < 10 for speed in result["encoder"])
