"""The command line: ``compression-subnet``, and its subcommands. What they need is imported when they run."""

import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, ParamSpec, TypeVar

import typer

from compression_subnet import __version__
from compression_subnet.benchmark import commands as benchmark_commands
from compression_subnet.errors import CompressionSubnetError, ConfigurationError
from compression_subnet.incentives import commands as incentives_commands
from compression_subnet.judge import commands as judge_commands
from compression_subnet.scaffold.commands import new_compressor
from compression_subnet.update.commands import update
from compression_subnet.validator import commands as validator_commands
from compression_subnet.validator.records.restore_command import restore

__all__ = ["app", "main"]

P = ParamSpec("P")
R = TypeVar("R")

app = typer.Typer(
    name="compression-subnet",
    help="A Bittensor subnet that pays miners for compressing text without losing what matters.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
judge_app = typer.Typer(help="The model that answers questions.", no_args_is_help=True)
app.add_typer(judge_app, name="judge")
incentives_app = typer.Typer(help="What the settings pay, and whom.", no_args_is_help=True)
app.add_typer(incentives_app, name="incentives")

audit_app = typer.Typer(help="Publish a validator's record, check one, and look into it.", no_args_is_help=True)
app.add_typer(audit_app, name="audit")

# Flags that a command does not know go on to the settings' own loader, or the module's own parser.
SETTINGS_FLAGS = {"allow_extra_args": True, "ignore_unknown_options": True}

Port = Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes a free one.")]


def main() -> None:
    """Run the command line."""
    app()


def _plain_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Show our own errors as one line and exit status 2: their messages name the fix."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except CompressionSubnetError as error:
            print(f"compression-subnet: {error}", file=sys.stderr)
            raise typer.Exit(2) from None

    return run


def _version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show it.")] = False,
) -> None:
    """A Bittensor subnet that pays miners for compressing text without losing what matters."""


@app.command()
@_plain_errors
def demo(
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the result to this file as JSON.")] = None,
    challenges: Annotated[int, typer.Option(min=3, help="Challenges of the round, over all levels.")] = 24,
    keep: Annotated[Path | None, typer.Option(help="New folder in which logs and the record are kept.")] = None,
    compressor: Annotated[
        str, typer.Option(help="Runs in place of the reference: an entry point's name, or module:attribute.")
    ] = "reference",
) -> None:
    """Run a whole subnet on this machine for one round, and show what it scored and set."""
    import asyncio

    from rich.console import Console

    from compression_subnet.demo.run import run_demo
    from compression_subnet.process import until_signalled
    from compression_subnet.report.demo import demo_table

    console = Console()
    result = asyncio.run(until_signalled(run_demo(console, challenges, keep, compressor)))
    if result is None:
        console.print("stopped; nothing is left behind")
        raise typer.Exit(130)
    console.print(demo_table(result))
    if json_file is not None:
        json_file.write_text(json.dumps(result.as_json(), indent=2) + "\n", encoding="utf-8")
    verdict = "agree" if result.agree else "DO NOT agree"
    console.print(f"Chain and computation {verdict}. {result.seconds:.0f} s.")
    raise typer.Exit(0 if result.agree else 1)


@app.command()
@_plain_errors
def compress(
    file: Annotated[str, typer.Argument(help="Text file; - is standard input.")] = "-",
    level: Annotated[int, typer.Option(min=1, max=100, help="Most tokens, in per cent of the text's.")] = 40,
    compressor: Annotated[str, typer.Option(help="An entry point's name, or module:attribute.")] = "reference",
    as_json: Annotated[bool, typer.Option("--json", help="An object with counts instead of the text.")] = False,
) -> None:
    """Compress a text to a share of its tokens."""
    from dataclasses import asdict

    from compression_subnet.compressors.run import compress_text

    result = compress_text(_read(file), level, compressor)
    if as_json:
        print(json.dumps(asdict(result), ensure_ascii=False))
    else:
        print(result.compressed_text)


@app.command()
@_plain_errors
def compressors() -> None:
    """List the compressors that are installed."""
    from compression_subnet.compressors.registry import list_compressors

    for name in list_compressors():
        print(name)


@judge_app.command("serve")
@_plain_errors
def judge_serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Port = 8801,
    gguf: Annotated[Path | None, typer.Option(help="Serve this GGUF model through llama.cpp instead.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads; the library's default if not given.")] = None,
    api_key_file: Annotated[Path | None, typer.Option(help="File with the key that clients must send.")] = None,
) -> None:
    """Serve the embedded judge, or a GGUF model, at an OpenAI-compatible address."""
    from compression_subnet.judge.endpoint import load_api_key
    from compression_subnet.judge.serving import serve_gguf, serve_reader

    key = load_api_key({}, api_key_file)
    if gguf is not None:
        serve_gguf(gguf, host, port, threads=threads or 2, api_key=key)
    else:
        serve_reader(host, port, threads=threads, api_key=key)


@app.command(context_settings=SETTINGS_FLAGS)
@_plain_errors
def doctor(
    ctx: typer.Context,
    miner: Annotated[bool, typer.Option("--miner", help="Examine a miner; a validator if not given.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="An array of checks instead of a table.")] = False,
) -> None:
    """Examine, before a start, whether a validator or a miner could work now; takes the neuron's own flags.

    Exit status 0 where it could, 1 where something stands in the way.
    """
    import asyncio
    from dataclasses import asdict

    from rich.console import Console

    from compression_subnet.doctor import Status, worst
    from compression_subnet.doctor.run import examine_miner, examine_validator
    from compression_subnet.report.doctor import doctor_table
    from compression_subnet.settings import MinerSettings, ValidatorSettings, load_settings

    program = "compression-subnet doctor"
    if miner:
        checks = asyncio.run(examine_miner(load_settings(MinerSettings, ctx.args, program)))
    else:
        checks = asyncio.run(examine_validator(load_settings(ValidatorSettings, ctx.args, program)))
    if as_json:
        print(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        Console().print(doctor_table(checks))
    raise typer.Exit(1 if worst(checks) is Status.FAIL else 0)


@app.command(context_settings={**SETTINGS_FLAGS, "help_option_names": []}, add_help_option=False)
def devchain(ctx: typer.Context) -> None:
    """Run a development chain that bittensor's SDK and btcli connect to (same flags as the module)."""
    from compression_subnet.chain.dev.__main__ import main as run

    raise typer.Exit(run(ctx.args) or 0)


@app.command(
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []},
    add_help_option=False,
)
@_plain_errors
def challenges(ctx: typer.Context) -> None:
    """Make, look at, measure and check challenges: build, show, stats, verify."""
    from compression_subnet.challenge.commands import app as run

    run(ctx.args, prog_name="compression-subnet challenges")


app.command(cls=benchmark_commands.BenchmarkCommand, context_settings=SETTINGS_FLAGS)(
    _plain_errors(benchmark_commands.benchmark)
)
app.command()(_plain_errors(new_compressor))
app.command()(_plain_errors(update))
app.command(context_settings=SETTINGS_FLAGS)(_plain_errors(judge_commands.score))
app.command()(_plain_errors(judge_commands.estimate))
judge_app.command("compare", context_settings=SETTINGS_FLAGS)(_plain_errors(judge_commands.compare))
incentives_app.command("simulate", cls=incentives_commands.SimulateCommand)(_plain_errors(incentives_commands.simulate))
app.command()(_plain_errors(validator_commands.rescore))
app.command()(_plain_errors(restore))
audit_app.command("export", context_settings=SETTINGS_FLAGS)(_plain_errors(validator_commands.audit_export))
audit_app.command("verify", context_settings=SETTINGS_FLAGS)(_plain_errors(validator_commands.audit_verify))
audit_app.command("show")(_plain_errors(validator_commands.audit_show))
audit_app.command("explain")(_plain_errors(validator_commands.audit_explain))


def _read(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file} is not UTF-8 (byte {error.start}); convert it with iconv") from error


if __name__ == "__main__":
    main()
