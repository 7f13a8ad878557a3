"""``python -m soak``: see ``--help``."""

import asyncio
import json
import secrets
import shutil
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from soak.drive import run_soak
from soak.outcome import Outcome
from soak.plan import plan_faults
from soak.show import as_json, outcome_table, plan_table

LONG_EPOCHS = 200


def main(
    seed: Annotated[int | None, typer.Option(help="of the plan; drawn where none is given")] = None,
    epochs: Annotated[int, typer.Option(min=1, help="of the plan")] = LONG_EPOCHS,
    from_epoch: Annotated[int, typer.Option(min=0, help="the epoch of the plan to begin with")] = 0,
    folder: Annotated[Path | None, typer.Option(help="a new folder for everything; else one that is removed")] = None,
    output: Annotated[Path | None, typer.Option(help="file for the outcome, as JSON")] = None,
    keep_going: Annotated[bool, typer.Option(help="go on after a problem, whose traces are lost then")] = False,
    plan_only: Annotated[bool, typer.Option("--plan", help="show the plan, and run nothing")] = False,
) -> None:
    """Run a validator for many epochs against faults of every kind, and check what must hold."""
    console = Console(highlight=False)
    chosen = secrets.randbelow(10**6) if seed is None else seed
    if from_epoch >= epochs:
        raise typer.BadParameter(f"the plan has epochs 0 to {epochs - 1}; begin with one of them")
    console.print(f"seed {chosen}: replay with python -m soak --seed {chosen} --epochs {epochs}")
    console.print(plan_table(plan_faults(chosen, epochs), from_epoch))
    if plan_only:
        return
    if folder is not None:
        folder.mkdir(parents=True)
    here = folder.resolve() if folder is not None else Path(tempfile.mkdtemp(prefix="soak-"))

    shown = 0

    def show(outcome: Outcome, doing: str) -> None:
        nonlocal shown
        for problem in outcome.problems[shown:]:
            console.print(escape(problem), soft_wrap=True)
        shown = len(outcome.problems)
        held = outcome.samples[-1] if outcome.samples else None
        size = f"{held.resident / 2**20:.0f} MiB, {held.descriptors} descriptors" if held else "not measured yet"
        console.print(
            f"epoch {outcome.first + outcome.epochs} at {outcome.seconds:.0f} s: {size}, {outcome.starts} starts, "
            f"{len(outcome.problems)} problems; now {doing or 'nothing'}",
            soft_wrap=True,
        )

    outcome = asyncio.run(run_soak(here, chosen, epochs, from_epoch, show, keep_going=keep_going))
    console.print(outcome_table(outcome))
    grown = [growth for growth in outcome.growth if not growth.flat]
    if output is not None:
        output.write_text(json.dumps(as_json(outcome), indent=1) + "\n")
    if outcome.problems or grown:
        for problem in outcome.problems[shown:]:
            console.print(escape(problem), soft_wrap=True)
        replay = f"python -m soak --seed {chosen} --epochs {epochs} --from-epoch {outcome.first}"
        console.print(f"everything is in {here}\nreplay with {replay}", soft_wrap=True)
        raise typer.Exit(1)
    if folder is None:
        shutil.rmtree(here)


if __name__ == "__main__":
    typer.run(main)
