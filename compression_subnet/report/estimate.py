"""An estimate of the judge's cost, for a terminal and as JSON."""

from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from compression_subnet.judge.cost import Prices
from compression_subnet.judge.estimate import Estimate

__all__ = ["estimate_json", "estimate_page"]


def estimate_page(estimate: Estimate, prices: Prices) -> Group:
    """Return the page: a table of what an epoch takes, the cost, and what was assumed."""
    table = Table(
        title="The judge, an epoch; tokens in millions",
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("asked of", no_wrap=True)
    for name in ("calls", "prompt", "answer", "cost", "with cache"):
        table.add_column(name, justify="right", no_wrap=True)
    for item in estimate.items:
        table.add_row(
            item.name,
            f"{item.calls:,.0f}",
            _millions(item.usage.prompt_tokens),
            _millions(item.usage.completion_tokens),
            f"{prices.cost(item.usage):,.2f}",
            f"{prices.cost(item.cached):,.2f}",
        )
    table.add_section()
    for name, times, cost in (("epoch", 1.0, estimate.epoch), ("day", estimate.epochs_a_day, estimate.day)):
        table.add_row(
            name,
            f"{estimate.calls * times:,.0f}",
            _millions(estimate.usage.prompt_tokens * times),
            _millions(estimate.usage.completion_tokens * times),
            f"{cost.uncached:,.2f}",
            f"{cost.cached:,.2f}",
        )
    cached = prices.prompt if prices.cached is None else prices.cached
    lines = (
        f"prices of a million tokens: prompt {prices.prompt:g}, cached {cached:g}, completion {prices.completion:g}",
        *estimate.assumptions,
    )
    return Group(table, Text("Assumed:"), *(Text(f"- {line}") for line in lines))


def estimate_json(estimate: Estimate, prices: Prices) -> dict[str, Any]:
    """Return the estimate as JSON's own types."""
    day = estimate.epochs_a_day
    totals = {
        "calls": estimate.calls,
        "prompt_tokens": estimate.usage.prompt_tokens,
        "completion_tokens": estimate.usage.completion_tokens,
    }
    return {
        "epoch": {
            **totals,
            "cost": estimate.epoch.uncached,
            "cost_with_prefix_cache": estimate.epoch.cached,
        },
        "day": {
            **{name: value * day for name, value in totals.items()},
            "cost": estimate.day.uncached,
            "cost_with_prefix_cache": estimate.day.cached,
        },
        "epochs_a_day": day,
        "items": [
            {
                "name": item.name,
                "texts": item.texts,
                "calls": item.calls,
                "usage": asdict(item.usage),
                "usage_with_prefix_cache": asdict(item.cached),
                "cost": prices.cost(item.usage),
                "cost_with_prefix_cache": prices.cost(item.cached),
            }
            for item in estimate.items
        ],
        "prices": {"prompt": prices.prompt, "cached": prices.cached, "completion": prices.completion},
        "assumptions": list(estimate.assumptions),
    }


def _millions(tokens: float) -> str:
    return f"{tokens / 1e6:,.2f}"
