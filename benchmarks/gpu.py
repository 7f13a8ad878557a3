"""How much of a GPU the compressor uses: tokens a second and share of peak, as JSON, in at most five minutes.

Weights are random, of XLM-R-large's shape (LLMLingua-2's encoder) unless another is asked for: speed does not depend
on what they are. Measured are, for each length of window in the compressor's buckets: attention in plain torch
(``eager``) and fused (``sdpa``), compiled or not; texts of mixed lengths padded to the longest and sorted into buckets;
and the whole compressor from text to text, with the share of time in which the encoder does not run.

    python benchmarks/gpu.py [--device cuda] [--shape xlm-r-large] [--seconds 240]
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import torch

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.learned.classifier import ClassifierModel
from compression_subnet.compressors.learned.runner import BUCKETS, CpuRunner, GpuRunner, Runner
from compression_subnet.compressors.learned.scorer import ModelScorer
from compression_subnet.compressors.learned.tokens import frame_of
from compression_subnet.compressors.pipeline import compress_batch
from compression_subnet.encoders.minilm import find_encoder
from compression_subnet.text.tokens import get_tokenizer

# Dense bfloat16 peak in TFLOPS by what the device's name holds, from the makers' data sheets.
PEAKS: Final = {
    "H200": 989.0, "H100 PCIe": 756.0, "H100": 989.0, "A100": 312.0, "L40S": 362.0, "L4": 121.0, "A10": 125.0,
    "RTX 5090": 209.0, "RTX 4090": 165.0, "RTX 3090": 71.0,
}  # fmt: skip
# Layers, width, heads, width of the inner layer. The vocabulary costs no arithmetic.
SHAPES: Final = {
    "xlm-r-large": (24, 1024, 16, 4096),
    "xlm-r-base": (12, 768, 12, 3072),
    "minilm": (6, 384, 12, 1536),
    "tiny": (2, 32, 2, 64),
}
NOUNS: Final = ("harbour", "ferry", "keeper", "lantern", "orchard", "bridge", "archive", "mill", "Oslo", "1921", "412")
LINKS: Final = ("was", "sold", "in", "the", "year", "of", "a", "old", "near", "and", "by", "for", "with", "measured")


@dataclass(frozen=True, slots=True)
class Speed:
    """One measurement."""

    what: str
    attention: str
    compiled: bool
    length: int
    rows: int
    tokens_per_second: float
    share_of_peak: float | None
    first_call_seconds: float


def make_module(shape: str, vocabulary: int, attention: str, device: torch.device, dtype: torch.dtype) -> Any:
    """Return a token classifier of random weights."""
    from transformers import XLMRobertaConfig, XLMRobertaForTokenClassification

    layers, width, heads, inner = SHAPES[shape]
    config = XLMRobertaConfig(
        vocab_size=vocabulary,
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=heads,
        intermediate_size=inner,
        max_position_embeddings=514,
        type_vocab_size=1,
        num_labels=2,
        attn_implementation=attention,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module = XLMRobertaForTokenClassification(config)
    return module.train(False).to(device, dtype)


def flops_of(shape: str, length: int) -> float:
    """Return the floating-point operations of one token: 2 for each weight, 4 · length · width for attention."""
    layers, width, _, inner = SHAPES[shape]
    return layers * (2.0 * (4 * width * width + 2 * width * inner) + 4.0 * length * width)


def timed(run: Callable[[], Any], device: torch.device, seconds: float) -> tuple[float, float]:
    """Return the seconds of the first call, compilation included, and of a later one on average."""

    def seconds_of(calls: int) -> float:
        began = time.perf_counter()
        for _ in range(calls):
            run()
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        return time.perf_counter() - began

    first = seconds_of(1)
    calls = max(3, round(seconds / max(seconds_of(1), 1e-6)))
    return first, seconds_of(calls) / calls


def encoder_speeds(
    arguments: argparse.Namespace, device: torch.device, peak: float | None, until: float
) -> list[Speed]:
    """Return the speed of the encoder alone, for each way and bucket that there is time for."""
    found: list[Speed] = []
    for attention, compiled in (("eager", False), ("sdpa", False), ("sdpa", True)):
        module = make_module(arguments.shape, arguments.vocabulary, attention, device, arguments.dtype)
        call = torch.compile(module, dynamic=False) if compiled else module
        for length in BUCKETS:
            # Compiling takes up to half a minute a shape.
            if until - time.monotonic() < (45.0 if compiled else 10.0) * arguments.seconds / 240.0:
                break
            rows = max(1, arguments.batch_tokens // length)
            first, each = timed(forward_of(call, arguments.vocabulary, rows, length, device), device, arguments.each)
            speed = rows * length / each
            share = speed * flops_of(arguments.shape, length) / (peak * 1e12) if peak else None
            found.append(Speed("encoder", attention, compiled, length, rows, speed, share, first))
    return found


def forward_of(call: Any, vocabulary: int, rows: int, length: int, device: torch.device) -> Callable[[], Any]:
    """Return what runs ``call`` over a batch of that shape."""
    ids = torch.randint(4, vocabulary, (rows, length), device=device)
    mask = torch.ones_like(ids)

    def run() -> Any:
        with torch.inference_mode():
            return call(input_ids=ids, attention_mask=mask)

    return run


def mixed_speeds(arguments: argparse.Namespace, device: torch.device) -> list[Speed]:
    """Return the speed over windows of mixed lengths: all padded to the longest, and sorted into buckets."""
    module = make_module(arguments.shape, arguments.vocabulary, "sdpa", device, arguments.dtype)
    lengths = np.random.default_rng(0).integers(20, 511, arguments.documents * 2).tolist()
    rows = [np.arange(4, 4 + length) % arguments.vocabulary for length in lengths]
    size = max(1, arguments.batch_tokens // 512)

    def padded() -> None:
        for at in range(0, len(rows), size):
            part = rows[at : at + size]
            ids = torch.ones((len(part), 512), dtype=torch.long)
            mask = torch.zeros_like(ids)
            for number, row in enumerate(part):
                ids[number, : len(row)] = torch.from_numpy(row)
                mask[number, : len(row)] = 1
            module(input_ids=ids.to(device), attention_mask=mask.to(device))

    def forward(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = module(input_ids=ids, attention_mask=mask).logits
        return logits

    runner = GpuRunner(device, 1, 512)
    found = []
    for what, run in (
        ("mixed lengths, padded", padded),
        ("mixed lengths, in buckets", lambda: runner.windows(forward, rows, arguments.batch_tokens)),
    ):
        with torch.inference_mode():
            first, each = timed(run, device, arguments.each)
        found.append(Speed(what, "sdpa", False, 512, len(rows), sum(lengths) / each, None, first))
    return found


def whole_speed(arguments: argparse.Namespace, device: torch.device) -> dict[str, Any]:
    """Return the speed from text to text in the validator's tokens, and where its time goes."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(find_encoder().tokenizer))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    size = max(arguments.vocabulary, tokenizer.get_vocab_size())
    module = make_module(arguments.shape, size, "sdpa", device, arguments.dtype)
    model = ClassifierModel(module, tokenizer, frame_of(tokenizer, 0), 510, 1)
    runner: Runner = CpuRunner(1) if device.type == "cpu" else GpuRunner(device, 0, 512)
    scorer = ModelScorer(model, runner, arguments.batch_tokens, kept_texts=0)
    counter = get_tokenizer()
    texts = [made_text(arguments.words, seed) for seed in range(arguments.documents)]
    counts = list(map(counter.count, texts))
    requests = [(text, TokenBudget(n * 40 // 100, counter)) for text, n in zip(texts, counts, strict=True)]
    inside = 0.0

    class Watched:
        def score(self, documents: Sequence[Any]) -> Any:
            nonlocal inside
            began = time.perf_counter()
            scores = scorer.score(documents)
            inside += time.perf_counter() - began
            return scores

    first, each = timed(lambda: compress_batch(Watched(), requests), device, 2 * arguments.each)
    inside = 0.0
    began = time.perf_counter()
    compress_batch(Watched(), requests)
    share = 1.0 - inside / (time.perf_counter() - began)
    _, single = timed(lambda: compress_batch(scorer, requests[:1]), device, arguments.each)
    return {
        "documents": len(texts),
        "tokens_each": sum(counts) // len(counts),
        "tokens_per_second": round(sum(counts) / each),
        "share_outside_scorer": round(share, 3),
        "single_text_seconds": round(single, 4),
        "first_call_seconds": round(first, 2),
    }


def made_text(words: int, seed: int) -> str:
    """Return a text of so many words, in sentences of a dozen."""
    chance = random.Random(seed)
    sentences = [" ".join(chance.choices(NOUNS + LINKS, k=12)).capitalize() + "." for _ in range(max(1, words // 12))]
    return " ".join(sentences)


def main() -> None:
    """Read the arguments, measure, print JSON."""
    parser = argparse.ArgumentParser(description="Tokens a second and share of peak on a GPU.")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="xlm-r-large")
    parser.add_argument("--dtype", type=lambda name: getattr(torch, name), default=torch.bfloat16)
    parser.add_argument("--batch-tokens", type=int, default=16_384)
    parser.add_argument("--documents", type=int, default=64)
    parser.add_argument("--words", type=int, default=1_000)
    parser.add_argument("--vocabulary", type=int, default=32_000)
    parser.add_argument("--seconds", type=float, default=240.0, help="all of it, imports apart")
    parser.add_argument("--each", type=float, default=1.0, help="seconds of each measurement")
    parser.add_argument("--peak-tflops", type=float, help="dense peak of the device; known for common ones")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    peak = arguments.peak_tflops or next((tflops for part, tflops in PEAKS.items() if part in name), None)
    if device.type == "cuda" and peak is None:
        print(f"the peak of {name} is not known; give --peak-tflops", file=sys.stderr)
    began = time.monotonic()
    dtype = str(arguments.dtype).removeprefix("torch.")
    result: dict[str, Any] = {"device": name, "shape": arguments.shape, "dtype": dtype, "peak_tflops": peak}
    result["whole"] = whole_speed(arguments, device)
    result["mixed"] = [asdict(speed) for speed in mixed_speeds(arguments, device)]
    result["encoder"] = [asdict(speed) for speed in encoder_speeds(arguments, device, peak, began + arguments.seconds)]
    result["seconds"] = round(time.monotonic() - began, 1)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
