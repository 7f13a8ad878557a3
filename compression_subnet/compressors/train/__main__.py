"""The command line of training."""

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from compression_subnet.errors import CompressionSubnetError

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m compression_subnet.compressors.train",
        description="Train the learned compressor on files in SQuAD's format.",
    )
    parser.add_argument("--articles", nargs="+", type=Path, default=[], metavar="FILE", help="a file may come twice")
    parser.add_argument("--posts", nargs="+", type=Path, default=[], metavar="FILE", help="each paragraph is a text")
    parser.add_argument("--plain", nargs="+", type=Path, default=[], metavar="FILE", help="articles without questions")
    parser.add_argument("--held-out", type=int, default=8, metavar="N", help="of the first file, one article in N")
    made = parser.add_mutually_exclusive_group(required=True)
    made.add_argument("--out", type=Path, metavar="DIR", help="train; weights, report and checkpoint go here")
    made.add_argument(
        "--export-classifier", type=Path, metavar="DIR", help="fit the trained encoder as a token classifier instead"
    )
    parser.add_argument(
        "--start", type=Path, metavar="FILE", help="trained weights to go on from; to export, the package's own"
    )
    parser.add_argument("--seconds", type=float, default=2700, help="time budget")
    parser.add_argument("--steps", type=int, help="step budget in place of the time: makes a run reproducible")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=2e-4, help="the highest, of the encoder")
    parser.add_argument("--device", default="cpu", help="cpu, cuda or auto; not for --export-classifier")
    parser.add_argument("--bfloat16", action="store_true", help="faster on a GPU and on a CPU with AMX")
    parser.add_argument("--threads", type=int, help="as many as torch takes if not given")
    parser.add_argument("--encoder", type=Path, metavar="DIR", help="folder of all-MiniLM-L6-v2")
    args = parser.parse_args(arguments)
    import torch

    from compression_subnet.compressors.learned.encoder import WEIGHTS
    from compression_subnet.compressors.train.corpus import Data
    from compression_subnet.compressors.train.export import export_classifier
    from compression_subnet.compressors.train.run import train
    from compression_subnet.encoders.training import Schedule

    if args.threads is not None:
        torch.set_num_threads(args.threads)
    try:
        data = Data(tuple(args.articles), tuple(args.posts), args.held_out, tuple(args.plain))
        schedule = Schedule(args.seconds, args.steps, args.learning_rate)
        common: dict[str, Any] = {
            "seed": args.seed,
            "bfloat16": args.bfloat16,
            "encoder_folder": args.encoder,
            "report": partial(print, flush=True),
        }
        if args.export_classifier is not None:
            export_classifier(data, args.export_classifier, schedule, start=args.start or WEIGHTS, **common)
            return 0
        result = train(data, args.out, schedule, start=args.start, device=args.device, **common)
    except CompressionSubnetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(result["result"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
