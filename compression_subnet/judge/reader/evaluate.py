"""Measure the reader: ``python -m compression_subnet.judge.reader.evaluate --data FILE [--weights FILE]``.

Prints exact match and token F1 on the contexts as they are, and on the same ones disturbed as compression and noise
disturb a text, for questions whose answer is left.
"""

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Final

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.judge.reader.disturbance import Disturbance, disturb
from compression_subnet.judge.reader.extractive import Reader, load_reader
from compression_subnet.judge.reader.squad import Example, read_squad
from compression_subnet.scoring.f1 import normalise, token_f1
from compression_subnet.text.sentences import split_sentences

__all__ = ["Measurement", "disturbed", "foreign_sentences", "main", "measure"]

FOREIGN_CONTEXTS: Final = 3000


@dataclass(frozen=True, slots=True)
class Measurement:
    """Share of exact answers and mean token F1, each in [0, 1], over so many questions."""

    questions: int
    exact: float
    f1: float


def measure(reader: Reader, examples: Sequence[Example]) -> Measurement:
    """Return how well ``reader`` answers ``examples``, of which there is at least one."""
    readings = reader.read([(e.context, e.question) for e in examples])
    pairs = [(reading.answer, example.golds) for reading, example in zip(readings, examples, strict=True)]
    exact = sum(any(normalise(answer) == normalise(gold) for gold in golds) for answer, golds in pairs)
    f1 = sum(float(token_f1(answer, golds)) for answer, golds in pairs)
    return Measurement(len(pairs), exact / len(pairs), f1 / len(pairs))


def disturbed(examples: Sequence[Example], foreign: Sequence[str], seed: int) -> list[Example]:
    """Return every example with its context disturbed, and its answer left in it."""
    how = replace(Disturbance(), share=1.0, unanswerable=0.0)
    rng = random.Random(f"{seed}:disturbed")
    return [disturb(example, foreign, how, rng) for example in examples]


def foreign_sentences(examples: Sequence[Example], seed: int) -> list[str]:
    """Return the first two sentences of some contexts, each context once."""
    contexts = sorted({example.context for example in examples})
    chosen = random.Random(seed).sample(contexts, min(FOREIGN_CONTEXTS, len(contexts)))
    return [s for c in chosen for a, b in split_sentences(c)[:2] if (s := c[a:b].strip())]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Measure the embedded judge's reader on a file in SQuAD's format.")
    parser.add_argument("--data", type=Path, required=True, metavar="FILE")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="the package's own if not given")
    parser.add_argument("--questions", type=int, help="so many, drawn at random; all if not given")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="float32")
    args = parser.parse_args(arguments)
    try:
        examples = read_squad(args.data)
        random.Random(args.seed).shuffle(examples)
        examples = examples[: args.questions]
        if args.weights is None:
            reader = load_reader(threads=args.threads, precision=args.precision)
        else:
            reader = load_reader(weights=args.weights, sha256=None, threads=args.threads, precision=args.precision)
    except CompressionSubnetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    foreign = foreign_sentences(examples, args.seed)
    found = {
        "clean": asdict(measure(reader, examples)),
        "disturbed": asdict(measure(reader, disturbed(examples, foreign, args.seed))),
    }
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
