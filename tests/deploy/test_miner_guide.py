"""docs/miner.md and the README name flags that exist, and symptoms in the program's own words."""

import re

import pytest
from guides import ROOT, not_said_by_the_code

from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.settings import MinerSettings, ValidatorSettings

GUIDE = (ROOT / "docs" / "miner.md").read_text()


@pytest.mark.parametrize("name", ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))])
def test_every_flag_with_a_dot_is_a_setting(name: str) -> None:
    known = {
        f"--{group}.{field.replace('_', '-')}"
        for kind in (MinerSettings, ValidatorSettings)
        for group, settings in kind.model_fields.items()
        for field in getattr(settings.annotation, "model_fields", {})
    }
    used = set(re.findall(r"(?<![\w-])--[a-z]+\.[a-z][a-z_-]*[a-z]", (ROOT / name).read_text()))
    assert {flag.replace("_", "-") for flag in used} - known - {"--compressor.device"} == set()


def test_the_symptoms_are_in_the_words_of_the_code() -> None:
    table = GUIDE[GUIDE.index("| symptom |") :]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert len(rows) > 10
    # The SDK's and PyTorch's own words, and a message that is put together from a setting's name.
    theirs = (
        "not proven to come from there: StaleRequest",
        "ReplayedRequest",
        "failed OutOfMemoryError",
        "with --ops.port",
    )
    assert not_said_by_the_code(rows, theirs) == []


def test_every_metric_it_names_is_there() -> None:
    metrics = MinerMetrics().registry.collect()
    known = {m.name + ("_total" if m.type == "counter" else "") for m in metrics}
    table = GUIDE[GUIDE.index("| metric, after") : GUIDE.index("| symptom |")]
    named = set(re.findall(r"`(miner_[a-z_]+)`", table))
    assert len(named) > 8
    assert {f"compression_subnet_{name}" for name in named} <= known
