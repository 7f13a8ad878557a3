"""What settings pay, for a terminal."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from compression_subnet.incentives.results import ScenarioResult
from compression_subnet.report.incentives_words import (
    ABOUT,
    findings,
    kind_cells,
    settings_shown,
    validator_cells,
    validators_note,
)

__all__ = ["incentives_table"]


def incentives_table(results: Sequence[ScenarioResult]) -> Group:
    """Return a table a scenario, with what it shows, and one of the validators.

    Args:
        results: of the same settings, one at least.
    """
    shown: list[RenderableType] = []
    for result in results:
        table = _table("miners")
        for heading in ("hotkeys", "score", "weight", "paid", "alpha", "to one"):
            table.add_column(heading, justify="right", no_wrap=True)
        for kind in result.kinds:
            table.add_row(kind.name, *kind_cells(kind))
        # Beside the table, since rich folds a table's own title to its width.
        title = Text(f"{result.name}: {result.title}", style="italic")
        shown += [title, table, *map(Text, findings(result)), Text()]
    validators = _table("validators")
    validators.add_column("what it does", no_wrap=True)
    for heading in ("stake", "paid", "on stake", "trust"):
        validators.add_column(heading, justify="right", no_wrap=True)
    for result in results:
        for place, validator in enumerate(result.validators):
            validators.add_row("" if place else result.name, validator.name, *validator_cells(validator))
    baseline = f"Head truncation scores {results[0].baseline:.3f}. "
    notes = (baseline + settings_shown(results[0].terms), ABOUT, validators_note(results))
    return Group(*shown, validators, Text(), *map(Text, notes))


def _table(first: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, no_wrap=True)
    return table
