"""Matrices in 8 bits: nearly the values of float32, the same ones in any batch, and nothing global changed."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from learned_models import SAMPLE, bert_encoder, bert_tokenizer, save, xlm_roberta_classifier, xlm_roberta_tokenizer
from torch import Tensor, nn

from compression_subnet.compressors import CompressorOptions
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.learned import devices, int8
from compression_subnet.compressors.learned.hub import load_from_hub
from compression_subnet.compressors.learned.int8 import Int8Linear, can_use_int8, to_int8
from compression_subnet.compressors.learned.load import load_scorer
from compression_subnet.compressors.learned.model import Model
from compression_subnet.compressors.learned.scorer import ModelScorer
from compression_subnet.compressors.scores import Scores
from compression_subnet.errors import CompressorError, ConfigurationError

pytestmark = pytest.mark.skipif(not can_use_int8(), reason="this build of torch cannot compute in int8")
CPU = torch.device("cpu")
SLACK = 2 if devices.sums_overflow() else 1
"""Seven bits in place of eight leave twice the error."""
SENTENCES = SAMPLE.replace("\n\n", " ").split(". ")


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    rng = random.Random(3)
    made = [". ".join(rng.choices(SENTENCES, k=count)) for count in (1, 2, 5, 20, 90)]
    return [parse(text) for text in [*made, "", "?"]]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    pieces, words = xlm_roberta_tokenizer(), bert_tokenizer()
    folder = tmp_path_factory.mktemp("models")
    return {
        "own": None,
        "classifier": str(save(_louder(xlm_roberta_classifier(len(pieces))), pieces, folder / "classifier")),
        "encoder": str(save(_louder(bert_encoder(len(words))), words, folder / "encoder")),
    }


def _louder(model: Any) -> Any:
    """Let the matrices matter, which a fresh model's hardly do beside what goes past them."""
    with torch.no_grad():
        for part in model.modules():
            if isinstance(part, nn.Linear):
                part.weight *= 10
    return model


MODELS = pytest.mark.parametrize("name", ["own", "classifier", "encoder"])


def scorer(model: str | None, dtype: str = "int8", threads: int = 1) -> ModelScorer:
    made = load_scorer(CompressorOptions(model=model, device="cpu", dtype=dtype, threads=threads))
    return ModelScorer(made._model, made._runner, made._batch_tokens, kept_texts=0)


def same(left: Sequence[Scores], right: Sequence[Scores]) -> bool:
    return len(left) == len(right) and all(
        np.array_equal(a.relevance, b.relevance) and np.array_equal(a.worth, b.worth)
        for a, b in zip(left, right, strict=True)
    )


def tokens_of(model: Model, document: Document) -> npt.NDArray[np.int64]:
    ids = model.tokenizer.encode(document.text, add_special_tokens=False).ids[:400]
    return np.array([*model.frame.before, *ids, *model.frame.after])


def seeded(make: Callable[[], Any]) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return make()


def off(found: Tensor, wanted: Tensor) -> float:
    """The error's length, in lengths of what is wanted."""
    return float((found - wanted).norm() / wanted.norm())


@pytest.mark.parametrize("reduced", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_a_layer_is_off_by_its_rounding_alone(reduced: bool, bias: bool) -> None:
    reduced |= devices.sums_overflow()
    linear, x = seeded(lambda: (nn.Linear(384, 96, bias=bias), torch.randn(1, 50, 384)))
    with torch.no_grad():
        linear.weight[::2] *= 100  # one scale for all outputs would drown the small ones
        linear.weight[7] = 0
        wanted = linear(x)
        found = Int8Linear(linear, reduced)(x)
    for outputs in (slice(0, None, 2), slice(1, None, 2)):
        assert off(found[..., outputs], wanted[..., outputs]) < (0.025 if reduced else 0.015)
    assert torch.equal(found[..., 7], wanted[..., 7])


def test_the_weights_can_still_be_looked_at() -> None:
    linear = seeded(lambda: nn.Linear(40, 20))
    weight = Int8Linear(linear, reduced=False).weight
    steps = linear.weight.detach().abs().amax(1, keepdim=True) / 127
    assert weight.dtype == torch.float32
    assert ((weight - linear.weight).abs() <= 0.501 * steps).all()


def test_7_bits_do_not_overflow_where_sums_are_of_16() -> None:
    """All products are as large as they get, so on a CPU without VNNI 8 bits would give half of this."""
    linear = nn.Linear(64, 8, bias=False)
    nn.init.constant_(linear.weight, 0.5)
    with torch.inference_mode():
        assert torch.allclose(Int8Linear(linear, devices.sums_overflow())(torch.ones(3, 64)), torch.full((3, 8), 32.0))


def test_only_plain_linear_layers_are_replaced_wherever_they_stand() -> None:
    class Other(nn.Linear):
        pass

    module = nn.ModuleDict({"deep": nn.Sequential(nn.Linear(8, 8), nn.LayerNorm(8)), "other": Other(8, 8)})
    to_int8(module, reduced=False)
    assert [type(part) for part in module.modules()] == [nn.ModuleDict, nn.Sequential, Int8Linear, nn.LayerNorm, Other]


def test_a_classifiers_head_stays_in_float32(models: dict[str, str | None]) -> None:
    module: Any = load_from_hub(str(models["classifier"]), CPU, torch.int8)._module  # type: ignore[attr-defined]
    assert type(module.classifier) is nn.Linear
    assert not [part for part in module.base_model.modules() if type(part) is nn.Linear]
    assert {p.dtype for p in module.parameters()} == {torch.float32}


# The own model was tuned, so that some of its activations are large, and the rest are told less finely.
@pytest.mark.parametrize(("name", "bound"), [("own", 0.17), ("classifier", 0.02), ("encoder", 0.02)])
def test_values_of_windows_are_close_to_those_of_float32(
    name: str, bound: float, models: dict[str, str | None], documents: list[Document]
) -> None:
    full, rounded = (scorer(models[name], dtype)._model for dtype in ("float32", "int8"))
    ids = torch.from_numpy(tokens_of(full, documents[3]))[None]
    with torch.inference_mode():
        wanted, found = (model.per_window(ids, torch.ones_like(ids)) for model in (full, rounded))
    mean = wanted.mean(dim=1, keepdim=True)  # the same for all tokens, and so no measure of an error
    assert 0 < off(found - mean, wanted - mean) < SLACK * bound


# Random states point nearly the same way, and what little tells sentences apart is scaled up by their spread.
@pytest.mark.parametrize(("name", "bound"), [("own", 0.05), ("classifier", 0.05), ("encoder", 0.15)])
def test_scores_are_close_to_those_of_float32(
    name: str, bound: float, models: dict[str, str | None], documents: list[Document]
) -> None:
    full, rounded = (scorer(models[name], dtype).score(documents) for dtype in ("float32", "int8"))
    for a, b in zip(full, rounded, strict=True):
        assert np.abs(a.relevance - b.relevance).max(initial=0) < SLACK * bound
        assert np.abs(a.worth - b.worth).max(initial=0) < SLACK * 0.06


@MODELS
@pytest.mark.parametrize("threads", [1, 2])
def test_a_document_scores_the_same_alone_and_in_any_batch_and_order_to_the_last_bit(
    threads: int, name: str, models: dict[str, str | None], documents: list[Document]
) -> None:
    one = scorer(models[name])
    alone = [one.score([document])[0] for document in documents]
    several = scorer(models[name], threads=threads)
    assert same(several.score(documents), alone)
    for seed in range(2):
        order = random.Random(seed).sample(range(len(documents)), len(documents))
        assert same(several.score([documents[i] for i in order]), [alone[i] for i in order])


def test_windows_have_the_same_states_beside_any_others(models: dict[str, str | None]) -> None:
    """Not rounded, unlike scores, and with one whose values are far larger: a scale is a window's own."""
    one, two = (scorer(models["own"], threads=threads) for threads in (1, 2))
    rows = [
        np.array([101, *range(start, start + length), 102]) for start, length in ((2000, 9), (9000, 200), (5000, 1))
    ]
    alone = [one._runner.windows(one._model.per_window, [row], 1)[0] for row in rows]
    for runner in (one._runner, two._runner):
        for order in ([0, 1, 2], [2, 0, 1], [1, 1, 0, 2]):
            found = runner.windows(one._model.per_window, [rows[i] for i in order], 10**6)
            assert all(torch.equal(state, alone[i]) for state, i in zip(found, order, strict=True))


def test_nothing_global_is_touched(models: dict[str, str | None], documents: list[Document]) -> None:
    def state() -> tuple[object, ...]:
        return torch.backends.quantized.engine, torch.random.get_rng_state().tolist(), torch.get_num_threads()

    before = state()
    scorer(models["own"]).score(documents[:2])
    assert state() == before


VNNI = "model name : x\nflags\t\t: fpu avx512f avx512_vnni\n"


@pytest.mark.parametrize(
    ("text", "dtype", "overflows"),
    [
        ("flags\t\t: fpu avx512_vnni amx_bf16 amx_tile\n", torch.bfloat16, False),
        (VNNI, torch.int8, False),
        ("flags\t\t: fpu avx2 avx_vnni avx_vnni_int8\n", torch.float32, True),
        ("flags\t\t: fpu avx512f\nbugs : avx512_vnni\n", torch.float32, True),
        (None, torch.float32, True),
    ],
)
def test_a_cpu_that_is_faster_in_int8_is_used_so_by_default(
    text: str | None, dtype: torch.dtype, overflows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if text is not None:
        (tmp_path / "cpuinfo").write_text(text)
    monkeypatch.setattr(devices, "_CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert devices.choose_dtype("auto", CPU) == dtype
    assert devices.choose_dtype("int8", CPU) == torch.int8
    assert devices.sums_overflow() == overflows
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert not devices.sums_overflow()


def test_a_torch_without_it_computes_in_float32_unless_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: object) -> None:
        raise AttributeError("module 'torch' has no attribute 'quantize_per_channel'")

    (tmp_path / "cpuinfo").write_text(VNNI)
    monkeypatch.setattr(devices, "_CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(int8, "_pack", gone)
    assert devices.choose_dtype("auto", CPU) == torch.float32
    with pytest.raises(CompressorError, match=r"cannot compute in int8; give --compressor\.dtype float32"):
        load_scorer(CompressorOptions(device="cpu", dtype="int8"))


@pytest.mark.parametrize("device", ["cuda:0", "mps"])
def test_int8_elsewhere_is_an_error_that_says_what_to_give(device: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"{device}; give --compressor\.dtype auto, float16 or bfloat16"):
        devices.choose_dtype("int8", torch.device(device))
