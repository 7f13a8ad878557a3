"""Two judges side by side: a table, JSON, and a plot of miners' scores under both."""

from dataclasses import asdict
from typing import Any, Final
from xml.sax.saxutils import escape

from rich.box import SIMPLE_HEAD
from rich.table import Table

from compression_subnet.validator.comparing_run import Comparison

__all__ = ["comparison_json", "comparison_svg", "comparison_table"]

SIZE: Final = 480
MARGIN: Final = 64
LEGEND: Final = 260
LONGEST_NAME: Final = 32


def comparison_table(found: Comparison) -> Table:
    """Return the table: a line a figure."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    table.add_column("A", justify="right")
    table.add_column("B", justify="right")
    table.add_column("both", justify="right")
    q, ranks = found.questions, found.ranks
    table.add_row("model", *(_short(model) for model in found.models), "")
    table.add_row("questions answered by both", "", "", f"{q.questions:,}")
    table.add_row("mean F1", f"{q.mean_a:.3f}", f"{q.mean_b:.3f}", "")
    table.add_row("mean F1 from the full text", *(f"{c:.3f}" for c in found.ceilings), "")
    table.add_row("right (F1 of 1/2 or more)", f"{q.both + q.only_a:.1%}", f"{q.both + q.only_b:.1%}", f"{q.both:.1%}")
    table.add_row("right alone", f"{q.only_a:.1%}", f"{q.only_b:.1%}", "")
    table.add_row("same answer", "", "", f"{q.same:.1%}")
    table.add_row("overlap of answers (F1)", "", "", f"{q.overlap:.3f}")
    table.add_row("kappa, right or wrong", "", "", _shown(q.kappa))
    interval = "" if ranks.low is None else f" [{ranks.low:.2f}, {_shown(ranks.high, 2)}]"
    table.add_row("Kendall's tau-b of miners", "", "", f"{_shown(ranks.tau, 2)}{interval}")
    table.add_row("cost of this run", *(f"{cost:.4f}" for cost in found.costs), "")
    table.add_row("prompt tokens", *(f"{u.prompt_tokens:,}" for u in found.usage), "")
    table.add_section()
    for miner, (a, b) in sorted(ranks.scores.items(), key=lambda item: -item[1][0]):
        table.add_row(f"score of {miner or 'the replies'}", f"{a:.3f}", f"{b:.3f}", "")
    table.caption = "Interval: 95 %, bootstrap over challenges. With fewer than two miners there is no tau."
    table.caption_justify = "left"
    return table


def comparison_json(found: Comparison) -> dict[str, Any]:
    """Return the comparison as JSON's own types."""
    a, b = found.models
    return {
        "a": a,
        "b": b,
        "questions": asdict(found.questions),
        "kendall_tau_b": found.ranks.tau,
        "interval": None if found.ranks.low is None else [found.ranks.low, found.ranks.high],
        "resamples": found.ranks.resamples,
        "miners": {miner: {"a": x, "b": y} for miner, (x, y) in found.ranks.scores.items()},
        "ceiling": {"a": found.ceilings[0], "b": found.ceilings[1]},
        "cost": {"a": found.costs[0], "b": found.costs[1]},
        "usage": {"a": asdict(found.usage[0]), "b": asdict(found.usage[1])},
        "unsettled": found.unsettled,
    }


def comparison_svg(found: Comparison) -> str:
    """Return a plot as SVG: each miner's score under A (across) and under B (up), with the diagonal of agreement."""
    marks = [_line(0, 0, 1, 1, "#999", dashed=True), _line(0, 0, 1, 0, "#333"), _line(0, 0, 0, 1, "#333")]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = _at(tick, tick)
        marks.append(_text(x, SIZE - MARGIN + 18, f"{tick:g}", "middle"))
        marks.append(_text(MARGIN - 8, y + 4, f"{tick:g}", "end"))
    # Points lie close together where miners are alike: each has a number, and its name beside the plot.
    ranked = sorted(found.ranks.scores.items(), key=lambda item: (-item[1][0], item[0]))
    for number, (miner, (a, b)) in enumerate(ranked, start=1):
        x, y = _at(a, b)
        name = miner or "replies"
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="#0b6e99" stroke="#fff"/>')
        marks.append(_text(x, y + 4, str(number), "middle", 'fill="#fff"'))
        row = f"{number}  {_short(name)}  {a:.3f}, {b:.3f}"
        marks.append(f'<text x="{SIZE}" y="{MARGIN + 20 * number}"><title>{escape(name)}</title>{escape(row)}</text>')
    tau = found.ranks.tau
    title = "Scores of miners" + ("" if tau is None else f"; Kendall's tau-b {tau:.2f}")
    marks.append(_text(SIZE / 2, 24, title, "middle"))
    marks.append(_text(SIZE / 2, SIZE - 14, f"A: {_short(found.models[0])}", "middle"))
    turned = f'transform="rotate(-90 18 {SIZE / 2:.1f})"'
    marks.append(_text(18, SIZE / 2, f"B: {_short(found.models[1])}", "middle", turned))
    body = "\n".join(marks)
    width, height = SIZE + LEGEND, max(SIZE, MARGIN + 20 * (len(ranked) + 1))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12" role="img">\n<rect width="100%" height="100%" fill="#fff"/>\n'
        f"{body}\n</svg>\n"
    )


def _short(name: str) -> str:
    """Return the last part of a path or address, its middle left out where it is long."""
    last = name.rstrip("/").rpartition("/")[2]
    half = LONGEST_NAME // 2
    return last if len(last) <= LONGEST_NAME else f"{last[:half]}…{last[-half:]}"


def _at(a: float, b: float) -> tuple[float, float]:
    inner = SIZE - 2 * MARGIN
    return MARGIN + a * inner, SIZE - MARGIN - b * inner


def _line(a1: float, b1: float, a2: float, b2: float, colour: str, *, dashed: bool = False) -> str:
    (x1, y1), (x2, y2) = _at(a1, b1), _at(a2, b2)
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dash}/>'


def _text(x: float, y: float, text: str, anchor: str, extra: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{escape(text)}</text>'


def _shown(value: float | None, digits: int = 3) -> str:
    return "none" if value is None else f"{value:.{digits}f}"
