"""Train the reader: ``python -m compression_subnet.judge.reader.train --data FILES --test FILE --out DIR``.

Writes ``reader.safetensors`` (fp16) and ``training.json`` (what went in, what came out). Stopped and started again
with the same arguments, it goes on from its last checkpoint.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final

from compression_subnet.encoders.minilm import find_encoder
from compression_subnet.encoders.training import Progress, Schedule, Trainer
from compression_subnet.errors import CompressionSubnetError
from compression_subnet.judge.reader.disturbance import Disturbance
from compression_subnet.judge.reader.evaluate import foreign_sentences, measure
from compression_subnet.judge.reader.extractive import Reader
from compression_subnet.judge.reader.features import Feature, epoch_batches
from compression_subnet.judge.reader.model import QuestionAnsweringModel, build_network
from compression_subnet.judge.reader.squad import read_squad
from compression_subnet.judge.reader.training import loss_of, prepare

__all__ = ["main", "train"]

MAX_BATCH_TOKENS: Final = 3600
CHECKPOINT_STEPS: Final = 200


def train(
    data: Sequence[Path],
    test: Path,
    out: Path,
    schedule: Schedule,
    *,
    seed: int = 0,
    start: Path | None = None,
    dropout: bool = True,
    bfloat16: bool = False,
    encoder_folder: Path | None = None,
    how: Disturbance | None = None,
    checkpoint_steps: int = CHECKPOINT_STEPS,
    max_test: int = 300,
) -> dict[str, Any]:
    """Train a reader on SQuAD-format files and return what ``training.json`` holds.

    Args:
        data: training files.
        test: measured on, never trained on.
        out: folder for the weights, the report and the checkpoint.
        schedule: how long, how fast.
        seed: of all chance.
        start: trained weights to go on from; the base encoder with a fresh head if None.
        dropout: see ``prepare``.
        bfloat16: see ``Trainer``.
        encoder_folder: see ``find_encoder``.
        how: disturbance of the contexts; the default if None.
        checkpoint_steps: steps between checkpoints.
        max_test: questions of ``test`` to measure on.

    Raises:
        InputError: a file of questions is unusable.
        ConfigurationError: the encoder or a checkpoint is unusable.
    """
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer

    examples = [example for path in data for example in read_squad(path)]
    tests = read_squad(test)
    random.Random(seed).shuffle(tests)
    encoder = find_encoder(encoder_folder)
    tokenizer = Tokenizer.from_file(str(encoder.tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    torch.manual_seed(seed)
    network = build_network(encoder, weights=start, sha256=None)
    hashes = {path.name: _sha256(path) for path in data}
    prepare(network, dropout=dropout)
    trainer: Trainer[list[Feature]] = Trainer(
        network,
        partial(loss_of, network),
        schedule,
        seed,
        run_id=f"seed {seed}, data {sorted(hashes.values())}",
        bfloat16=bfloat16,
    )
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / "checkpoint.pt"
    if checkpoint.exists():
        trainer.resume(checkpoint)
    foreign = foreign_sentences(examples, seed)
    disturbance = how or Disturbance()

    def batches_of(epoch: int) -> list[list[Feature]]:
        return epoch_batches(
            examples, foreign, tokenizer, how=disturbance, max_tokens=MAX_BATCH_TOKENS, seed=seed, epoch=epoch
        )

    def after_step(progress: Progress, loss: float) -> None:
        if progress.step % checkpoint_steps == 0:
            trainer.save(checkpoint)
            print(f"step {progress.step} seen {progress.seen} loss {loss:.3f} t {progress.elapsed:.0f}", flush=True)

    trainer.run(batches_of, after_step, size=len)
    trainer.save(checkpoint)
    weights = out / "reader.safetensors"
    save_file(
        {name: tensor.half().contiguous() for name, tensor in trainer.trained().items()},
        weights,
        metadata={"format": "pt"},
    )
    report = {
        "weights_sha256": _sha256(weights),
        "data": hashes,
        "test": {test.name: _sha256(test)},
        "examples": len(examples),
        "seed": seed,
        "start_sha256": _sha256(start) if start is not None else None,
        "dropout": dropout,
        "bfloat16": bfloat16,
        "schedule": asdict(schedule),
        "disturbance": asdict(disturbance),
        "progress": asdict(trainer.progress),
        "result": asdict(measure(Reader(QuestionAnsweringModel(network), tokenizer), tests[:max_test])),
    }
    (out / "training.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return report


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Train the embedded judge's reader on files in SQuAD's format.")
    parser.add_argument("--data", nargs="+", type=Path, required=True, metavar="FILE")
    parser.add_argument("--test", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=5000, help="time budget")
    parser.add_argument("--steps", type=int, help="step budget in place of the time: makes a run reproducible")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learning-rate", type=float, default=2e-4, help="the highest")
    parser.add_argument("--start", type=Path, metavar="FILE", help="trained weights to go on from")
    parser.add_argument("--dropout", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--bfloat16", action="store_true", help="faster on a CPU with AMX")
    parser.add_argument("--encoder", type=Path, metavar="DIR", help="folder of all-MiniLM-L6-v2")
    args = parser.parse_args(arguments)
    try:
        report = train(
            args.data,
            args.test,
            args.out,
            Schedule(args.seconds, args.steps, args.learning_rate),
            seed=args.seed,
            start=args.start,
            dropout=args.dropout,
            bfloat16=args.bfloat16,
            encoder_folder=args.encoder,
        )
    except CompressionSubnetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(report["result"]))
    return 0


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
