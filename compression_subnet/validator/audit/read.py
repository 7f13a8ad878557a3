"""Reading a published record: nothing in it is used before its signature and digests hold."""

import contextlib
import gzip
import hashlib
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from compression_subnet.errors import AuditError, StoreError
from compression_subnet.transport.statements import statement_is_signed
from compression_subnet.validator.audit.manifest import FORMAT, Manifest, Part, parse_manifest, parse_signature
from compression_subnet.validator.records.archive import archive_path, read_archive, restore
from compression_subnet.validator.records.record import Record, open_record

__all__ = ["Audit", "is_audit", "open_audit"]

MAX_HEAD_BYTES: Final = 1 << 20
MAX_PART_BYTES: Final = 4 << 30
"""Of one round, unpacked: 256 miners and 183 challenges make some 600 MB."""
MAX_LINE_BYTES: Final = 64 << 20
_CHUNK: Final = 1 << 20
_SQLITE: Final = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Audit:
    """A published record that is whole and signed: what is in it, and the record made of it."""

    manifest: Manifest
    record: Record


def is_audit(path: Path) -> bool:
    """Whether a file is a published record, as opposed to a validator's own.

    Raises:
        StoreError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) != _SQLITE
    except OSError as error:
        raise StoreError(f"{path} cannot be read ({error.strerror}); name a readable file") from error


@contextmanager
def open_audit(path: Path) -> Iterator[Audit]:
    """Check a published record, and open what is in it for as long as the context lasts.

    Raises:
        AuditError: a byte of it was altered, it is cut off, or its hotkey did not sign it.
        StoreError: it cannot be read, or there is no room to unpack it.
    """
    with tempfile.TemporaryDirectory(prefix="compression-subnet-audit-") as name:
        folder = Path(name)
        try:
            with path.open("rb") as file:
                manifest = _head(file)
                parts = [_unpack(file, part, folder) for part in manifest.parts]
                if file.read(1):
                    raise AuditError("there are bytes behind the last part: the file was altered")
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error}") from error
        restored = folder / "record.sqlite"
        try:
            restore(parts, restored)
        except (StoreError, sqlite3.Error, LookupError, TypeError, ValueError) as error:
            raise AuditError(f"the rows are signed, and make no record: {error}") from error
        with open_record(restored) as record:
            yield Audit(manifest, record)


def _head(file: BinaryIO) -> Manifest:
    """Return the manifest of a file, once its signature holds."""
    line, second = (_line(file) for _ in range(2))
    manifest, signature = parse_manifest(line), parse_signature(second)
    if not statement_is_signed(manifest.hotkey, FORMAT, line, signature):
        raise AuditError(f"the signature is not {manifest.hotkey}'s over this manifest: one of them was altered")
    if len({part.round for part in manifest.parts}) < len(manifest.parts):
        raise AuditError("the manifest names a round twice")
    return manifest


def _line(file: BinaryIO) -> bytes:
    line = file.readline(MAX_HEAD_BYTES)
    if not line.endswith(b"\n"):
        raise AuditError("the file has no manifest and signature in its first two lines: it is no audit file, or cut")
    return line[:-1]


def _unpack(file: BinaryIO, part: Part, folder: Path) -> Path:
    """Return a part as a file of its own, once its digest holds and it is the archive that the manifest says."""
    path = archive_path(folder, part.round)
    digest, left = hashlib.sha256(), part.bytes
    with path.open("wb") as target:
        while left > 0 and (data := file.read(min(left, _CHUNK))):
            digest.update(data)
            target.write(data)
            left -= len(data)
    if left or digest.hexdigest() != part.sha256:
        raise AuditError(f"the part of round {part.round} was altered or is cut off: its SHA-256 is another")
    _check_size(path, part.round)
    try:
        archive = read_archive(path)
    except StoreError as error:
        raise AuditError(f"the part of round {part.round} is signed, and no archive: {error}") from error
    if archive.number != part.round:
        raise AuditError(f"the part of round {part.round} holds round {archive.number}")
    return path


def _check_size(path: Path, number: int) -> None:
    """Check that a part unpacks to what a round may take, before anything reads it whole."""
    total = in_line = 0
    with (
        contextlib.suppress(EOFError, gzip.BadGzipFile, zlib.error),
        gzip.open(path) as packed,
    ):  # read_archive reports those
        while data := packed.read(_CHUNK):
            total += len(data)
            newline = data.rfind(b"\n")
            in_line = in_line + len(data) if newline < 0 else len(data) - newline - 1
            if total > MAX_PART_BYTES or in_line > MAX_LINE_BYTES:
                raise AuditError(f"the part of round {number} unpacks to more than any round takes")
