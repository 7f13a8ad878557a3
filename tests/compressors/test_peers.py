"""Other people's compressors, played by fake packages: found, told what is missing, and held to the budget."""

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from compressor_counters import Words
from compressor_texts import article

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.peers import CtxPrune, LlmLingua2
from compression_subnet.compressors.registry import find_compressor
from compression_subnet.errors import CompressorError


class FakeLingua:
    """Keeps every word with a probability given by the rate, and a share more or less than asked."""

    made: dict[str, Any]
    bias = 1.0
    rates: list[float]

    def __init__(self, **options: Any):
        type(self).made = options
        type(self).rates = []

    def compress_prompt_llmlingua2(self, context: list[str], rate: float) -> dict[str, Any]:
        self.rates.append(rate)
        words = context[0].split()
        return {"compressed_prompt": " ".join(words[: int(len(words) * min(1.0, rate * self.bias))])}


class FakePrune:
    over = False

    def __init__(self, model: str):
        self.model = model

    def compress(self, text: str, rate: float, measure: Any) -> dict[str, Any]:
        words = text.split()
        kept = words if self.over else words[: int(rate * measure(text))]
        return {"text": " ".join(kept)}


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    lingua, ctxprune, compress = ModuleType("llmlingua"), ModuleType("ctxprune"), ModuleType("ctxprune.compress")
    lingua.PromptCompressor = FakeLingua  # type: ignore[attr-defined]
    compress.Compressor = FakePrune  # type: ignore[attr-defined]
    torch = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False))
    for name, module in (("llmlingua", lingua), ("ctxprune", ctxprune), ("ctxprune.compress", compress)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setitem(sys.modules, "torch", torch)
    for variable in ("LLMLINGUA_MODEL", "CTXPRUNE_MODEL"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr(FakeLingua, "bias", 1.0)
    monkeypatch.setattr(FakePrune, "over", False)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("bias", [0.5, 0.9, 1.0, 1.3, 3.0])
def test_llmlingua_ends_near_the_budget_and_never_over_it(bias: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeLingua, "bias", bias)
    text = article(20)
    budget = TokenBudget(Words().count(text) * 40 // 100, Words())
    reply = LlmLingua2().compress(text, budget)
    assert 0.95 * budget.tokens <= Words().count(reply) <= budget.tokens
    assert len(FakeLingua.rates) <= 4


@pytest.mark.usefixtures("installed")
def test_llmlingua_is_cut_where_no_rate_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeLingua, "bias", 1e9)
    assert LlmLingua2().compress("one two three four five", TokenBudget(2, Words())) == "one two"


@pytest.mark.usefixtures("installed")
def test_llmlingua_is_given_its_weights_and_the_cpu_where_there_is_no_gpu(tmp_path: Path) -> None:
    LlmLingua2()
    assert FakeLingua.made["model_name"] == str(tmp_path)
    assert FakeLingua.made["device_map"] == "cpu"
    assert FakeLingua.made["use_llmlingua2"] is True


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("over", [False, True])
def test_ctxprune_is_held_to_the_budget(over: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakePrune, "over", over)
    text = article(20)
    budget = TokenBudget(Words().count(text) // 5, Words())
    assert 0.95 * budget.tokens <= Words().count(CtxPrune().compress(text, budget)) <= budget.tokens


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("kind", [LlmLingua2, CtxPrune])
def test_trivial_texts_need_no_model(kind: type) -> None:
    compressor = kind()
    assert compressor.compress("", TokenBudget(5, Words())) == ""
    assert compressor.compress("one two", TokenBudget(0, Words())) == ""
    assert compressor.compress(" one two ", TokenBudget(5, Words())) == "one two"


@pytest.mark.parametrize(("target", "package"), [("LlmLingua2", "llmlingua"), ("CtxPrune", "ctxprune")])
def test_a_missing_package_is_an_error_with_the_command_that_installs_it(
    target: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setitem(sys.modules, f"{package}.compress", None)
    with pytest.raises(
        CompressorError, match=rf"{package} cannot be imported.*pip install 'compression-subnet\[peers\]'"
    ):
        find_compressor(f"compression_subnet.compressors.peers:{target}")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("kind", "variable"), [(LlmLingua2, "LLMLINGUA_MODEL"), (CtxPrune, "CTXPRUNE_MODEL")])
def test_missing_weights_are_an_error_that_names_the_variable(
    kind: type, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "/no/such/folder")
    with pytest.raises(CompressorError, match=f"{variable} names /no/such/folder, which is no folder"):
        kind()
    monkeypatch.delenv(variable)
    with pytest.raises(CompressorError, match=f"{variable} is not set"):
        kind()
