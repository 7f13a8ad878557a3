"""The command ``compression-subnet update``."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from compression_subnet import __file__ as package_file
from compression_subnet import __version__
from compression_subnet.errors import ConfigurationError

__all__ = ["update"]


def update(
    check: Annotated[bool, typer.Option("--check", help="Only say whether there is a newer release.")] = False,
    apply: Annotated[bool, typer.Option("--apply", help="Move this checkout to the newest release.")] = False,
    store: Annotated[Path | None, typer.Option(help="A validator's record, a copy of which must open.")] = None,
    signed: Annotated[bool, typer.Option("--signed", help="Take no tag without a signature that git trusts.")] = False,
    extra: Annotated[list[str] | None, typer.Option(help="Extra to install again, such as reader; repeatable.")] = None,
    remote: Annotated[str, typer.Option(help="Git remote that has the releases.")] = "origin",
) -> None:
    """Update this git checkout to the newest tagged release (vMAJOR.MINOR.PATCH), and back if that does not work.

    Nothing is ever updated unless this is called; stop what runs from the checkout first. Exit status 0 where there is
    nothing newer or the update worked, 1 where there is something newer (--check) or the update was taken back.
    """
    from compression_subnet.update.apply import apply_release, install, try_out
    from compression_subnet.update.checkout import Checkout
    from compression_subnet.update.releases import newest

    if check == apply:
        raise ConfigurationError("give either --check or --apply")
    checkout = Checkout(Path(package_file).resolve().parents[1], remote)
    releases = checkout.releases()
    release = newest(releases, __version__)
    if release is None:
        print(f"{__version__} is the newest release")
        return
    if check:
        print(f"{release} is available, {__version__} is installed")
        raise typer.Exit(1)
    applied = apply_release(
        checkout,
        release,
        releases[release],
        signed=signed,
        install=partial(install, extras=extra or ()),
        try_out=partial(try_out, store=store),
    )
    if applied.fault:
        print(f"{release} does not work here: {applied.fault}; {applied.former} is installed as before")
        raise typer.Exit(1)
    print(f"{release} is installed; back to what was before: git checkout {applied.former}, and install again")
