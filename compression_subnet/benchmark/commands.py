"""``compression-subnet benchmark``. What it needs is imported when it runs."""

from pathlib import Path
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand

__all__ = ["BenchmarkCommand", "benchmark"]

UNSCORED: Final = 3
"""Exit status where the judge was at fault and something is left unscored."""
INTERRUPTED: Final = 130
PAGE: Final = "index.html"
RESULT: Final = "result.json"


class BenchmarkCommand(TyperCommand):
    """Takes several values after one ``--levels``: ``--levels 20 40`` is ``--levels 20,40``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Join the levels, then parse."""
        joined: list[str] = []
        within = False
        for argument in args:
            if within and argument.isdecimal():
                first = joined[-1] == "--levels"
                joined.append(argument) if first else joined.append(f"{joined.pop()},{argument}")
                continue
            within = argument == "--levels"
            joined.append(argument)
        return super().parse_args(ctx, joined)


def benchmark(
    ctx: typer.Context,
    compressor: Annotated[
        list[str], typer.Option(help="An entry point's name, or module:attribute; several, compared with the first.")
    ],
    data: Annotated[
        str | None, typer.Option(help="builtin, jsonl:FILE, squad:FILE, folder:DIR or hf:NAME; builtin if not given.")
    ] = None,
    levels: Annotated[str, typer.Option(help="Levels in per cent, such as 20 40 60.")] = "20,40,60",
    challenges: Annotated[int, typer.Option(min=1, help="How many, over all levels.")] = 24,
    noise_share: Annotated[
        float | None, typer.Option(min=0, max=1, help="Noise sentences per base sentence; drawn anew if not given.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Same seed, same challenges.")] = 0,
    proxy: Annotated[bool, typer.Option("--proxy", help="No model: does a gold answer still stand?")] = False,
    out: Annotated[Path | None, typer.Option(help="Folder for page, results and what resuming needs.")] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Also write the result to this file.")] = None,
) -> None:
    """Compare compressors on the work that a validator gives: scores, intervals, time, memory, and a page.

    Challenges, judge and deadline can be set by a validator's own flags (--judge.base-url, --judge.model,
    --challenge.max-tokens, --dendrite.timeout, ...); without an address for the judge, the embedded reader is used.
    With --out, DIR/index.html shows where answers were lost, and a run that is broken off goes on where it was when
    it is started again. Exit status 3: the judge was at fault and something is left unscored.
    """
    import asyncio
    import os

    from rich.console import Console

    from compression_subnet.benchmark.results import write_result
    from compression_subnet.benchmark.run import BenchmarkPlan, run_benchmark
    from compression_subnet.benchmark.settings import BenchmarkSettings
    from compression_subnet.report.benchmark import benchmark_page, benchmark_table
    from compression_subnet.settings import load_settings

    plan = BenchmarkPlan(tuple(compressor), _levels(levels), challenges, seed, proxy)
    settings = load_settings(BenchmarkSettings, ctx.args, "compression-subnet benchmark")
    # Offline a validator's own choice is the built-in corpus, as on a local chain.
    source = "builtin" if data is None and settings.challenge.source == "auto" else data
    given = {"source": source, "noise_share": noise_share}
    challenge = settings.challenge.model_copy(update={k: v for k, v in given.items() if v is not None})
    settings = settings.model_copy(update={"challenge": challenge})
    console = Console(stderr=True)
    try:
        result = asyncio.run(run_benchmark(plan, settings, os.environ, out, console))
    except KeyboardInterrupt:
        console.print("stopped; the same command goes on" if out else "stopped; with --out it could be resumed")
        raise typer.Exit(INTERRUPTED) from None
    if json_file is not None:
        write_result(json_file, result)
    Console().print(benchmark_table(result))
    if out is not None:
        write_result(out / RESULT, result)
        page = out / PAGE
        page.write_text(benchmark_page(result), encoding="utf-8")
        console.print(f"page: {page}", highlight=False, soft_wrap=True)
    if result.void is not None:
        console.print(f"a validator's round with these controls would be void ({result.void}) and move nobody")
    if result.unscored:
        console.print(f"the judge was at fault: {result.unscored} of {len(result.replies)} replies are unscored")
        raise typer.Exit(UNSCORED)


def _levels(given: str) -> tuple[int, ...]:
    from compression_subnet.errors import ConfigurationError

    parts = given.replace(",", " ").split()
    if not parts or not all(part.isdecimal() and 1 <= int(part) <= 100 for part in parts):
        raise ConfigurationError(f"--levels {given!r} are no levels; give per cents such as 20 40 60")
    levels = tuple(map(int, parts))
    if len(set(levels)) < len(levels):
        raise ConfigurationError(f"--levels {given!r} repeats one; give each once")
    return levels
