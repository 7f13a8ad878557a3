"""``compression-subnet new-compressor``. What it needs is imported when it runs."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["new_compressor"]


def new_compressor(
    name: Annotated[str, typer.Argument(help="Small letters, digits and hyphens, such as rare-words.")],
    parent: Annotated[Path, typer.Option("--dir", help="Where the package's folder is made.")] = Path("."),
) -> None:
    """Write a small package with a compressor of your own, which passes its own test at once."""
    from compression_subnet.scaffold.create import create_compressor

    made = create_compressor(name, parent)
    print(f"{made.folder}: a package with the compressor {made.target}. Next, in that folder:")
    print("  python -m pytest")
    print("  pip install -e .")
    print(f"  compression-subnet benchmark --compressor reference --compressor {name} --proxy --out results")
