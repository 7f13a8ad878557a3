"""``compression-subnet restore``. What it needs is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["restore"]


def restore(
    archives: Annotated[
        list[Path], typer.Argument(help="Files of archived rounds, or the folder beside the record that holds them.")
    ],
    out: Annotated[Path, typer.Option(help="File of the record to make; a new one.")],
) -> None:
    """Make a record of rounds that left theirs, for rescore, audit and replay: compressed JSON Lines to SQLite."""
    from compression_subnet.errors import ConfigurationError
    from compression_subnet.validator.records.archive import restore as restore_rounds

    files = [
        file for given in archives for file in (sorted(given.glob("round-*.jsonl.gz")) if given.is_dir() else [given])
    ]
    if not files:
        raise ConfigurationError(f"{', '.join(map(str, archives))}: no round-*.jsonl.gz is there; name another folder")
    numbers = restore_rounds(files, out)
    typer.echo(f"{out}: {len(numbers)} rounds, {numbers[0]} to {numbers[-1]}")
