"""Checks of this machine: key files, the tokenizer, the disk."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from compression_subnet.doctor.check import Check, fail, ok, skipped, warn
from compression_subnet.errors import CompressionSubnetError

__all__ = ["check_coldkey", "check_disk", "check_tokenizer", "check_wallet"]

_GIB: Final = 2**30
_LITTLE: Final = 5 * _GIB
_TOO_LITTLE: Final = 1 * _GIB


def check_wallet(file: Path, problem: str) -> Check:
    """Whether the hotkey's file can be used, and by nobody else.

    Args:
        file: the hotkey's file.
        problem: why it could not be loaded, empty where it could.
    """
    if problem:
        return fail("wallet", "the hotkey cannot be used", problem)
    others = _open_to_others(file)
    if others:
        return warn("wallet", f"{file} can be read by others (mode {others})", f"chmod 600 {file}")
    return ok("wallet", f"{file}, readable by its owner alone")


def check_coldkey(file: Path) -> Check:
    """Whether a coldkey lies here where others can read it; a neuron never needs one."""
    if not file.is_file():
        return ok("coldkey", "not on this machine, where it is not needed")
    others = _open_to_others(file)
    if others:
        return warn("coldkey", f"{file} can be read by others (mode {others})", f"move it to another machine: {file}")
    return ok("coldkey", f"{file} is here; a neuron does not need it")


def check_tokenizer(load: Callable[[], str]) -> Check:
    """Whether the pinned tokenizer is the published one.

    Args:
        load: loads it and returns its SHA-256, or raises ``TokenizerError``.
    """
    try:
        return ok("tokenizer", f"SHA-256 {load()[:12]}…, as published")
    except CompressionSubnetError as error:
        return fail("tokenizer", str(error), "pip install --force-reinstall bpe-openai")
    except ImportError as error:
        return fail("tokenizer", str(error), "pip install bpe-openai")


def check_disk(folder: Path, free: Callable[[Path], int]) -> Check:
    """Whether there is room for records and logs.

    Args:
        folder: where they go; it need not exist yet.
        free: returns the free bytes at a path that exists.
    """
    place = folder.expanduser().absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        left = free(place)
    except OSError as error:
        return skipped("disk", f"{place}: {error.strerror or error}")
    detail = f"{left / _GIB:.1f} GiB free at {place}"
    if not os.access(place, os.W_OK):
        return fail("disk", f"{place} cannot be written", "choose a folder that this user owns")
    if left < _TOO_LITTLE:
        return fail("disk", detail, "free at least 1 GiB, or move neuron.store and logging.logging_dir")
    if left < _LITTLE:
        return warn("disk", detail, "free at least 5 GiB: records and logs grow by the day")
    return ok("disk", detail)


def _open_to_others(file: Path) -> str:
    """Return the file's mode, in octal, where others than its owner have any right to it, else nothing."""
    mode = stat.S_IMODE(file.stat().st_mode)
    return f"{mode:o}" if mode & 0o077 else ""
