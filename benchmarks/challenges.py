"""Measure how many challenges a second one core builds, with questions from the source and nothing rewritten.

    python benchmarks/challenges.py --count 500
    python benchmarks/challenges.py --source squad:dev.json --min-tokens 16000 --max-tokens 32000 --join

CPU time counts, not time on the clock: other processes of the machine do not disturb it. Exit status 1 is for fewer
than ``--least`` a second.
"""

import argparse
import json
import random
import sys
import time
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from compression_subnet.challenge import ChallengeBuilder, ChallengeSettings, open_source
from compression_subnet.errors import CompressionSubnetError
from compression_subnet.text.tokens import get_tokenizer


@dataclass(frozen=True, slots=True)
class Speed:
    """What was measured.

    Attributes:
        challenges: how many were built.
        base_texts: how many different base texts there are.
        tokens: mean tokens of a challenge.
        preparing: CPU seconds to read and prepare the corpus.
        building: CPU seconds to build them all.
    """

    challenges: int
    base_texts: int
    tokens: float
    preparing: float
    building: float

    @property
    def per_second(self) -> float:
        """Challenges a second of CPU time."""
        return self.challenges / self.building


def measure(source: str, count: int, seed: int, min_tokens: int, max_tokens: int, *, join: bool) -> Speed:
    """Return the speed of building ``count`` challenges."""
    tokenizer = get_tokenizer()
    start = time.process_time()
    builder = ChallengeBuilder(
        open_source(source, tokenizer, min_tokens, max_tokens, join=join).articles(),
        tokenizer,
        ChallengeSettings(min_tokens=min_tokens, max_tokens=max_tokens),
        random.Random(seed),
    )
    prepared = time.process_time()
    tokens = sum(builder.build().n_tokens for _ in range(count))
    return Speed(count, len(builder.excerpts), tokens / count, prepared - start, time.process_time() - prepared)


def main() -> int:
    """Run the benchmark, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--source", default="builtin", help="as for compression-subnet challenges build")
    parser.add_argument("--count", type=int, default=500, help="challenges to build")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--min-tokens", type=int, default=600)
    parser.add_argument("--max-tokens", type=int, default=2500)
    parser.add_argument("--join", action="store_true", help="join articles that are too short")
    parser.add_argument("--least", type=float, default=0.0, help="challenges a second that are wanted")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    try:
        speed = measure(
            options.source, options.count, options.seed, options.min_tokens, options.max_tokens, join=options.join
        )
    except CompressionSubnetError as error:
        print(f"challenges: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(asdict(speed) | {"per_second": speed.per_second}))
    else:
        table = Table("challenges", "base texts", "mean tokens", "preparing, s", "building, s", "a second a core")
        table.add_row(
            str(speed.challenges),
            str(speed.base_texts),
            f"{speed.tokens:.0f}",
            f"{speed.preparing:.2f}",
            f"{speed.building:.2f}",
            f"{speed.per_second:.0f}",
        )
        Console().print(table)
    return 0 if speed.per_second >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())
