"""How fast the compressor is, beside llmlingua's LLMLingua-2 on the same weights, texts and threads, in one run.

Both get the same token classifier: ``--model FOLDER``, or one made here of the installed encoder with a random head,
which is as fast as a trained one. Sides take turns in every round, so that a busy machine slows all alike; ratios are
medians over rounds, by the clock and in processor time, which other work on the machine disturbs less. Figures:

- real: tokens a second with the encoder, ours over llmlingua's; at least 1.5.
- free: the same with an encoder that costs nothing (random logits), which shows what starves a GPU; at least 4.
- bare: ours with the encoder over the encoder alone on ready windows; at least 0.8.
- free_select: the free encoder's speed without tokenising for it, for comparison.
- seconds_1200: one text of about 1,200 tokens with the default compressor on ``--threads`` threads; under 1.

    pip install 'compression-subnet[peers]'
    python benchmarks/compressors_speed.py --data dev.json [--threads 2] [--json]
"""

import argparse
import contextlib
import io
import json
import os
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from lingua import FOLDER_NAME, give_vocabulary, lingua, make_classifier
from proxy import Sample, load_articles, with_noise

TARGETS: Final = {"real": 1.5, "free": 4.0, "bare": 0.8}
DEFAULT: Final = "compression_subnet.compressors.learned.compressor:LearnedCompressor"


def ours(folder: Path, level: int, threads: int, dtype: str = "auto") -> dict[str, Callable[[Sequence[Sample]], None]]:
    """Return what runs our compressor over texts: real, free, free without tokenising, and the encoder alone."""
    import numpy as np
    import torch

    from compression_subnet.compressors import CompressorOptions, TokenBudget
    from compression_subnet.compressors.learned.load import load_scorer
    from compression_subnet.compressors.learned.model import mean_by_word
    from compression_subnet.compressors.learned.scorer import ModelScorer
    from compression_subnet.compressors.learned.word_cache import WordCache
    from compression_subnet.compressors.pipeline import compress_batch
    from compression_subnet.compressors.scores import Scorer, Scores
    from compression_subnet.text.tokens import get_tokenizer

    counter = get_tokenizer()
    loaded = load_scorer(CompressorOptions(model=str(folder), device="cpu", dtype=dtype, threads=threads))
    model = loaded._model
    # Without its memory of texts that were scored before, since the same come in every round.
    scorer = ModelScorer(model, loaded._runner, CompressorOptions().batch_tokens, kept_texts=0)
    words = WordCache(model.tokenizer)
    chance = np.random.default_rng(0)

    class Free:
        def score(self, documents: Any) -> list[Scores]:
            found = []
            for document, tokens in zip(documents, words.tokenise(documents), strict=True):
                worth = mean_by_word(chance.random(len(tokens.ids)), tokens)
                found.append(Scores(np.ones(len(document.borders) - 1), worth))
            return found

    class Given:
        def score(self, documents: Any) -> list[Scores]:
            return [Scores(np.ones(len(d.borders) - 1), chance.random(len(d.words))) for d in documents]

    def runs(scorer: Scorer) -> Callable[[Sequence[Sample]], None]:
        def run(samples: Sequence[Sample]) -> None:
            compress_batch(scorer, [(s.text, TokenBudget(s.tokens * level // 100, counter)) for s in samples])

        return run

    windows: dict[str, list[torch.Tensor]] = {}

    def bare(samples: Sequence[Sample]) -> None:
        with torch.inference_mode():
            for sample in samples:
                if sample.text not in windows:
                    ids = model.tokenizer.encode(sample.text, add_special_tokens=False).ids
                    pieces = [ids[at : at + model.room] for at in range(0, len(ids), model.room)]
                    windows[sample.text] = [
                        torch.tensor([[*model.frame.before, *piece, *model.frame.after]]) for piece in pieces
                    ]
                for window in windows[sample.text]:
                    model._module(input_ids=window, attention_mask=torch.ones_like(window))

    return {"real": runs(scorer), "free": runs(Free()), "free_select": runs(Given()), "bare": bare}


def seconds_of_default(samples: Sequence[Sample], threads: int, repeats: int, dtype: str) -> dict[str, float] | None:
    """Return the seconds that the default compressor takes for the text nearest to 1,200 tokens; None without one.

    Each time it is a text that it has not seen.
    """
    from compression_subnet.compressors import CompressorOptions, TokenBudget, find_compressor
    from compression_subnet.errors import CompressorError
    from compression_subnet.text.tokens import get_tokenizer

    try:
        compressor = find_compressor(DEFAULT, CompressorOptions(device="cpu", dtype=dtype, threads=threads))
    except CompressorError as error:
        print(error, file=sys.stderr)
        return None
    sample = min(samples, key=lambda s: abs(s.tokens - 1200))
    budget = TokenBudget(sample.tokens * 40 // 100, get_tokenizer())
    compressor.compress(sample.text, budget)
    runs = [timed(lambda _, n=n: compressor.compress(f"{sample.text} {n}.", budget), samples) for n in range(repeats)]
    return {"wall": statistics.median(run[0] for run in runs), "cpu": statistics.median(run[1] for run in runs)}


def timed(run: Callable[[Sequence[Sample]], Any], samples: Sequence[Sample]) -> tuple[float, float]:
    """Return the seconds of one run, by the wall's clock and of all threads on processors."""
    began, worked = time.perf_counter(), time.process_time()
    run(samples)
    return time.perf_counter() - began, time.process_time() - worked


def measure(arguments: argparse.Namespace, samples: Sequence[Sample], folder: Path) -> dict[str, Any]:
    """Run every side once a round, and return medians."""
    import torch

    from compression_subnet.compressors.learned.devices import choose_dtype

    sides = ours(folder, arguments.level, arguments.threads, arguments.dtype)
    with contextlib.redirect_stdout(io.StringIO()):
        sides["lingua_real"], sides["lingua_free"] = lingua(folder, arguments.level)
    heavy = ("real", "bare", "lingua_real")
    few = samples[: arguments.heavy_texts]
    rounds: list[dict[str, tuple[float, float]]] = []
    for number in range(arguments.rounds + 1):
        seconds = {name: timed(run, few if name in heavy else samples) for name, run in sides.items()}
        if number:  # the first one warms up
            rounds.append(seconds)
    tokens = {name: sum(s.tokens for s in (few if name in heavy else samples)) for name in sides}
    pairs = {
        "real": ("lingua_real", "real"),
        "free": ("lingua_free", "free"),
        "free_select": ("lingua_free", "free_select"),
        "bare": ("bare", "real"),
    }

    def by(clock: int) -> dict[str, Any]:
        return {
            "tokens_per_second": {
                name: round(tokens[name] / statistics.median(r[name][clock] for r in rounds)) for name in sides
            },
            "ratios": {
                name: round(statistics.median(r[slow][clock] / r[fast][clock] for r in rounds), 2)
                for name, (slow, fast) in pairs.items()
            },
        }

    return {
        "texts": len(samples),
        "tokens": sum(s.tokens for s in samples) // len(samples),
        "threads": arguments.threads,
        "dtype": str(choose_dtype(arguments.dtype, torch.device("cpu"))).removeprefix("torch."),
        "rounds": arguments.rounds,
        "wall": by(0),
        "cpu": by(1),
        "targets": TARGETS,
        "seconds_1200": seconds_of_default(samples, arguments.threads, arguments.rounds, arguments.dtype),
    }


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description="Speed beside llmlingua on the same weights.")
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="texts, in SQuAD format")
    parser.add_argument("--model", type=Path, metavar="FOLDER", help=f"a classifier; its path holds {FOLDER_NAME}")
    parser.add_argument("--texts", type=int, default=16)
    parser.add_argument("--heavy-texts", type=int, default=3, help="of these, how many go through an encoder")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--level", type=int, default=40)
    parser.add_argument(
        "--dtype",
        default="auto",
        help="of our encoder and the bare one: auto, float32, bfloat16 or int8; llmlingua's is float32",
    )
    parser.add_argument("--json", action="store_true", help="print JSON only")
    arguments = parser.parse_args()
    os.environ.update(
        RAYON_NUM_THREADS=str(arguments.threads),
        TOKENIZERS_PARALLELISM="true" if arguments.threads > 1 else "false",
        HF_HUB_OFFLINE="1",
    )
    warnings.simplefilter("ignore")
    import torch
    from transformers.utils import logging

    from compression_subnet.text.tokens import get_tokenizer

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    torch.set_num_threads(arguments.threads)
    articles = load_articles(arguments.data, 5)
    chosen = range(min(arguments.texts, len(articles)))
    samples = [with_noise(articles, i, 0.5, 1, get_tokenizer(), 0) for i in chosen]
    with tempfile.TemporaryDirectory() as made:
        give_vocabulary(Path(made))
        folder = arguments.model or Path(made) / FOLDER_NAME
        if arguments.model is None:
            make_classifier(folder)
        result = measure(arguments, samples, folder)
    if not arguments.json:
        for name, target in TARGETS.items():
            found = result["wall"]["ratios"][name], result["cpu"]["ratios"][name]
            print(f"{name}: {found[0]} by the clock, {found[1]} in processor time (at least {target})")
    print(json.dumps(result, indent=None if arguments.json else 2))


if __name__ == "__main__":
    main()
