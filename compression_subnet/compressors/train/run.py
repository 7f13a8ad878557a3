"""A training run: data in, weights and a report out."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import save_file

from compression_subnet.compressors.learned.devices import choose_device
from compression_subnet.compressors.learned.encoder import FRAME, HIDDEN, WEIGHTS_FILE, build_encoder, load_network
from compression_subnet.compressors.learned.network import VOCABULARY, Heads, sentence_means
from compression_subnet.compressors.train.batches import LabelledBatch
from compression_subnet.compressors.train.corpus import Corpus, Data
from compression_subnet.compressors.train.losses import TrainedNetwork, loss_of
from compression_subnet.compressors.train.measure import measure
from compression_subnet.compressors.train.noise import Mixture
from compression_subnet.encoders.minilm import Encoder, find_encoder
from compression_subnet.encoders.training import Progress, Schedule, Trainer

__all__ = ["freeze_embeddings", "sha256_of", "train"]

MASKED: Final = 0.1
"""Share of the encoder's tokens that are masked while it is trained, so that it does not learn texts by heart."""
CHECKPOINT_STEPS: Final = 100
REPORT_STEPS: Final = 20
FEW: Final = 6
"""Documents of each condition that are measured on at a checkpoint; all are at the end."""
FASTER: Final = {"heads.document.direct.": 25.0, "heads.document.weights": 25.0, "heads.": 5.0}
"""The heads start from nothing, the encoder from a good place: their learning rate is so many times its."""
AVERAGING: Final = 0.995
"""What is kept is a running average over about the last 200 steps."""
CALIBRATION: Final = 20
"""Batches from which the scale of the signals is taken."""


def train(
    data: Data,
    out: Path,
    schedule: Schedule,
    *,
    seed: int = 0,
    start: Path | None = None,
    device: str = "cpu",
    bfloat16: bool = False,
    encoder_folder: Path | None = None,
    mixture: Mixture | None = None,
    report: Callable[[str], None] = print,
) -> dict[str, Any]:
    """Train and return what ``training.json`` holds. Started again with the same arguments, it goes on.

    Args:
        data: what to learn from.
        out: folder for weights, report and checkpoint.
        schedule: how long, how fast.
        seed: of all chance.
        start: weights of an earlier run to go on from; the base encoder and fresh heads if None.
        device: where, as ``choose_device`` takes it.
        bfloat16: see ``Trainer``.
        encoder_folder: see ``find_encoder``.
        mixture: of what noise; the default if None.
        report: takes lines on how it goes.

    Raises:
        InputError: a file is unusable.
        ConfigurationError: there is nothing to train on, or the device, the encoder or a checkpoint is unusable.
    """
    base = find_encoder(encoder_folder)
    mixture = mixture or Mixture()
    corpus = Corpus(data, base, mixture, seed)
    torch.manual_seed(seed)
    encoder, heads = _fresh(base, corpus) if start is None else load_network(base, start, sha256=None)
    freeze_embeddings(encoder)
    place = choose_device(device)
    network = TrainedNetwork(encoder, heads).to(place)

    def loss_on(batch: LabelledBatch) -> torch.Tensor:
        moved = batch.to(place)
        return loss_of(network(moved, masked=MASKED), moved)

    hashes = {path.name: sha256_of(path) for path in data.files}
    trainer: Trainer[LabelledBatch] = Trainer(
        network,
        loss_on,
        schedule,
        seed,
        run_id=f"seed {seed}, data {sorted(hashes.values())}, held out {data.held_out}",
        bfloat16=bfloat16,
        faster=FASTER,
        averaging=AVERAGING,
    )
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / "checkpoint.pt"
    if checkpoint.exists():
        trainer.resume(checkpoint)
    measured = corpus.measuring()

    def after_step(progress: Progress, loss: float) -> None:
        if progress.step % REPORT_STEPS == 0:
            report(f"epoch {progress.epoch} step {progress.step} loss {loss:.3f} t {progress.elapsed:.0f}")
        if progress.step % CHECKPOINT_STEPS == 0:
            trainer.save(checkpoint)
            if measured:
                few = {name: samples[:FEW] for name, samples in measured.items()}
                report(json.dumps(asdict(measure(network, few, FRAME))))

    trainer.run(corpus.batches, after_step, size=lambda batch: batch.documents)
    trainer.save(checkpoint)
    trainer.use_average()
    weights = out / WEIGHTS_FILE
    save_file(
        {name: tensor.half().cpu().contiguous() for name, tensor in trainer.trained().items()},
        weights,
        metadata={"format": "pt"},
    )
    result = {
        "weights_sha256": sha256_of(weights),
        "data": hashes,
        "articles": [path.name for path in data.articles],
        "posts": [path.name for path in data.posts],
        "plain": [path.name for path in data.plain],
        "held_out": data.held_out,
        "seed": seed,
        "start_sha256": None if start is None else sha256_of(start),
        "device": place.type,
        "bfloat16": bfloat16,
        "schedule": asdict(schedule),
        "mixture": asdict(mixture),
        "progress": asdict(trainer.progress),
        "result": asdict(measure(network, measured, FRAME)) if measured else None,
    }
    (out / "training.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


def _fresh(base: Encoder, corpus: Corpus) -> tuple[Any, Heads]:
    """Return the base encoder and heads that know nothing, but for how rare each token is."""
    encoder, heads = build_encoder(base), Heads(HIDDEN)
    document = heads.document
    document.weights.data.copy_(torch.from_numpy(corpus.token_weights(VOCABULARY)))
    signals = []
    with torch.inference_mode():
        for labelled in corpus.batches(0)[:CALIBRATION]:
            batch = labelled.batch
            states = encoder(input_ids=batch.ids, attention_mask=batch.mask).last_hidden_state
            means, lengths = sentence_means(
                states.reshape(-1, HIDDEN)[batch.places], batch.sentences, len(labelled.relevant)
            )
            signals.append(document.compared(document.compare(document.norm(means)), lengths, batch))
    together = torch.cat(signals)
    document.shift.data.copy_(together.mean(0))
    document.scale.data.copy_(1 / (together.std(0) + 1e-3))
    return encoder, heads


def freeze_embeddings(encoder: Any) -> None:
    """Freeze the embeddings, which ship with the base encoder, and switch dropout off, which costs a third."""
    for parameter in encoder.embeddings.parameters():
        parameter.requires_grad = False
    for module in encoder.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
