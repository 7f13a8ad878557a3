"""Measure compressors by a proxy that needs no model: does the gold answer still stand in the compressed text?

Articles of a SQuAD-format file get sentences of other articles put in; each compressor shortens them at each level;
the share of questions whose answer survives, as a run of normalised tokens, is printed, with its mean W over the
levels by the mechanism's weights. The proxy is not the score: nobody answers anything here. It is cheap, exact and
good for telling whether a change helps.

    python benchmarks/proxy.py --data dev.json --compressor reference --compressor truncation
"""

import argparse
import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from compression_subnet.compressors import Compressor, TokenBudget, find_compressor
from compression_subnet.errors import CompressionSubnetError, ConfigurationError
from compression_subnet.scoring.f1 import normalise
from compression_subnet.text.canonical import canonical
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.tokens import DEFAULT_TOKENIZER, Tokenizer, get_tokenizer

LEVELS = (20, 40, 60)


@dataclass(frozen=True, slots=True)
class Sample:
    """A text with noise in it, and the normalised answers that its clean part holds."""

    text: str
    tokens: int
    answers: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one compressor did: share of answers kept per level, budget used on average, seconds per text."""

    compressor: str
    kept: tuple[float, ...]
    used: float
    over_budget: int
    seconds: float

    @property
    def weighted(self) -> float:
        """Mean over levels with the weights 1/sqrt(level)."""
        weights = [1.0 / math.sqrt(level) for level in LEVELS]
        return sum(w * k for w, k in zip(weights, self.kept, strict=True)) / sum(weights)


def load_articles(path: Path, paragraphs: int) -> list[tuple[str, list[str]]]:
    """Return texts of so many paragraphs of one article, each with its gold answers (the first of each question).

    Raises:
        ConfigurationError: the file is not in SQuAD format.
    """
    try:
        data = json.loads(path.read_text("utf-8"))["data"]
        articles = []
        for article in data:
            chunks = article["paragraphs"]
            for start in range(0, len(chunks) - paragraphs + 1, paragraphs):
                chunk = chunks[start : start + paragraphs]
                answers = [q["answers"][0]["text"] for p in chunk for q in p["qas"] if q["answers"]]
                articles.append(("\n\n".join(p["context"].strip() for p in chunk), answers))
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise ConfigurationError(f"{path} is not a readable file in SQuAD format: {error!r}") from error
    if len(articles) < 2:
        raise ConfigurationError(f"{path} has fewer than two texts of {paragraphs} paragraphs; lower --paragraphs")
    return articles


def with_noise(
    articles: Sequence[tuple[str, list[str]]], index: int, share: float, block: int, tokenizer: Tokenizer, seed: int
) -> Sample:
    """Return article ``index`` with sentences of other articles put in, ``share`` times as many as it has."""
    rng = random.Random(f"{seed} {index}")
    text, answers = articles[index]
    base = sentences(text)
    others = [i for i in range(len(articles)) if i != index]
    wanted = round(share * len(base))
    noise: list[str] = []
    blocks: list[list[str]] = []
    while len(noise) < wanted:
        donor = sentences(articles[rng.choice(others)][0])
        start = rng.randrange(len(donor))
        blocks.append([s.strip() + " " for s in donor[start : start + min(block, wanted - len(noise))]])
        noise += blocks[-1]
    pieces: list[list[str]] = [[] for _ in range(len(base) + 1)]
    for chosen in blocks:
        pieces[rng.randrange(len(pieces))] += chosen
    mixed = "".join("".join(added) + own for added, own in zip(pieces, [*base, ""], strict=True))
    injected = canonical(mixed).strip()
    gold = tuple(bare(normalise(canonical(answer))) for answer in answers)
    return Sample(injected, tokenizer.count(injected), tuple(answer for answer in gold if answer))


def sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, joinable, the last with a space at its end."""
    return [f"{text} "[start:end] for start, end in split_sentences(f"{text} ")]


def bare(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return ``tokens`` without articles, which answers and texts may have or not."""
    return tuple(token for token in tokens if token not in {"a", "an", "the"})


def stands_in(answer: tuple[str, ...], text: tuple[str, ...]) -> bool:
    """Whether ``answer`` is a run of tokens of ``text``."""
    return f" {' '.join(answer)} " in f" {' '.join(text)} "


def measure(name: str, compressor: Compressor, samples: Sequence[Sample], tokenizer: Tokenizer) -> Outcome:
    """Run ``compressor`` on every sample at every level."""
    kept, used, over, seconds = [], 0.0, 0, 0.0
    for level in LEVELS:
        hits = total = 0
        for sample in samples:
            budget = TokenBudget(sample.tokens * level // 100, tokenizer)
            started = time.perf_counter()
            reply = compressor.compress(sample.text, budget)
            seconds += time.perf_counter() - started
            tokens = tokenizer.count(reply)
            over += tokens > budget.tokens
            used += tokens / max(budget.tokens, 1)
            said = bare(normalise(reply)) if tokens <= budget.tokens else ()
            hits += sum(stands_in(answer, said) for answer in sample.answers)
            total += len(sample.answers)
        kept.append(hits / max(total, 1))
    runs = len(LEVELS) * len(samples)
    return Outcome(name, tuple(kept), used / runs, over, seconds / runs)


def table(outcomes: Sequence[Outcome], title: str) -> Table:
    """Return the outcomes as a table, best first: share of the budget used, replies over it, time per text."""
    result = Table(title=title)
    for heading in ("compressor", "W", *(f"{level} %" for level in LEVELS), "used", "over", "ms"):
        result.add_column(heading, justify="left" if heading == "compressor" else "right", no_wrap=True)
    for o in sorted(outcomes, key=lambda o: -o.weighted):
        cells = [f"{o.weighted:.3f}", *(f"{k:.3f}" for k in o.kept), f"{o.used:.1%}", str(o.over_budget)]
        result.add_row(o.compressor, *cells, f"{1000 * o.seconds:.0f}")
    return result


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description="Share of gold answers that survive compression.")
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="questions in SQuAD format")
    parser.add_argument("--noise", type=float, default=0.5, help="sentences put in, as a share of the text's own")
    parser.add_argument("--block", type=int, default=1, help="sentences put in at one place together")
    parser.add_argument("--articles", type=int, default=24, metavar="N", help="texts to measure on")
    parser.add_argument("--paragraphs", type=int, default=5, help="paragraphs that make a text")
    parser.add_argument("--tokenizer", default=DEFAULT_TOKENIZER)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--compressor", action="append", metavar="NAME", help="name or module:attribute; can be given several times"
    )
    arguments = parser.parse_args()
    if arguments.noise < 0 or min(arguments.block, arguments.articles, arguments.paragraphs) < 1:
        parser.error("--noise must not be negative; --block, --articles and --paragraphs must be at least 1")
    try:
        tokenizer = get_tokenizer(arguments.tokenizer)
        articles = load_articles(arguments.data, arguments.paragraphs)
        samples = [
            with_noise(articles, i, arguments.noise, arguments.block, tokenizer, arguments.seed)
            for i in range(min(arguments.articles, len(articles)))
        ]
        names = arguments.compressor or ["truncation", "random", "reference"]
        outcomes = [measure(name, find_compressor(name), samples, tokenizer) for name in names]
    except CompressionSubnetError as error:
        parser.exit(2, f"{error}\n")
    questions = sum(len(sample.answers) for sample in samples)
    mean = sum(sample.tokens for sample in samples) / len(samples)
    title = f"{len(samples)} texts of {mean:.0f} tokens on average, {questions} answers, noise {arguments.noise:.0%}"
    Console().print(table(outcomes, title))


if __name__ == "__main__":
    main()
