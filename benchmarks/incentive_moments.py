r"""The moments of a benchmark's answers that ``compression_subnet/incentives/answers.py`` draws from.

    compression-subnet benchmark --compressor reference --compressor textrank --compressor tfidf \
        --compressor truncation --compressor random --challenges 96 --seed 3 --challenge.max-tokens 900 \
        --json result.json
    python benchmarks/incentive_moments.py result.json [--json]

For each level: S and the standard deviation of F by compressor, likewise of F minus head truncation's, and three
tetrachoric correlations of answers (F1 of 1/2 or more): of one question between compressors, of two questions of a
challenge within a compressor, and of two between compressors.
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path
from statistics import NormalDist, fmean, pstdev
from typing import Any, Final

import numpy as np

from compression_subnet.benchmark.results import BenchmarkResult, Mode, read_result

NORMAL: Final = NormalDist()
NODES, WEIGHTS = np.polynomial.legendre.leggauss(96)
Pairs = list[tuple[bool, bool]]


def both_below(first: float, second: float, correlation: float) -> float:
    """Return P(X < first and Y < second) of standard normals with this correlation, by Gauss-Legendre quadrature."""
    low = -8.0
    x = low + (NODES + 1) * (first - low) / 2
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    rest = math.sqrt(1 - correlation * correlation)
    inner = np.array([NORMAL.cdf((second - correlation * one) / rest) for one in x])
    return float((WEIGHTS * density * inner).sum() * (first - low) / 2)


def tetrachoric(pairs: Pairs) -> float | None:
    """Return the correlation of two normals whose thresholds give these outcomes; None where one never varies."""
    a, b = fmean(x for x, _ in pairs), fmean(y for _, y in pairs)
    if not (0 < a < 1 and 0 < b < 1):
        return None
    wanted = fmean(x and y for x, y in pairs)
    low, high = -0.999, 0.999
    for _ in range(40):
        middle = (low + high) / 2
        if both_below(NORMAL.inv_cdf(a), NORMAL.inv_cdf(b), middle) < wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def moments(result: BenchmarkResult, level: int) -> dict[str, Any]:
    """Return the figures of one level."""
    baseline = {c.id: c.baseline or 0.0 for c in result.challenges if c.level == level}
    answers: dict[str, dict[str, list[float]]] = defaultdict(dict)
    for reply in result.replies:
        if reply.challenge_id in baseline:
            answers[reply.compressor][reply.challenge_id] = [a.f1 or 0.0 for a in reply.answers]
    right = {name: {c: [f1 >= 0.5 for f1 in f1s] for c, f1s in by.items()} for name, by in answers.items()}
    same_question: dict[str, float | None] = {}
    other_question: dict[str, float | None] = {}
    for one, other in combinations(right, 2):
        a, b = right[one], right[other]
        pair = f"{one}, {other}"
        same_question[pair] = tetrachoric([xy for c in baseline for xy in zip(a[c], b[c], strict=True)])
        other_question[pair] = tetrachoric([xy for c in baseline for xy in apart(a[c], b[c])])
    within = {name: tetrachoric([xy for c in baseline for xy in apart(by[c], by[c])]) for name, by in right.items()}
    scores = {name: {c: fmean(f1s) for c, f1s in by.items()} for name, by in answers.items()}
    return {
        "level": level,
        "challenges": len(baseline),
        "compressors": {
            name: {
                "S": fmean(by.values()),
                "deviation": pstdev(by.values()),
                "to_baseline": pstdev(by[c] - baseline[c] for c in baseline),
            }
            for name, by in scores.items()
        },
        "same_question": same_question,
        "within_a_reply": within,
        "other_question": other_question,
        "f1_between": fmean(0.05 < f1 < 0.95 for by in answers.values() for f1s in by.values() for f1 in f1s),
    }


def apart(one: list[bool], other: list[bool]) -> Pairs:
    """Return the pairs of different questions."""
    return [(x, y) for i, x in enumerate(one) for j, y in enumerate(other) if i != j]


def main() -> int:
    """Print the moments of every level."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("result", type=Path, help="what the benchmark wrote")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    result = read_result(given.result)
    if result.mode is not Mode.JUDGE or len(result.summaries) < 2:
        parser.error("a benchmark of two compressors or more with a judge is needed, not a proxy's")
    found = [moments(result, level) for level in sorted(result.levels)]
    if given.json:
        print(json.dumps(found, indent=2))
        return 0
    for one in found:
        print(f"{one['level']} %, {one['challenges']} challenges; F1 neither 0 nor 1: {one['f1_between']:.1%}")
        for name, figures in one["compressors"].items():
            print(f"  {name:12}" + "".join(f"  {key} {value:.3f}" for key, value in figures.items()))
        for key in ("same_question", "within_a_reply", "other_question"):
            print(f"  {key}:")
            for name, value in one[key].items():
                print(f"    {name:24} " + ("-" if value is None else f"{value:+.2f}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
