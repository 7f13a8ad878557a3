"""The compressor's laws over many generated texts: any Unicode of 0 to 50,000 characters, odd counters, any budget.

Each reply is within its budget by its own counter, has no white space at its ends and no character that the text does
not have there in order, and is made of the text's words unless it is its start, cut. Any exception is a failure. The
laws themselves are in ``tests/compressors/compressor_laws.py``, where ``make test`` runs them over fewer texts.

    python benchmarks/compressor_laws.py --texts 100000
"""

import argparse
import json
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, given, settings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "compressors"))
from compressor_laws import CASES, LawCase, check


def main() -> None:
    """Read the arguments, search, print what was seen as JSON."""
    parser = argparse.ArgumentParser(description="Search for texts that break a law of the compressor.")
    parser.add_argument("--texts", type=int, default=100_000)
    arguments = parser.parse_args()
    seen = {"texts": 0, "characters": 0, "longest": 0, "replies": 0}

    @settings(
        max_examples=arguments.texts,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(CASES)
    def search(case: LawCase) -> None:
        reply = check(case)
        seen["texts"] += 1
        seen["characters"] += len(case.text)
        seen["longest"] = max(seen["longest"], len(case.text))
        seen["replies"] += bool(reply)

    began = time.perf_counter()
    search()
    print(json.dumps({**seen, "seconds": round(time.perf_counter() - began), "failures": 0}))


if __name__ == "__main__":
    main()
