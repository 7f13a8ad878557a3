"""``compression-subnet incentives``. What it needs is imported when it runs."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

if TYPE_CHECKING:
    from compression_subnet.incentives.results import Terms
    from compression_subnet.incentives.scenarios import Scenario

__all__ = ["SimulateCommand", "simulate"]

PAGE: Final = "index.html"
RESULT: Final = "result.json"
OWN: Final = "a validator's default if not given"


class SimulateCommand(TyperCommand):
    """Takes several values after one ``--scenario``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the flag before each of its values, then parse."""
        spread: list[str] = []
        within = False
        for argument in args:
            if argument.startswith("-"):
                within = argument == "--scenario"
            elif within and spread[-1] != "--scenario":
                spread.append("--scenario")
            spread.append(argument)
        return super().parse_args(ctx, spread)


def simulate(
    scenario: Annotated[
        list[str] | None, typer.Option(help="clones, sybils, better, entrenched, copier, noise; all if not given.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=4, help="How many; one is 72 minutes.")] = 60,
    miners: Annotated[int, typer.Option(min=1, max=1000, help="Honest miners that are always there.")] = 32,
    challenges: Annotated[int | None, typer.Option(min=3, help=f"A round's; {OWN}.")] = None,
    z: Annotated[float | None, typer.Option(min=0, help=f"Standard errors taken off a margin; {OWN}.")] = None,
    power: Annotated[int | None, typer.Option(min=1, help=f"Exponent of a margin; {OWN}.")] = None,
    forgetting: Annotated[float | None, typer.Option(min=0.01, max=1, help=f"Factor an epoch; {OWN}.")] = None,
    reveal: Annotated[int, typer.Option(min=1, help="Epochs until weights can be read, and copied.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same result.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for a page with plots, and the result as JSON.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show what the settings pay: clones, sybils, a better miner, entrenched ones, copiers, noise.

    Scores are drawn from a distribution with the moments of a measured benchmark; averages, margins, copies and weights
    are the validator's own code, and consensus, incentive and dividends the development chain's.
    """
    from dataclasses import asdict

    from rich.console import Console

    from compression_subnet.incentives.simulate import simulate as play
    from compression_subnet.report.incentives_page import incentives_page
    from compression_subnet.report.incentives_table import incentives_table

    terms = _terms(epochs, miners, challenges, z, power, forgetting, reveal, seed)
    results = [play(one, terms) for one in _scenarios(scenario)]
    text = json.dumps([asdict(result) for result in results], indent=2)
    if as_json:
        print(text)
    else:
        Console().print(incentives_table(results))
    if out is not None:
        _write(out, {RESULT: f"{text}\n", PAGE: incentives_page(results)})
        Console(stderr=True).print(f"page: {out / PAGE}", highlight=False, soft_wrap=True)


def _scenarios(names: list[str] | None) -> "list[Scenario]":
    from compression_subnet.errors import ConfigurationError
    from compression_subnet.incentives.scenarios import SCENARIOS

    for name in names or ():
        if name not in SCENARIOS:
            raise ConfigurationError(f"--scenario {name!r} is none; the scenarios are {', '.join(SCENARIOS)}")
    return [SCENARIOS[name] for name in dict.fromkeys(names or SCENARIOS)]


def _terms(
    epochs: int,
    miners: int,
    challenges: int | None,
    z: float | None,
    power: int | None,
    forgetting: float | None,
    reveal: int,
    seed: int,
) -> "Terms":
    from compression_subnet.incentives.results import Terms
    from compression_subnet.setting_groups import ValidatorNeuronSettings

    own = ValidatorNeuronSettings()
    return Terms(
        epochs=epochs,
        miners=miners,
        challenges=own.challenges if challenges is None else challenges,
        z=own.z if z is None else z,
        power=own.power if power is None else power,
        min_challenges=own.min_challenges,
        forgetting=own.forgetting if forgetting is None else forgetting,
        reveal=reveal,
        seed=seed,
    )


def _write(folder: Path, files: dict[str, str]) -> None:
    from compression_subnet.errors import ConfigurationError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be written ({error.strerror}); name another folder") from error
