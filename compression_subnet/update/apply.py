"""Moving a checkout to a release: fetched, checked out, installed, tried; and back again where any of it fails."""

import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from loguru import logger

from compression_subnet.errors import CompressionSubnetError, ConfigurationError
from compression_subnet.update.checkout import Checkout, Place
from compression_subnet.update.releases import Release

__all__ = ["Applied", "apply_release", "install", "try_out"]

INSTALL_SECONDS: Final = 1800.0
TRY_SECONDS: Final = 300.0

# Run by the new release's own code. A record that cannot be opened would be set aside, and a new one begun.
_OPEN_STORE: Final = """
import sys
from pathlib import Path
from compression_subnet.validator.records.store import Store
with Store(Path(sys.argv[1])) as store:
    aside = getattr(store, "set_aside", None)
sys.exit(f"the record was found damaged and set aside: {aside}" if aside else 0)
"""


@dataclass(frozen=True, slots=True)
class Applied:
    """What came of an update.

    Attributes:
        release: that was tried.
        former: where the checkout was before.
        fault: why it is back there; empty where it is at the release.
    """

    release: Release
    former: Place
    fault: str = ""


class _Failed(CompressionSubnetError):
    """A step of an update failed."""


def apply_release(
    checkout: Checkout,
    release: Release,
    expected: str,
    *,
    signed: bool,
    install: Callable[[Path], None],
    try_out: Callable[[Path, Release], None],
) -> Applied:
    """Move ``checkout`` to ``release``; where installing or trying it out fails, move back and install what was there.

    Args:
        checkout: of this project; no neuron should run from it meanwhile.
        release: where to.
        expected: the tag's object on the remote.
        signed: whether the tag must bear a trusted signature.
        install: installs what is in the folder; raises where that fails.
        try_out: raises where the release, in the folder, does not work.

    Raises:
        ConfigurationError: nothing was changed, because tracked files were, or the tag is not in order. Or moving back
            failed: the message says what to do by hand.
    """
    if changes := checkout.changes():
        raise ConfigurationError(
            f"{len(changes)} tracked files were changed, the first {changes[0]}; commit or undo that, then update"
        )
    former = checkout.place()
    checkout.fetch(release, expected, signed=signed)
    try:
        checkout.go_to(release)
        install(checkout.folder)
        try_out(checkout.folder, release)
    except (Exception, KeyboardInterrupt) as error:  # whatever it was, a half-done update is not left behind
        fault = str(error) or type(error).__name__
        logger.error("{} does not work ({}); going back to {}", release.tag, fault, former)
        try:
            checkout.go_back(former)
            install(checkout.folder)
        except CompressionSubnetError as second:
            raise ConfigurationError(
                f"{release.tag} failed ({fault}) and so did going back ({second}); by hand, in {checkout.folder}: "
                f"git checkout {former} && pip install -c constraints.txt -e ."
            ) from error
        return Applied(release, former, fault)
    return Applied(release, former)


def install(folder: Path, extras: Sequence[str] = ()) -> None:
    """Install the checkout into this interpreter's environment, with the versions that its release was tested with.

    Raises:
        CompressionSubnetError: pip failed.
    """
    target = f".[{','.join(extras)}]" if extras else "."
    _run(folder, INSTALL_SECONDS, "-m", "pip", "install", "-q", "-c", "constraints.txt", "-e", target)


def try_out(folder: Path, release: Release, store: Path | None = None) -> None:
    """Check that a release can be imported, has its own version, starts, and opens a copy of ``store``.

    The record itself is not touched: a release may bring it to a form that earlier ones cannot read.

    Raises:
        CompressionSubnetError: it is not so.
    """
    said = _run(folder, TRY_SECONDS, "-c", "import compression_subnet; print(compression_subnet.__version__)").strip()
    if said != str(release):
        raise _Failed(f"tag {release.tag} holds version {said}")
    for arguments in (
        ("-m", "compression_subnet.cli", "--help"),
        ("neurons/validator.py", "--help"),
        ("neurons/miner.py", "--help"),
    ):
        _run(folder, TRY_SECONDS, *arguments)
    if store is not None and store.exists():
        with tempfile.TemporaryDirectory(dir=store.parent, prefix=".update-") as place:
            copy = Path(place) / store.name
            _copy_database(store, copy)
            _run(folder, TRY_SECONDS, "-c", _OPEN_STORE, str(copy))


def _copy_database(source: Path, copy: Path) -> None:
    """Copy a database as of one moment, also while it is written."""
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True, timeout=30)) as here,
            closing(sqlite3.connect(copy)) as there,
        ):
            here.backup(there)
    except sqlite3.Error as error:
        raise _Failed(f"{source} cannot be copied: {error}") from error


def _run(folder: Path, seconds: float, *arguments: str) -> str:
    # -B: a byte-compiled file of one release must not be found by another.
    command = (sys.executable, "-B", *arguments)
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise _Failed(f"{' '.join(arguments[:2])} did not end within {seconds:g} s") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise _Failed(f"{' '.join(arguments[:3])[:80]}: {last[0] if last else done.returncode}")
    return done.stdout
