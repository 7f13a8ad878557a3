"""The plot of a scenario: incentive over epochs. Lines are told apart by letter, dashes and mark; colour only helps."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from compression_subnet.incentives.results import KindSummary, ScenarioResult
from compression_subnet.incentives.scenarios import FIELD
from compression_subnet.report.benchmark.html import Html, element

__all__ = ["LETTERS", "incentive_plot", "shown_kinds"]

LETTERS: Final = "ABCDEFGH"
_WIDTH, _HEIGHT = 640, 296
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 34, 30, 44
_LABEL: Final = 18
"""Least distance between the letters at the lines' ends."""


def shown_kinds(result: ScenarioResult) -> list[KindSummary]:
    """Return the kinds that have a line: all but the field, which would dwarf them."""
    return [kind for kind in result.kinds if kind.name != FIELD]


def incentive_plot(result: ScenarioResult) -> Html:
    """Return the plot; its title says in words what it draws."""
    kinds = shown_kinds(result)
    top = _nice(max((value for kind in kinds for value in kind.series), default=0.0))
    last = max(1, len(kinds[0].series) - 1)

    def x(epoch: float) -> float:
        return round(_LEFT + epoch / last * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(share: float) -> float:
        return round(_TOP + (1 - share / top) * (_HEIGHT - _TOP - _BOTTOM), 1)

    drawn = [element("text", "share of what all miners are paid", x=4, y=14, class_="axis")]
    for tick in range(5):
        value = top * tick / 4
        drawn.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y(value), y2=y(value), class_="grid"))
        drawn.append(element("text", f"{100 * value:.4g} %", x=_LEFT - 6, y=y(value) + 4, text_anchor="end"))
    for epoch in _ticks(last):
        drawn.append(element("line", x1=x(epoch), x2=x(epoch), y1=y(0), y2=y(0) + 5, class_="grid"))
        drawn.append(element("text", str(epoch), x=x(epoch), y=y(0) + 18, text_anchor="middle"))
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    drawn.append(element("text", "epoch", x=middle, y=_HEIGHT - 6, text_anchor="middle", class_="axis"))
    for number, kind in enumerate(kinds):
        points = " ".join(f"{x(e)},{y(v)}" for e, v in enumerate(kind.series))
        drawn.append(element("polyline", points=points, class_=f"line line-{number % 4}"))
        # Marks of neighbours stand at different epochs, so that lines that lie on each other are both seen.
        step = max(1, last // 6)
        for epoch in range((number * step) // max(1, len(kinds)), last, step):
            drawn.append(_mark(number, x(epoch), y(kind.series[epoch])))
    for number, at in enumerate(_apart([y(kind.series[-1]) for kind in kinds])):
        ends = {"cx": _WIDTH - _RIGHT + 16, "cy": at, "r": 8}
        drawn.append(element("circle", class_=f"point point-{number % 4}", **ends))
        drawn.append(element("text", LETTERS[number], x=ends["cx"], y=at + 4, text_anchor="middle", class_="letter"))
    said = "; ".join(f"{kind.name} {kind.series[0]:.2%} at first, {kind.series[-1]:.2%} at last" for kind in kinds)
    return element(
        "svg",
        element("title", f"Share of what miners are paid, over epochs. {said}"),
        *drawn,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        class_="plot wide",
    )


def _mark(number: int, x: float, y: float) -> Html:
    """Return a small circle, square, triangle or diamond."""
    style = f"mark mark-{number % 4}"
    if number % 4 == 0:
        return element("circle", cx=x, cy=y, r=4, class_=style)
    corners = {
        1: ((-3.5, -3.5), (3.5, -3.5), (3.5, 3.5), (-3.5, 3.5)),
        2: ((0, -5), (4.5, 3.5), (-4.5, 3.5)),
        3: ((0, -5), (5, 0), (0, 5), (-5, 0)),
    }[number % 4]
    return element("polygon", points=" ".join(f"{x + a:.1f},{y + b:.1f}" for a, b in corners), class_=style)


def _apart(places: Sequence[float]) -> list[float]:
    """Return the places moved as little as needed for no two to be closer than a label is high, within the plot."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + _LABEL)
    below: float = _HEIGHT - _BOTTOM
    for i in reversed(order):
        moved[i] = min(moved[i], below)
        below = moved[i] - _LABEL
    return moved


def _nice(value: float) -> float:
    """Return the end of an axis of four even parts that holds ``value``."""
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 1.2, 1.6, 2, 3.2, 4, 6, 8, 10) if step * power >= value)


def _ticks(last: int) -> range:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 10**6) if last / step <= 8)
    return range(0, last + 1, step)
