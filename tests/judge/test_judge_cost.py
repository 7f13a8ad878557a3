import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from compression_subnet.cli import app
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.estimate import Load, estimate_cost, prompt_overhead
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.judge.types import Usage
from compression_subnet.scoring import level_shares
from compression_subnet.text import get_tokenizer

LOAD = Load(
    miners=10,
    challenges=100,
    tokens=1000,
    questions=5,
    candidates=12,
    drawn=1,
    answer_tokens=8,
    overhead_tokens=250,
    identical=0,
    epoch_seconds=4320,
)


def test_cached_tokens_are_prompt_tokens_at_their_own_price() -> None:
    usage = Usage(prompt_tokens=1000, cached_tokens=600, completion_tokens=10)
    assert Prices(2, 8, 1).cost(usage) == pytest.approx((400 * 2 + 600 * 1 + 10 * 8) / 1e6)
    assert Prices(2, 8).cost(usage) == pytest.approx((1000 * 2 + 10 * 8) / 1e6)
    assert Prices().cost(usage) == 0


@pytest.mark.parametrize("price", [-1, float("nan"), float("inf")])
def test_a_price_is_a_number_of_0_or_more(price: float) -> None:
    for prices in ((price, 0), (0, price), (0, 0, price)):
        with pytest.raises(ConfigurationError, match="cannot be"):
            Prices(*prices)


def test_an_estimate_is_the_sum_of_what_is_asked() -> None:
    found = estimate_cost(LOAD, Prices(1, 0))
    replies = sum(share * 10 * 100 * 5 * (250 + 10 * level) for level, share in level_shares().items())
    assert sum(i.usage.prompt_tokens for i in found.items[:3]) == pytest.approx(replies, abs=3)
    full = next(i for i in found.items if i.name == "controls: full text")
    assert (full.calls, full.usage) == (500, Usage(500 * 1250, 0, 500 * 8))
    assert next(i for i in found.items if i.name == "filter: full text").calls == 1200
    assert found.calls == pytest.approx(10 * 100 * 5 + 3 * 500 + 2 * 1200)
    assert found.epochs_a_day == 20
    assert found.day.uncached == pytest.approx(20 * found.epoch.uncached)
    assert found.epoch.uncached == pytest.approx(found.usage.prompt_tokens / 1e6)


def test_a_cache_and_identical_replies_make_it_cheaper_and_more_miners_dearer() -> None:
    prices = Prices(1, 4, 0.1)
    found = estimate_cost(LOAD, prices)
    assert found.epoch.cached < found.epoch.uncached
    assert estimate_cost(replace(LOAD, identical=0.5), prices).epoch.uncached < found.epoch.uncached
    assert estimate_cost(replace(LOAD, miners=20), prices).epoch.uncached > found.epoch.uncached
    assert estimate_cost(LOAD, Prices(1, 4)).epoch.cached == estimate_cost(LOAD, Prices(1, 4)).epoch.uncached


def test_the_prompts_overhead_is_counted_on_the_prompt_itself() -> None:
    assert 200 < prompt_overhead(load_prompt(), get_tokenizer()) < 400


def test_impossible_loads_are_refused() -> None:
    for change in ({"identical": 2}, {"miners": -1}, {"drawn": 0.5}, {"epoch_seconds": 0}):
        with pytest.raises(ConfigurationError, match="an estimate takes"):
            replace(LOAD, **change)


def test_the_command_states_its_assumptions_in_both_forms() -> None:
    flags = ["--miners", "64", "--tokens", "900", "--price-prompt", "0.5", "--price-completion", "2"]
    table = CliRunner().invoke(app, ["estimate", *flags])
    assert table.exit_code == 0
    assert {"Assumed:", "64 miners", "900 tokens"} <= {
        part for part in ("Assumed:", "64 miners", "900 tokens") if part in table.stdout
    }
    found = json.loads(CliRunner().invoke(app, ["estimate", *flags, "--json"]).stdout)
    assert found["day"]["cost"] == pytest.approx(20 * found["epoch"]["cost"])
    assert found["epoch"]["cost"] == pytest.approx(sum(item["cost"] for item in found["items"]))
    assert any("64 miners" in line for line in found["assumptions"])
