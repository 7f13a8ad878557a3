"""Charts of a benchmark: each says in text what it draws, and tells compressors apart by letters, not colours."""

import math
from collections.abc import Sequence

from compression_subnet.benchmark.records import Fate
from compression_subnet.benchmark.results import BenchmarkResult, CompressorSummary, Estimate
from compression_subnet.report.benchmark.figures import interval, mean, seconds_shown
from compression_subnet.report.benchmark.html import Html, element, joined

__all__ = ["FATES", "LETTERS", "fate_bars", "score_rows", "time_plot"]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
FATES = {
    Fate.FOUND: ("✓", "found"),
    Fate.NOT_FOUND: ("?", "there, not found"),
    Fate.DROPPED: ("✗", "dropped"),
    Fate.REFUSED: ("!", "reply refused"),
    Fate.UNSCORED: ("–", "unscored"),
}
"""Sign and words for each fate of an answer."""

_WIDTH, _HEIGHT = 380, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 16, 12, 40


def score_rows(result: BenchmarkResult) -> Html:
    """Return a row for each compressor and level: mean as a dot, interval as a bar, both as numbers."""
    groups = []
    for level in sorted(result.levels):
        rows = [
            _row(number, summary, summary.levels[level])
            for number, summary in enumerate(result.summaries)
            if level in summary.levels
        ]
        groups.append(element("div", element("h3", f"At {level} % of the tokens"), *rows))
    groups.append(
        element("div", element("h3", "Weighted score"), *(_row(n, s, s.score) for n, s in enumerate(result.summaries)))
    )
    return element("div", *groups, class_="rows")


def fate_bars(summaries: Sequence[CompressorSummary]) -> Html:
    """Return a bar for each compressor, divided by what became of the answers."""
    bars = []
    for number, summary in enumerate(summaries):
        total = max(1, sum(summary.fates.values()))
        parts, words = [], []
        for fate, (sign, what) in FATES.items():
            count = summary.fates.get(fate.value, 0)
            if count:
                width = f"width:{100 * count / total:.2f}%"
                parts.append(element("span", sign, class_=f"part {fate.value}", style=width, aria_hidden="true"))
                words.append(f"{sign} {what} {count} ({count / total:.0%})")
        bars.append(
            element(
                "div",
                element("p", letter(number), " ", summary.name, class_="name"),
                element("div", *parts, class_="bar"),
                element("p", " · ".join(words), class_="words"),
                class_="fates",
            )
        )
    return joined(*bars)


def time_plot(summaries: Sequence[CompressorSummary]) -> Html:
    """Return the plot of the weighted score against the mean time of a text, on a logarithmic axis."""
    points = [(n, s, max(s.seconds, 1e-4)) for n, s in enumerate(summaries) if s.score.mean is not None]
    if not points:
        return element("p", "Nothing was scored.")
    low = math.floor(math.log10(min(t for _, _, t in points)))
    high = max(low + 1, math.ceil(math.log10(max(t for _, _, t in points))))

    def x(seconds: float) -> float:
        return _LEFT + (math.log10(seconds) - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)

    def y(score: float) -> float:
        return _TOP + (1 - score) * (_HEIGHT - _TOP - _BOTTOM)

    drawn: list[Html] = []
    for tick in range(5):
        at = y(tick / 4)
        drawn.append(element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=at, y2=at, class_="grid"))
        drawn.append(element("text", f"{tick / 4:.2f}", x=_LEFT - 5, y=at + 4, text_anchor="end"))
    for power in range(low, high + 1):
        at = x(10.0**power)
        drawn.append(element("line", x1=at, x2=at, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="grid"))
        anchor = "end" if power == high else "middle"
        drawn.append(element("text", _tick(power), x=at, y=_HEIGHT - _BOTTOM + 16, text_anchor=anchor))
    drawn.append(
        element("text", "time of a text", x=(_LEFT + _WIDTH) / 2, y=_HEIGHT - 6, text_anchor="middle", class_="axis")
    )
    placed: list[tuple[float, float]] = []
    for number, summary, seconds in points:
        score = summary.score.mean or 0.0
        at, up = x(seconds), y(score)
        if summary.score.low is not None and summary.score.high is not None:
            drawn.append(
                element("line", x1=at, x2=at, y1=y(summary.score.low), y2=y(summary.score.high), class_="whisker")
            )
        # Letters that would lie on each other are moved to the right.
        while any(abs(at - a) < 17 and abs(up - b) < 17 for a, b in placed):
            at += 17
        placed.append((at, up))
        drawn.append(element("circle", cx=at, cy=up, r=8, class_="point"))
        drawn.append(element("text", LETTERS[number % 26], x=at, y=up + 4, text_anchor="middle", class_="letter"))
    said = "; ".join(f"{s.name}: {mean(s.score.mean)} at {seconds_shown(t)}" for _, s, t in points)
    return element(
        "svg",
        element("title", f"Weighted score against time of a text. {said}"),
        *drawn,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        class_="plot",
    )


def letter(number: int) -> Html:
    """Return the letter that stands for the compressor of this place."""
    return element("b", LETTERS[number % 26], class_="letter")


def _row(number: int, summary: CompressorSummary, estimate: Estimate) -> Html:
    marks: list[Html] = []
    if estimate.low is not None and estimate.high is not None:
        place = f"left:{100 * estimate.low:.2f}%;width:{100 * (estimate.high - estimate.low):.2f}%"
        marks.append(element("span", class_="span", style=place))
    if estimate.mean is not None:
        marks.append(element("span", class_="dot", style=f"left:{100 * estimate.mean:.2f}%"))
    bounds = interval(estimate)
    number_text = mean(estimate.mean) + (f" ({bounds})" if estimate.low is not None else "")
    return element(
        "div",
        element("span", letter(number), " ", summary.name, class_="name"),
        element("span", *marks, class_="track", aria_hidden="true"),
        element("span", number_text, class_="value"),
        class_="row",
    )


def _tick(power: int) -> str:
    return {-4: "0.1 ms", -3: "1 ms", -2: "10 ms", -1: "100 ms"}.get(power, f"{10 ** max(power, 0):,} s")
