import json
from fractions import Fraction

import pytest
from rich.console import Console

from compression_subnet.demo.result import DemoMiner, DemoResult, demo_result
from compression_subnet.report.demo import demo_table
from compression_subnet.scoring import Average, ChallengeScore

MINERS = [DemoMiner("reference", 1, "hot-a", False), DemoMiner("whole", 2, "hot-b", True)]
AVERAGES = {
    "hot-a": Average.empty(0).update(0, [ChallengeScore(b, Fraction(1, 2), Fraction(0)) for b in (20, 40, 60)], 0.85)
}


def result(computed: dict[str, int], on_chain: dict[int, float]) -> DemoResult:
    return demo_result(MINERS, AVERAGES, {"hot-b": {"too_long": 3}}, computed, on_chain, 12.5)


def test_equal_weights_agree() -> None:
    assert result({"hot-a": 65535}, {1: 1.0}).agree


@pytest.mark.parametrize(
    ("computed", "on_chain"),
    [
        ({"hot-a": 65535}, {1: 0.9999}),
        ({"hot-a": 65535}, {}),
        ({"hot-a": 65535}, {1: 1.0, 7: 0.2}),  # to somebody else
        ({"hot-a": 65535, "hot-stranger": 65535}, {1: 1.0}),
        ({}, {}),  # nothing was set: nothing was shown
        ({"hot-a": 65535, "hot-b": 65535}, {1: 0.5, 2: 0.5}),  # the one over its budget is paid
    ],
)
def test_what_must_fail_fails(computed: dict[str, int], on_chain: dict[int, float]) -> None:
    assert not result(computed, on_chain).agree


def test_json_has_the_documented_shape() -> None:
    data = json.loads(json.dumps(result({"hot-a": 65535}, {1: 1.0}).as_json()))
    assert set(data) == {"agree", "miners", "seconds"}
    first = data["miners"][0]
    assert set(first) == {
        "name",
        "uid",
        "hotkey",
        "scores",
        "score",
        "stderr",
        "weight_computed",
        "weight_on_chain",
        "reasons",
    }
    assert first["scores"] == {"20": 0.5, "40": 0.5, "60": 0.5}
    assert first["stderr"] is None  # one challenge a level: unknown
    assert data["miners"][1]["reasons"] == {"too_long": 3}
    assert sum(miner["weight_on_chain"] for miner in data["miners"]) == 1


def test_the_table_fits_a_terminal() -> None:
    console = Console(width=80, record=True, force_terminal=False)
    console.print(demo_table(result({"hot-a": 65535}, {1: 1.0})))
    shown = console.export_text()
    assert "…" not in shown
    assert "3 too_long" in shown
    assert "For half the error, ask about 12 challenges (now 3)." in shown
