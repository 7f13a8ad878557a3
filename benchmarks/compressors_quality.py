"""How good compressors are, side by side, on the challenges of a validator: every text at every level.

- score: token F1 of the answers of the embedded reader (of another model with --judge-url, of a proxy with --proxy),
  the mean over challenges by level, weighted by 1/sqrt(level), with the paired difference to the first compressor and
  its 95 % interval, over the levels together and for each;
- kept: the score as a share of the same reader's on the clean text, without noise;
- proxy: share of questions whose gold answer still stands in the reply;
- auc: of the scorer's relevance, the text's own sentences against noise: far and near, single sentences and blocks.

    python benchmarks/compressors_quality.py --data squad:dev.json --compressor reference --compressor lexical

A stronger judge: `compression-subnet judge serve --gguf FILE`, then `--judge-url http://127.0.0.1:8801/v1` here.
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from judging import Judge, judge_of
from rich.console import Console
from rich.table import Table

from compression_subnet.benchmark.assess import proxy_of, standing_answers
from compression_subnet.benchmark.estimates import estimate, weighted_estimate
from compression_subnet.benchmark.results import Estimate
from compression_subnet.challenge import ChallengeBuilder, ChallengeSettings, open_source
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.types import Challenge
from compression_subnet.compressors import CompressorOptions, TokenBudget, find_compressor
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.scores import Scorer
from compression_subnet.compressors.scores import Scores as DocumentScores
from compression_subnet.errors import CompressionSubnetError
from compression_subnet.text import Tokenizer, get_tokenizer

LEVELS: Final = (20, 40, 60)
DEFAULT: Final = ("reference", "lexical", "truncation", "random", "textrank", "tfidf", "surprisal")
CONDITIONS: Final = {"far": (0.0, 0.0), "far blocks": (0.0, 1.0), "near": (1.0, 0.0), "near blocks": (1.0, 1.0)}
"""Probabilities that noise is near, and that it comes in blocks."""

Scores = dict[str, dict[int, list[Fraction]]]
"""By compressor, by level, a score for each challenge."""


def challenges_of(arguments: argparse.Namespace, tokenizer: Tokenizer, near: float, block: float) -> list[Challenge]:
    """Return challenges with as many noise sentences, as a share of the text's own, as is asked for."""
    share = arguments.noise_share
    noise = NoiseSettings(share=(share, share), clean=0.0, near=near, block=block, misses=0.0)
    source = open_source(arguments.data, tokenizer, arguments.min_tokens, arguments.max_tokens, join=arguments.join)
    settings = ChallengeSettings(
        min_tokens=arguments.min_tokens, max_tokens=arguments.max_tokens, noise=noise, questions_per_challenge=8
    )
    builder = ChallengeBuilder(source.articles(), tokenizer, settings, random.Random(arguments.seed))
    return [builder.build() for _ in range(arguments.challenges)]


def run(
    compressors: Mapping[str, Any],
    challenges: Sequence[Challenge],
    tokenizer: Tokenizer,
    judge: Judge,
) -> tuple[Scores, Scores, list[Fraction]]:
    """Return scores and proxies of every compressor, and the scores of the clean texts."""
    scores: Scores = {name: {level: [] for level in LEVELS} for name in compressors}
    proxies: Scores = {name: {level: [] for level in LEVELS} for name in compressors}
    clean = []
    for number, challenge in enumerate(challenges, start=1):
        clean.append(judge(challenge.base_text, challenge))
        for level in LEVELS:
            budget = TokenBudget(challenge.n_tokens * level // 100, tokenizer)
            for name, compressor in compressors.items():
                reply = compressor.compress(challenge.text, budget).strip()
                if not budget.fits(reply):
                    reply = ""  # over budget is zero
                scores[name][level].append(judge(reply, challenge))
                proxies[name][level].append(proxy_of(standing_answers(reply, challenge.questions)))
        print(f"{number}/{len(challenges)}", end="\r", file=sys.stderr)
    return scores, proxies, clean


def summary(name: str, first: str, scores: Scores, proxies: Scores, clean: Sequence[Fraction]) -> dict[str, Any]:
    """Return what is to be said of one compressor."""
    best = float(sum(clean, Fraction(0))) / len(clean)
    differences = {
        level: [a - b for a, b in zip(scores[first][level], scores[name][level], strict=True)] for level in LEVELS
    }
    bounds = (-1.0, 1.0)
    # Levels share their texts, so that the weighted difference is taken for each text.
    weights = {level: level**-0.5 for level in LEVELS}
    total = sum(weights.values())
    per_text = [
        Fraction(sum(weights[level] * float(differences[level][i]) for level in LEVELS) / total)
        for i in range(len(clean))
    ]
    return {
        "compressor": name,
        "score": plain(weighted_estimate(scores[name]))["mean"],
        "levels": {level: plain(estimate(scores[name][level])) for level in LEVELS},
        "first_minus_this": {
            "weighted": plain(estimate(per_text, bounds=bounds)),
            **{level: plain(estimate(differences[level], bounds=bounds)) for level in LEVELS},
        },
        "kept": {
            level: round(float(sum(scores[name][level], Fraction(0))) / len(clean) / best, 3) if best else None
            for level in LEVELS
        },
        "proxy": plain(weighted_estimate(proxies[name]))["mean"],
    }


def plain(found: Estimate) -> dict[str, Any]:
    """Return an estimate as JSON has it."""
    return {
        key: None if value is None else round(value, 4)
        for key, value in (("mean", found.mean), ("low", found.low), ("high", found.high))
    }


def noise_labels(document: Document, challenge: Challenge) -> np.ndarray:
    """Return which sentences of ``document`` are mostly noise."""
    noise = np.zeros(len(challenge.text) + 1, dtype=np.int64)
    for span in challenge.noise:
        noise[span.start + 1 : span.end + 1] = 1
    within = np.cumsum(noise)
    starts = document.starts[document.borders[:-1]]
    ends = document.stops[document.borders[1:] - 1]
    labels: np.ndarray = within[ends] - within[starts] > (ends - starts) / 2
    return labels


class Knowing:
    """A scorer that is told which sentences are noise."""

    def __init__(self, scorer: Scorer, challenges: Sequence[Challenge]):
        self._scorer = scorer
        self._challenges = {challenge.text.strip(): challenge for challenge in challenges}

    def score(self, documents: Sequence[Document]) -> list[DocumentScores]:
        """Return the scorer's scores, but for the relevance."""
        labels = [noise_labels(document, self._challenges[document.text]) for document in documents]
        found = zip(labels, self._scorer.score(documents), strict=True)
        return [DocumentScores(np.where(noise, 0.001, 0.999), scores.worth) for noise, scores in found]


def auc_of(scorer: Scorer, challenges: Sequence[Challenge]) -> float:
    """Return the probability that a sentence of the text's own is more relevant than noise, pooled over texts."""
    own, noise = [], []
    documents = [parse(challenge.text) for challenge in challenges]
    for document, found, challenge in zip(documents, scorer.score(documents), challenges, strict=True):
        labels = noise_labels(document, challenge)
        own.append(found.relevance[~labels])
        noise.append(found.relevance[labels])
    a, b = np.concatenate(own), np.sort(np.concatenate(noise))
    below, up_to = np.searchsorted(b, a), np.searchsorted(b, a, side="right")
    return float((below + up_to).sum() / 2 / (len(a) * len(b)))


def table(rows: Sequence[dict[str, Any]], title: str) -> Table:
    """Return the comparison as a table."""
    result = Table(title=title)
    for heading in ("compressor", "score", *(f"{b} %" for b in LEVELS), "kept", "proxy"):
        result.add_column(heading, justify="left" if heading == "compressor" else "right")
    for row in rows:
        levels = [f"{row['levels'][level]['mean']:.3f}" for level in LEVELS]
        kept = " ".join(f"{100 * row['kept'][level]:.0f}" for level in LEVELS if row["kept"][level] is not None)
        result.add_row(row["compressor"], f"{row['score']:.3f}", *levels, kept, f"{row['proxy']:.3f}")
    return result


def differences_table(rows: Sequence[dict[str, Any]]) -> Table:
    """Return by how much the first is better than each other, with 95 % intervals."""
    result = Table(title=f"{rows[0]['compressor']} minus the others")
    for heading in ("compressor", "score", *(f"{b} %" for b in LEVELS)):
        result.add_column(heading, justify="left" if heading == "compressor" else "right")
    for row in rows[1:]:
        found = [row["first_minus_this"][key] for key in ("weighted", *LEVELS)]
        result.add_row(row["compressor"], *(f"{d['mean']:+.3f} [{d['low']:+.3f}, {d['high']:+.3f}]" for d in found))
    return result


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description="Compressors side by side, every text at every level.")
    parser.add_argument("--data", default="builtin", help="builtin, jsonl:FILE, squad:FILE or folder:DIR")
    parser.add_argument("--compressor", action="append", metavar="NAME", help="the others are compared with the first")
    parser.add_argument("--model", help="model of the first compressor: a folder or name")
    parser.add_argument("--challenges", type=int, default=24)
    parser.add_argument("--noise-share", type=float, default=0.5)
    parser.add_argument("--near", type=float, default=0.5, help="probability that noise is near in topic")
    parser.add_argument("--block", type=float, default=0.3, help="probability that it comes in blocks")
    parser.add_argument("--min-tokens", type=int, default=600)
    parser.add_argument("--max-tokens", type=int, default=2500)
    parser.add_argument("--join", action="store_true", help="join articles that are too short with those after them")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32", help="of the reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--judge-url", help="OpenAI-compatible address of another judge than the embedded reader")
    parser.add_argument("--judge-model", default="gguf", help="its name there")
    parser.add_argument("--known-noise", action="store_true", help="tell the first compressor what is noise: its limit")
    parser.add_argument("--no-auc", action="store_true", help="do not measure the noise")
    parser.add_argument("--proxy", action="store_true", help="no reader: scores are the proxy's")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    names = arguments.compressor or list(DEFAULT)
    began = time.monotonic()
    try:
        tokenizer = get_tokenizer()
        options = CompressorOptions(model=arguments.model) if arguments.model else None
        compressors: dict[str, Any] = {
            name: find_compressor(name, options if name == names[0] else None) for name in names
        }
        challenges = challenges_of(arguments, tokenizer, arguments.near, arguments.block)
        scorers = {name: c._scorer for name, c in compressors.items() if hasattr(c, "_scorer")}
        if arguments.known_noise:
            if names[0] not in scorers:
                parser.exit(2, f"--known-noise is for a compressor with a scorer; {names[0]} has none\n")
            compressors[names[0]]._scorer = Knowing(scorers[names[0]], challenges)
        scores, proxies, clean = run(compressors, challenges, tokenizer, judge_of(arguments))
        rows = [summary(name, names[0], scores, proxies, clean) for name in names]
        aucs: dict[str, dict[str, float]] = {name: {} for name in scorers}
        for condition, (near, block) in CONDITIONS.items() if not arguments.no_auc else ():
            noisy = challenges_of(arguments, tokenizer, near, block)
            for name, scorer in scorers.items():
                aucs[name][condition] = round(auc_of(scorer, noisy), 4)
    except CompressionSubnetError as error:
        parser.exit(2, f"{error}\n")
    questions = sum(len(c.questions) for c in challenges)
    result = {
        "data": arguments.data, "challenges": len(challenges), "questions": questions, "seed": arguments.seed,
        "clean": round(float(sum(clean, Fraction(0))) / len(clean), 4), "compressors": rows, "auc": aucs,
        "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    if not arguments.json:
        title = f"{len(challenges)} texts of {arguments.data}, {questions} questions, clean text {result['clean']:.3f}"
        Console().print(table(rows, title))
        if len(rows) > 1:
            Console().print(differences_table(rows))
        for name, found in aucs.items() if not arguments.no_auc else ():
            Console().print(f"noise AUC of {name}: " + ", ".join(f"{c} {a:.3f}" for c, a in found.items()))
    else:
        print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
