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
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from compression_subnet.errors import CompressionSubnetError
from compression_subnet.judge.reader.disturbance import Disturbance
from compression_subnet.judge.reader.encoder import find_encoder
from compression_subnet.judge.reader.extractive import Reader
from compression_subnet.judge.reader.features import Feature, epoch_batches
from compression_subnet.judge.reader.model import QuestionAnsweringModel, build_network
from compression_subnet.judge.reader.squad import Example, read_squad
from compression_subnet.judge.reader.training import Progress, Schedule, Trainer, trainable
from compression_subnet.scoring.f1 import normalise, token_f1
from compression_subnet.text.sentences import split_sentences

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from transformers import BertForQuestionAnswering

__all__ = ["foreign_sentences", "main", "measure", "train"]

MAX_BATCH_TOKENS: Final = 3600
CHECKPOINT_STEPS: Final = 200
FOREIGN_CONTEXTS: Final = 3000


def train(
    data: Sequence[Path],
    test: Path,
    out: Path,
    schedule: Schedule,
    *,
    seed: int = 0,
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
    network = build_network(encoder, weights=None)
    hashes = {path.name: _sha256(path) for path in data}
    trainer = Trainer(network, schedule, seed, run_id=f"seed {seed}, data {sorted(hashes.values())}")
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

    trainer.run(batches_of, after_step)
    trainer.save(checkpoint)
    weights = out / "reader.safetensors"
    save_file(
        {name: tensor.half().contiguous() for name, tensor in trainable(network).items()},
        weights,
        metadata={"format": "pt"},
    )
    report = {
        "weights_sha256": _sha256(weights),
        "data": hashes,
        "test": {test.name: _sha256(test)},
        "examples": len(examples),
        "seed": seed,
        "schedule": asdict(schedule),
        "disturbance": asdict(disturbance),
        "progress": asdict(trainer.progress),
        "result": measure(network, tokenizer, tests[:max_test]),
    }
    (out / "training.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return report


def foreign_sentences(examples: Sequence[Example], seed: int) -> list[str]:
    """Return the first two sentences of some contexts, each context once."""
    contexts = sorted({example.context for example in examples})
    chosen = random.Random(seed).sample(contexts, min(FOREIGN_CONTEXTS, len(contexts)))
    return [s for c in chosen for a, b in split_sentences(c)[:2] if (s := c[a:b].strip())]


def measure(
    network: "BertForQuestionAnswering", tokenizer: "Tokenizer", examples: Sequence[Example]
) -> dict[str, float]:
    """Return the share of exact answers and the mean token F1 of ``network`` on ``examples``, each within 0 and 1."""
    readings = Reader(QuestionAnsweringModel(network), tokenizer).read([(e.context, e.question) for e in examples])
    pairs = [(reading.answer, example.golds) for reading, example in zip(readings, examples, strict=True)]
    exact = sum(any(normalise(answer) == normalise(gold) for gold in golds) for answer, golds in pairs)
    f1 = sum(float(token_f1(answer, golds)) for answer, golds in pairs)
    return {"questions": len(pairs), "exact": exact / len(pairs), "f1": f1 / len(pairs)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Train the embedded judge's reader on files in SQuAD's format.")
    parser.add_argument("--data", nargs="+", type=Path, required=True, metavar="FILE")
    parser.add_argument("--test", type=Path, required=True, metavar="FILE")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seconds", type=float, default=5000, help="time budget")
    parser.add_argument("--steps", type=int, help="step budget in place of the time: makes a run reproducible")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--encoder", type=Path, metavar="DIR", help="folder of all-MiniLM-L6-v2")
    args = parser.parse_args(arguments)
    if args.seconds <= 0 or (args.steps is not None and args.steps <= 0):
        parser.error("--seconds and --steps must be positive")
    try:
        schedule = Schedule(args.seconds, args.steps)
        report = train(args.data, args.test, args.out, schedule, seed=args.seed, encoder_folder=args.encoder)
    except CompressionSubnetError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(json.dumps(report["result"]))
    return 0


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
