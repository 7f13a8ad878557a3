"""What came of recomputing a record, for a terminal."""

from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from compression_subnet.validator.rescoring.rescore import Rescored

__all__ = ["rescored_json", "rescored_table"]


def rescored_table(rescored: Rescored) -> Group:
    """Return the table of the rounds that are equal, and under it the first difference, or that there is none."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("round", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    for heading in ("challenges", "replies", "scores", "averages", "vectors"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("not compared", overflow="fold")
    for one in rescored.rounds:
        averages = "" if one.averages is None else f"{one.averages:,}"
        table.add_row(
            str(one.number),
            one.status,
            *(f"{count:,}" for count in (one.challenges, one.replies, one.scores)),
            averages,
            str(one.vectors),
            Text(one.note),
        )
    found = rescored.difference
    if found is None:
        return Group(table, Text("equal", style="bold green"))
    facts = Table.grid(padding=(0, 2, 0, 0))
    rows = [
        ("round", str(found.round) if found.round else "of the record as a whole"),
        ("challenge", found.challenge),
        ("hotkey", found.hotkey),
        ("field", found.field),
        ("recorded", found.recorded),
        ("recomputed", found.recomputed),
    ]
    for name, value in rows:
        if value:
            facts.add_row(name, Text(repr(value)[1:-1], overflow="fold"))  # miners' bytes do not reach the terminal
    return Group(table, Text("NOT equal; the first difference:", style="bold red"), facts)


def rescored_json(rescored: Rescored) -> dict[str, Any]:
    """Return the same as JSON's own types."""
    return {
        "equal": rescored.equal,
        "rounds": [asdict(one) for one in rescored.rounds],
        "difference": None if rescored.difference is None else asdict(rescored.difference),
    }
