"""``compression-subnet challenges``: make, look at, measure and check files of challenges."""

import json
import os
import random
import secrets
import sys
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

if TYPE_CHECKING:
    from compression_subnet.challenge.types import Challenge

__all__ = ["app"]

T = TypeVar("T")

app = typer.Typer(
    name="challenges",
    help="Make, look at, measure and check challenges.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


class NoiseKind(StrEnum):
    """Where noise comes from: other topics, near topics, or each by half."""

    FAR = "far"
    NEAR = "near"
    MIXED = "mixed"


NEAR_PROBABILITY = {NoiseKind.FAR: 0.0, NoiseKind.MIXED: 0.5, NoiseKind.NEAR: 1.0}

File = Annotated[Path, typer.Argument(help="File of challenges, as `challenges build` writes it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def build(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="JSON Lines file to write.")],
    source: Annotated[
        str,
        typer.Option(help="written, builtin, jsonl:FILE, squad:FILE, folder:DIR or hf:NAME; several with commas."),
    ] = "builtin",
    count: Annotated[int, typer.Option(min=1, help="How many challenges.")] = 100,
    seed: Annotated[int | None, typer.Option(help="Same seed, same file; a secret one if not given.")] = None,
    noise_share: Annotated[
        float | None, typer.Option(min=0, help="Noise sentences per base sentence; drawn anew each time if not given.")
    ] = None,
    noise_kind: Annotated[
        NoiseKind, typer.Option(help="Noise of other topics, of near ones, or both.")
    ] = NoiseKind.MIXED,
    rewrite: Annotated[bool, typer.Option(help="Replace names, dates and quantities throughout.")] = False,
    paraphrase: Annotated[bool, typer.Option(help="Have the writer reword the sentences.")] = False,
    min_tokens: Annotated[int, typer.Option(min=1, help="Fewest tokens of a base text.")] = 600,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens of a base text.")] = 2500,
    join: Annotated[bool, typer.Option(help="Join articles that are too short: for long contexts.")] = False,
    single_use: Annotated[bool, typer.Option(help="Use no base text and no noise sentence twice.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build challenges into a JSON Lines file, an object a challenge.

    What writes takes the validator's flags and environment: --writer.base-url, --writer.model, CS_WRITER_API_KEY.
    """
    from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
    from compression_subnet.challenge.files import write_challenges
    from compression_subnet.challenge.gather import Gathering, gather
    from compression_subnet.challenge.noise import NoiseSettings
    from compression_subnet.judge.writing import writer_of
    from compression_subnet.settings import WritingSettings, load_settings
    from compression_subnet.text.tokens import get_tokenizer

    models = load_settings(WritingSettings, ctx.args, "compression-subnet challenges build")

    near = NEAR_PROBABILITY[noise_kind]
    noise = (
        NoiseSettings(near=near)
        if noise_share is None
        else NoiseSettings(near=near, share=(noise_share, noise_share), clean=0.0)
    )
    settings = ChallengeSettings(min_tokens=min_tokens, max_tokens=max_tokens, noise=noise, single_use=single_use)
    if seed is None:
        seed = secrets.randbits(63)
    tokenizer = get_tokenizer()
    articles = gather(
        Gathering(
            source=source,
            count=count,
            seed=seed,
            rewrite=rewrite,
            paraphrase=paraphrase,
            min_tokens=min_tokens,
            max_tokens=max_tokens,
            join=join,
            parallel=models.writer.concurrency,
        ),
        tokenizer,
        lambda: writer_of(models.writer, models.judge, os.environ),
    )
    builder = ChallengeBuilder(articles, tokenizer, settings, random.Random(f"{seed}:challenges"))
    written = write_challenges(out, _progress((builder.build() for _ in range(count)), "building", count))
    if as_json:
        print(json.dumps({"out": str(out), "challenges": written, "seed": seed, "excerpts": len(builder.excerpts)}))
    else:
        print(f"{written} challenges from {len(builder.excerpts)} base texts in {out}; seed {seed}")


@app.command()
def show(
    file: File,
    id: Annotated[str | None, typer.Option("--id", help="Of which challenge; the first if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show a challenge: its text with noise and evidence marked, its questions and answers."""
    from rich.console import Console

    from compression_subnet.challenge.files import challenge_line, read_challenges
    from compression_subnet.errors import ConfigurationError
    from compression_subnet.report.challenge import challenge_page

    for _, challenge in read_challenges(file):
        if id is None or challenge.id == id:
            if as_json:
                print(challenge_line(challenge))
            else:
                Console(highlight=False).print(challenge_page(challenge))
            return
    raise ConfigurationError(f"{file} has no challenge" + (f" {id}; ids stand in its lines" if id else ""))


@app.command()
def stats(
    file: File,
    pool: Annotated[Path | None, typer.Option(help="A validator's pool: kinds before and after its filter.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure how fair challenges are: sizes, noise, evidence, and what noise can be told by."""
    from rich.console import Console

    from compression_subnet.challenge.fairness import measure
    from compression_subnet.challenge.files import read_challenges
    from compression_subnet.challenge.store import read_balance
    from compression_subnet.report.challenge import balance_table, fairness_tables
    from compression_subnet.text.tokens import get_tokenizer

    balance = read_balance(pool) if pool is not None else None
    challenges = [challenge for _, challenge in _progress(read_challenges(file), "reading")]
    result = measure(challenges, get_tokenizer())
    if as_json:
        kinds = {"before": balance[0], "after": balance[1]} if balance is not None else None
        print(json.dumps(asdict(result) | {"pool_kinds": kinds}))
        return
    Console().print(fairness_tables(result))
    if balance is not None:
        Console().print(balance_table(*balance))


@app.command()
def verify(
    file: File,
    single_use: Annotated[bool, typer.Option(help="Also that no base text and no noise is used twice.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a file against every law that needs no model; the first fault ends it with status 1."""
    from compression_subnet.challenge.files import MalformedLine, read_challenges
    from compression_subnet.challenge.laws import Fault, first_fault_of, spread_fault
    from compression_subnet.text.tokens import get_tokenizer

    tokenizer = get_tokenizer()
    challenges: list[Challenge] = []

    def read() -> "Iterator[tuple[int, Challenge]]":
        for number, challenge in _progress(read_challenges(file), "checking"):
            challenges.append(challenge)
            yield number, challenge

    try:
        fault = first_fault_of(read(), tokenizer, single_use=single_use)
    except MalformedLine as error:
        fault = Fault(error.line, str(error).partition(": ")[2])
    if fault is None and not challenges:
        fault = Fault(0, "there is no challenge")
    fault = fault or spread_fault(challenges, tokenizer)
    if as_json:
        print(json.dumps({"challenges": len(challenges), "fault": fault and asdict(fault)}))
    elif fault is None:
        print(f"{len(challenges)} challenges keep every law")
    else:
        print(f"{file}{f', line {fault.line}' if fault.line else ''}: {fault.message}", file=sys.stderr)
    raise typer.Exit(0 if fault is None else 1)


def _progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield the items, with a bar on standard error where that is a terminal."""
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    yield from track(items, what, total=total, console=console, transient=True, disable=not console.is_terminal)
