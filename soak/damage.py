"""Damaging a record's file, as disks, full disks and people do; and what must then become of it."""

import random
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Final

from compression_subnet.validator.records.archive import archive_folder

__all__ = ["DAMAGES", "damage", "digests", "forget", "keep"]

DAMAGES: Final = ("header", "page", "tail", "half", "empty", "wal")
"""The first bytes, a page, the end, half of the file, all of it, the write-ahead log."""
_PAGE: Final = 4096
_LOG_HEADERS: Final = 32 + 24
_SIDECARS: Final = ("", "-wal")


def damage(path: Path, way: str, rng: random.Random) -> None:
    """Damage the record in the file ``path``, which no process has open."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        match way:
            case "header":
                file.write(rng.randbytes(60))
            case "page":
                file.seek(rng.randrange(max(1, size // _PAGE)) * _PAGE)
                file.write(b"\xff" * _PAGE)
            case "tail":
                file.truncate(size - rng.randrange(1, _PAGE))
            case "half":
                file.truncate(size // 2)
            case "empty":
                file.truncate(0)
    log = path.with_name(path.name + "-wal")
    if way == "wal" and log.exists() and log.stat().st_size:
        with log.open("r+b") as file:
            # The first frame's page: what follows it was on disk before, and a torn end it is not.
            file.seek(_LOG_HEADERS + rng.randrange(_PAGE - 64))
            file.write(rng.randbytes(64))


def digests(path: Path) -> dict[str, str]:
    """Return the SHA-256 of a record and of its log, by what stands after the name; of those that have any content."""
    files = {suffix: path.with_name(path.name + suffix) for suffix in _SIDECARS}
    return {
        suffix: sha256(file.read_bytes()).hexdigest()
        for suffix, file in files.items()
        if file.exists() and (not suffix or file.stat().st_size)
    }


def keep(path: Path, copy: Path) -> None:
    """Copy a record with its log and its archives."""
    for suffix in _SIDECARS:
        source = path.with_name(path.name + suffix)
        if source.exists():
            shutil.copyfile(source, copy.with_name(copy.name + suffix))
    if archive_folder(path).exists():
        shutil.copytree(archive_folder(path), archive_folder(copy))


def forget(copy: Path) -> None:
    """Delete such a copy."""
    for suffix in _SIDECARS:
        copy.with_name(copy.name + suffix).unlink(missing_ok=True)
    shutil.rmtree(archive_folder(copy), ignore_errors=True)
