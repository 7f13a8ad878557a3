"""``compression-subnet score``, ``estimate`` and ``judge compare``. What they need is imported when they run."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

if TYPE_CHECKING:
    from compression_subnet.judge.cost import Prices

__all__ = ["compare", "estimate", "score"]

UNSCORED: Final = 3
"""Exit status where the judge was at fault and something is left unscored."""
INTERRUPTED: Final = 130

Challenges = Annotated[Path, typer.Option(help="JSON Lines of challenges, as `challenges build` writes them.")]
Replies = Annotated[
    Path, typer.Option(help="JSON Lines of replies: challenge_id, level, compressed_text, and optionally miner.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def score(
    ctx: typer.Context,
    challenges: Challenges,
    replies: Replies,
    out: Annotated[Path | None, typer.Option(help="Also write the JSON to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Score replies as a validator would: verdicts, answers, S per level and the weighted score.

    The judge is named by a validator's own flags (--judge.base-url, --judge.model, ...; see `neurons/validator.py
    --help`); without an address, the embedded reader is used. A run that is broken off goes on where it was when it
    is started again: its answers are kept in a file with the ending .journal, beside the output or else beside the
    replies, until everything is scored. Exit status 3: the judge was at fault and something is left unscored.
    """
    import asyncio
    import os

    from rich.console import Console

    from compression_subnet.report.score import score_json, score_table
    from compression_subnet.settings import OfflineSettings, load_settings
    from compression_subnet.validator.scoring_run import run_score

    settings = load_settings(OfflineSettings, ctx.args, "compression-subnet score")
    console = Console(stderr=True)
    journal = (out or replies).with_name(f"{(out or replies).name}.journal")
    try:
        run = asyncio.run(run_score(challenges, replies, settings.judge, os.environ, journal, console))
    except KeyboardInterrupt:
        console.print(f"stopped; the same command goes on from {journal}")
        raise typer.Exit(INTERRUPTED) from None
    text = json.dumps(score_json(run), indent=2, ensure_ascii=False)
    if out is not None:
        _write(out, text)
    if as_json:
        print(text)
    else:
        Console().print(score_table(run))
    if run.result.void is not None:
        console.print(f"a validator's round with these controls would be void ({run.result.void}) and move nobody")
    if run.unscored:
        console.print(
            f"the judge was at fault: {run.unscored} of {len(run.replies)} replies are unscored; "
            "the same command asks only what is missing"
        )
        raise typer.Exit(UNSCORED)


def estimate(
    miners: Annotated[int, typer.Option(min=0, help="Hotkeys that reply.")] = 256,
    challenges: Annotated[int, typer.Option(min=0, help="Challenges an epoch, over all levels.")] = 183,
    tokens: Annotated[int, typer.Option(min=0, help="Mean tokens of a challenge's text.")] = 1500,
    questions: Annotated[int, typer.Option(min=1, help="Questions of a challenge.")] = 5,
    candidates: Annotated[int, typer.Option(min=0, help="Questions that the filter tries for a challenge.")] = 12,
    drawn: Annotated[float, typer.Option(min=1, help="Candidate challenges for each that is kept.")] = 1.5,
    answer_tokens: Annotated[int, typer.Option(min=0, help="Mean tokens of an answer.")] = 8,
    identical: Annotated[float, typer.Option(min=0, max=1, help="Share of replies that repeat another.")] = 0.0,
    epoch_minutes: Annotated[float, typer.Option(min=0.01, help="Length of an epoch.")] = 72.0,
    price_prompt: Annotated[float, typer.Option(min=0, help="Price of a million prompt tokens.")] = 0.0,
    price_cached: Annotated[
        float | None, typer.Option(min=0, help="Of a million cached ones; --price-prompt if not given.")
    ] = None,
    price_completion: Annotated[float, typer.Option(min=0, help="Of a million completion tokens.")] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Estimate the judge's calls, tokens and cost, an epoch and a day, before anybody spends."""
    from rich.console import Console

    from compression_subnet.judge.cost import Prices
    from compression_subnet.judge.estimate import Load, estimate_cost, prompt_overhead
    from compression_subnet.judge.prompt import load_prompt
    from compression_subnet.report.estimate import estimate_json, estimate_page
    from compression_subnet.text.tokens import get_tokenizer

    prices = Prices(price_prompt, price_completion, price_cached)
    load = Load(
        miners=miners,
        challenges=challenges,
        tokens=tokens,
        questions=questions,
        candidates=candidates,
        drawn=drawn,
        answer_tokens=answer_tokens,
        overhead_tokens=prompt_overhead(load_prompt(), get_tokenizer()),
        identical=identical,
        epoch_seconds=60 * epoch_minutes,
    )
    found = estimate_cost(load, prices)
    if as_json:
        print(json.dumps(estimate_json(found, prices), indent=2))
    else:
        Console().print(estimate_page(found, prices))


def compare(
    ctx: typer.Context,
    challenges: Challenges,
    replies: Replies,
    a: Annotated[str, typer.Option(help="A judge: reader, gguf:FILE or URL#MODEL.")],
    b: Annotated[str, typer.Option(help="Another one.")],
    a_prices: Annotated[str, typer.Option(help="A's prices a million tokens: PROMPT,COMPLETION[,CACHED].")] = "0,0",
    b_prices: Annotated[str, typer.Option(help="B's prices.")] = "0,0",
    a_api_key_file: Annotated[Path | None, typer.Option(help="File with the key of A's provider.")] = None,
    b_api_key_file: Annotated[Path | None, typer.Option(help="File with the key of B's provider.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw miners' scores under both into this SVG file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Put the same replies to two judges, and show how far they agree and what each costs.

    Bounds on calls are a validator's own flags (--judge.concurrency, --judge.timeout, ...). A run that is broken off
    goes on where it was. Exit status 3: a judge was at fault and something is left uncompared.
    """
    import asyncio

    from rich.console import Console

    from compression_subnet.report.comparison import comparison_json, comparison_svg, comparison_table
    from compression_subnet.settings import OfflineSettings, load_settings
    from compression_subnet.validator.comparing_run import Compared, run_comparison

    settings = load_settings(OfflineSettings, ctx.args, "compression-subnet judge compare")
    console = Console(stderr=True)
    journal = replies.with_name(f"{replies.name}.compare.journal")
    left = Compared(a, _prices(a_prices), a_api_key_file)
    right = Compared(b, _prices(b_prices), b_api_key_file)
    try:
        found = asyncio.run(run_comparison(challenges, replies, left, right, settings.judge, journal, console))
    except KeyboardInterrupt:
        console.print(f"stopped; the same command goes on from {journal}")
        raise typer.Exit(INTERRUPTED) from None
    if plot is not None:
        _write(plot, comparison_svg(found).rstrip("\n"))
    if as_json:
        print(json.dumps(comparison_json(found), indent=2, ensure_ascii=False))
    else:
        Console().print(comparison_table(found))
    if found.unsettled:
        console.print(f"a judge was at fault: {found.unsettled} questions are uncompared; run the same command again")
        raise typer.Exit(UNSCORED)


def _prices(given: str) -> "Prices":
    from compression_subnet.errors import ConfigurationError
    from compression_subnet.judge.cost import Prices

    try:
        prompt, completion, *cached = (float(part) for part in given.split(","))
        return Prices(prompt, completion, *cached)
    except (ValueError, TypeError):
        raise ConfigurationError(f"prices are {given!r}; give PROMPT,COMPLETION or PROMPT,COMPLETION,CACHED") from None


def _write(path: Path, text: str) -> None:
    from compression_subnet.errors import ConfigurationError

    try:
        path.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written ({error.strerror}); name another file") from error
