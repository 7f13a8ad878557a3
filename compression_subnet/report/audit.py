"""A miner's part and the reason of its weight, for a terminal and as JSON."""

import math
from dataclasses import asdict
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Group
from rich.table import Table
from rich.text import Text

from compression_subnet.report.precision import half_error_note
from compression_subnet.scoring import LEVELS
from compression_subnet.validator.audit.breakdown import Breakdown
from compression_subnet.validator.audit.explain import Explanation, WeightReason
from compression_subnet.validator.audit.verify import Verified

__all__ = ["breakdown_json", "breakdown_page", "explanation_json", "explanation_table", "verified_json"]

_REASONS: Final = {
    WeightReason.VOID: "the round was void: it moved nobody and set nothing",
    WeightReason.NO_VECTOR: "the round counted, and no weights were made of it",
    WeightReason.NOT_REGISTERED: "the hotkey was not registered when the weights were made",
    WeightReason.NEVER_SCORED: "no challenge has counted for it yet",
    WeightReason.TOO_FEW: "it has too few scored challenges at some level",
    WeightReason.UNDER_BASELINE: "its margin over head truncation is not above the allowance",
    WeightReason.ROUNDED: "what it earned is less than the smallest weight there is",
    WeightReason.PAID: "it is paid for its margin over head truncation",
    WeightReason.BURN: "it is the subnet owner's: what it gets is burned",
}


def breakdown_page(found: Breakdown) -> Group:
    """Return a line a challenge, and the means of the levels under them."""
    lines = _table(f"{found.hotkey}: rank {found.rank} of {found.miners}")
    lines.add_column("round", justify="right", no_wrap=True)
    lines.add_column("challenge", overflow="fold")
    for heading in ("level", "tokens", "verdict", "F", "baseline"):
        lines.add_column(heading, justify="left" if heading == "verdict" else "right", no_wrap=True)
    for line in found.lines:
        lines.add_row(
            str(line.round),
            Text(line.challenge),
            f"{line.level} %",
            f"{line.tokens}/{line.budget}",
            line.verdict,
            "unscored" if line.score is None else f"{float(line.score):.3f}",
            "" if line.baseline is None else f"{float(line.baseline):.3f}",
        )
    means = _table("")
    for heading in ("level", "challenges", "mean F", "standard error"):
        means.add_column(heading, justify="right", no_wrap=True)
    for level, mean in found.levels.items():
        means.add_row(f"{level} %", str(mean.count), f"{mean.mean:.3f}", _shown(mean.stderr))
    standing = found.standing
    means.add_row("score", str(found.scored), f"{standing.score:.3f}", _shown(standing.stderr))
    means.add_row("margin", str(found.scored), f"{standing.margin:+.3f}", _shown(standing.margin_stderr))
    note = half_error_note(found.scored)
    return Group(lines, Text(), means, *([Text(note, style="dim")] if note else []))


def breakdown_json(found: Breakdown) -> dict[str, Any]:
    """Return the same as JSON's own types; scores also as exact fractions."""
    standing = found.standing
    return {
        "hotkey": found.hotkey,
        "rounds": list(found.rounds),
        "rank": found.rank,
        "miners": found.miners,
        "score": standing.score,
        "stderr": _finite(standing.stderr),
        "margin": standing.margin,
        "margin_stderr": _finite(standing.margin_stderr),
        "levels": {
            str(level): {"challenges": m.count, "mean": m.mean, "stderr": _finite(m.stderr)}
            for level, m in found.levels.items()
        },
        "challenges": [
            {
                **asdict(line),
                "score": None if line.score is None else str(line.score),
                "baseline": None if line.baseline is None else str(line.baseline),
            }
            for line in found.lines
        ],
    }


def explanation_table(found: Explanation) -> Group:
    """Return the steps from scores to a weight, one a line."""
    who = "no uid" if found.uid is None else f"uid {found.uid}"
    table = _table(f"Round {found.round}, epoch {found.epoch}: {who}, {found.hotkey}")
    table.add_column("step", no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    rule, standing = found.rule, found.standing
    if standing is not None:
        for level in LEVELS:
            score = f"{standing.levels[level]:.3f}" if level in standing.levels else "none"
            table.add_row(
                f"S({level})", score, f"{found.counts[level]} challenges, and {rule.min_challenges} are needed"
            )
        table.add_row("score", f"{standing.score:.3f}", f"standard error {_shown(standing.stderr)}")
        said = f"over head truncation, standard error {_shown(standing.margin_stderr)}"
        table.add_row("margin", f"{standing.margin:+.3f}", said)
        table.add_row("allowance", _shown(found.allowance), f"{rule.z:g} standard errors of the margin")
    if found.copies:
        others = ", ".join(sorted(found.copies - {found.hotkey}))
        table.add_row("copies", f"1/{len(found.copies)}", Text(f"shared with {others}"))
    table.add_row("earned", f"{found.earned:.6f}", f"margin less allowance, to the power {rule.power}, by the copies")
    if found.burned:
        table.add_row("burned", f"{found.burned:.1%}", "of all weight, by setting")
    table.add_row("weight", str(found.weight), f"{found.share:.2%} of all")
    table.add_row("on chain", "" if found.block is None else str(found.block), Text(found.detail or found.outcome))
    return Group(table, Text(_REASONS[found.reason], style="bold"))


def explanation_json(found: Explanation) -> dict[str, Any]:
    """Return the same as JSON's own types."""
    standing = found.standing
    return {
        **{k: v for k, v in asdict(found).items() if k not in ("standing", "copies", "reason", "allowance")},
        "reason": found.reason.value,
        "allowance": _finite(found.allowance),
        "copies": sorted(found.copies),
        "standing": None
        if standing is None
        else {k: _finite(v) if isinstance(v, float) else v for k, v in asdict(standing).items()},
    }


def verified_json(found: Verified) -> dict[str, Any]:
    """Return the findings as JSON's own types."""
    return {
        "good": found.good,
        "manifest": None if found.manifest is None else asdict(found.manifest),
        "checks": [asdict(check) for check in found.checks],
    }


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _shown(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "?"
