"""A vector of weights as a table, for a terminal."""

from collections.abc import Mapping

from rich.box import SIMPLE_HEAD
from rich.table import Table

__all__ = ["weights_table"]


def weights_table(vector: Mapping[str, int], uids: Mapping[str, int]) -> Table:
    """Return the table: one line a hotkey, the largest weight first.

    Args:
        vector: 16-bit weights by hotkey.
        uids: of those hotkeys.
    """
    table = Table(
        title="Weights that were not sent",
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
    )
    table.add_column("uid", justify="right", no_wrap=True)
    table.add_column("hotkey", no_wrap=True)
    table.add_column("weight", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    total = sum(vector.values())
    for hotkey, weight in sorted(vector.items(), key=lambda item: (-item[1], uids[item[0]])):
        table.add_row(str(uids[hotkey]), hotkey, str(weight), f"{weight / total:.4f}")
    if not vector:
        table.add_row("", "nobody has earned any", "", "")
    return table
