"""The demo's table, for a terminal."""

import math

from rich.box import SIMPLE_HEAD
from rich.table import Table

from compression_subnet.demo.result import DemoResult
from compression_subnet.report.precision import half_error_note
from compression_subnet.scoring import LEVELS

__all__ = ["demo_table"]


def demo_table(result: DemoResult) -> Table:
    """Return the table: one line a miner, the best first."""
    table = Table(
        title="One round: scores, and weights read back from the chain",
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),  # fits a terminal of 80 columns
    )
    table.add_column("miner", no_wrap=True)
    for level in LEVELS:
        table.add_column(f"S({level})", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("verdicts", no_wrap=True)
    table.add_column("weight", justify="right", no_wrap=True)
    table.add_column("chain", justify="right", no_wrap=True)
    for row in sorted(result.rows, key=lambda r: r.score, reverse=True):
        error = f"{row.stderr:.3f}" if math.isfinite(row.stderr) else "?"
        table.add_row(
            row.miner.name,
            *(f"{row.levels.get(level, 0.0):.3f}" for level in LEVELS),
            f"{row.score:.3f} ± {error}",
            "\n".join(f"{count} {reason}" for reason, count in sorted(row.reasons.items())),
            f"{row.weight_computed:.4f}",
            f"{row.weight_on_chain:.4f}",
        )
    table.caption = half_error_note(result.challenges) or None
    table.caption_justify = "left"
    return table
