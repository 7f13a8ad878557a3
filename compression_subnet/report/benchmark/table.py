"""The benchmark's table, for a terminal."""

from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from compression_subnet.benchmark.records import Fate
from compression_subnet.benchmark.results import BenchmarkResult, CompressorSummary
from compression_subnet.report.benchmark.figures import (
    bytes_shown,
    correlation_shown,
    interval,
    judge_shown,
    mean,
    percent,
    seconds_shown,
    short_names,
    signed,
)
from compression_subnet.report.precision import half_error_note

__all__ = ["benchmark_table"]

_FATES: Final = {
    Fate.FOUND: "found",
    Fate.NOT_FOUND: "not found",
    Fate.DROPPED: "dropped",
    Fate.REFUSED: "refused",
}


def benchmark_table(result: BenchmarkResult) -> Group:
    """Return the tables: scores with their intervals, and what they cost; one line a compressor, as they were named."""
    scores = _table(f"{len(result.challenges)} challenges, scored by {judge_shown(result)}")
    levels = sorted(result.levels)
    for heading in (*(f"S({level})" for level in levels), "score", "95 %", "to first", "95 %"):
        scores.add_column(heading, justify="right", no_wrap=True)
    work = _table("What it took")
    for heading in ("compliant", "budget used", "time/text", "slowest", "memory"):
        work.add_column(heading, justify="right", no_wrap=True)
    lost = _table("What was kept, and what became of the answers")
    for heading in ("noise", "evidence", *(_FATES[fate] for fate in _FATES), "proxy"):
        lost.add_column(heading, justify="right", no_wrap=True)
    short = short_names([summary.name for summary in result.summaries])
    for summary in result.summaries:
        name = Text(short[summary.name])
        scores.add_row(name, *_scores(summary, levels))
        work.add_row(name, *_work(summary))
        lost.add_row(name, *_lost(summary))
    notes = [note] if (note := half_error_note(len(result.challenges))) else []
    if result.controls.baseline is not None:
        ceiling = "" if result.controls.ceiling is None else f"full text {mean(result.controls.ceiling)}, "
        floor = "" if result.controls.floor is None else f"no text {mean(result.controls.floor)}, "
        notes.append(f"The same questions from: {ceiling}{floor}head truncation {mean(result.controls.baseline)}.")
    if result.correlation is not None:
        notes.append(correlation_shown(result.correlation))
    for summary in result.summaries:
        if summary.compliant < summary.replies:
            verdicts = ", ".join(f"{count} {reason}" for reason, count in summary.reasons.items())
            notes.append(f"{summary.name}: {verdicts}.")
    return Group(scores, Text(), work, Text(), lost, Text(), *map(Text, notes))


def _scores(summary: CompressorSummary, levels: list[int]) -> list[str]:
    difference = summary.difference
    return [
        *(mean(summary.levels[level].mean) if level in summary.levels else "–" for level in levels),
        mean(summary.score.mean),
        interval(summary.score),
        "first" if difference is None else signed(difference.mean),
        "" if difference is None else interval(difference, difference=True),
    ]


def _work(summary: CompressorSummary) -> list[str]:
    return [
        f"{summary.compliant}/{summary.replies}",
        percent(summary.used),
        seconds_shown(summary.seconds),
        seconds_shown(summary.slowest),
        bytes_shown(summary.peak_bytes),
    ]


def _lost(summary: CompressorSummary) -> list[str]:
    return [
        percent(summary.noise_kept),
        percent(summary.evidence_kept),
        *(str(summary.fates.get(fate.value, 0)) for fate in _FATES),
        mean(summary.proxy.mean),
    ]


def _table(title: str) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("compressor", overflow="fold", min_width=10)
    return table
