"""The doctor's findings, for a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from compression_subnet.doctor.check import Check, Status

__all__ = ["doctor_table"]

_STYLES: Final = {Status.OK: "green", Status.SKIPPED: "dim", Status.WARN: "yellow", Status.FAIL: "bold red"}


def doctor_table(checks: Sequence[Check]) -> Table:
    """Return the table: one line a check, in the given order, each remedy under its finding."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("check", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("finding", overflow="fold")
    for check in checks:
        finding = Text(check.detail)
        if check.remedy:
            finding.append(f"\n{check.remedy}", style="italic")
        table.add_row(check.name, Text(check.status.value, style=_STYLES[check.status]), finding)
    return table
