"""Scores of a file of replies: as a table for a terminal, and as JSON with everything that led to them."""

import math
from collections import Counter
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table

from compression_subnet.report.precision import half_error_note
from compression_subnet.scoring import LEVELS, Standing
from compression_subnet.validator.offline import Reply, result_of, standing_of
from compression_subnet.validator.rounds.results import ChallengeResult, Judged
from compression_subnet.validator.scoring_run import ScoreRun

__all__ = ["score_json", "score_table"]


def score_table(run: ScoreRun) -> Table:
    """Return the table: one line a miner, the best first, and one for all replies where miners are named."""
    table = Table(
        title=f"Scores by {run.model}; cost {run.cost:.4f}",
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    table.add_column("miner", no_wrap=True)
    for level in LEVELS:
        table.add_column(f"S({level})", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    table.add_column("margin", justify="right", no_wrap=True)
    table.add_column("verdicts", no_wrap=True)
    standings = {miner: standing_of(run.result.challenges, miner) for miner in _miners(run)}
    rows = sorted(standings.items(), key=lambda item: item[1].score, reverse=True)
    if set(standings) != {""}:
        rows.append(("all replies", standing_of(run.result.challenges)))
    for miner, standing in rows:
        table.add_row(
            miner or "replies",
            *(f"{standing.levels[b]:.3f}" if b in standing.levels else "none" for b in LEVELS),
            f"{standing.score:.3f} ± {_shown(standing.stderr)}",
            f"{standing.margin:+.3f} ± {_shown(standing.margin_stderr)}",
            "\n".join(f"{n} {reason}" for reason, n in sorted(_reasons(run, miner).items())),
        )
    table.caption = "Margin: over head truncation to the same budget. A level without a reply counts 0."
    if note := half_error_note(len(run.result.challenges)):
        table.caption += f"\n{note}"
    table.caption_justify = "left"
    return table


def score_json(run: ScoreRun) -> dict[str, Any]:
    """Return everything as JSON's own types; F1 and S also as exact fractions."""
    results = run.by_assignment
    overall = standing_of(run.result.challenges)
    miners = _miners(run)
    return {
        "model": run.model,
        "profile": run.profile,
        "replies": [_reply(reply, results) for reply in run.replies],
        **_standing(overall, run, None),
        "miners": {m: _standing(standing_of(run.result.challenges, m), run, m) for m in miners if m},
        "controls": [_controls(result) for result in run.result.challenges],
        "void": run.result.void.value if run.result.void is not None else None,
        "unscored": run.unscored,
        "usage": {
            "prompt_tokens": run.usage.prompt_tokens,
            "cached_tokens": run.usage.cached_tokens,
            "completion_tokens": run.usage.completion_tokens,
        },
        "cost": run.cost,
    }


def _reply(reply: Reply, results: dict[tuple[str, int], ChallengeResult]) -> dict[str, Any]:
    miner, scored = result_of(reply, results)
    verdict = miner.compliance
    value = miner.score if scored else None
    return {
        "challenge_id": reply.challenge_id,
        "level": reply.level,
        **({"miner": reply.miner} if reply.miner else {}),
        "compliant": verdict.ok,
        "reason": verdict.reason.value,
        "tokens": verdict.tokens,
        "budget_tokens": verdict.budget,
        "scored": scored,
        "S": None if value is None else float(value),
        "S_exact": None if value is None else str(value),
        "answers": _answers(miner.judged, results[reply.challenge_id, reply.level]),
    }


def _answers(judged: Judged | None, result: ChallengeResult) -> list[dict[str, Any]]:
    if judged is None:
        return []
    return [
        {
            "question": question.text,
            "gold": list(question.gold),
            "status": one.answer.status.value,
            "answer": one.answer.text,
            "detail": one.answer.detail,
            "supported": one.supported,
            "f1": float(one.f1),
            "f1_exact": str(one.f1),
        }
        for question, one in zip(result.assignment.challenge.questions, judged.answers, strict=True)
    ]


def _controls(result: ChallengeResult) -> dict[str, Any]:
    controls = result.controls
    return {
        "challenge_id": result.assignment.challenge.id,
        "level": result.assignment.level,
        **{
            name: float(judged.score) if judged.settled else None
            for name, judged in (
                ("ceiling", controls.ceiling),
                ("floor", controls.floor),
                ("baseline", controls.baseline),
            )
        },
    }


def _standing(standing: Standing, run: ScoreRun, miner: str | None) -> dict[str, Any]:
    replies = [r for r in run.replies if miner is None or r.miner == miner]
    results = run.by_assignment
    counts = Counter(r.level for r in replies)
    unscored = Counter(r.level for r in replies if not result_of(r, results)[1])
    return {
        "levels": {
            str(b): {"S": standing.levels.get(b), "replies": counts[b], "unscored": unscored[b]} for b in LEVELS
        },
        "score": standing.score,
        "stderr": _finite(standing.stderr),
        "margin": standing.margin,
        "margin_stderr": _finite(standing.margin_stderr),
    }


def _miners(run: ScoreRun) -> list[str]:
    return list(dict.fromkeys(reply.miner for reply in run.replies))


def _reasons(run: ScoreRun, miner: str) -> Counter[str]:
    results = run.by_assignment
    found: Counter[str] = Counter()
    for reply in run.replies:
        if miner in (reply.miner, "all replies"):
            verdict, scored = result_of(reply, results)
            found[verdict.compliance.reason.value if scored else "unscored"] += 1
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _shown(value: float) -> str:
    return f"{value:.3f}" if math.isfinite(value) else "?"
