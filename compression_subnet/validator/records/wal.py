"""Whether a write-ahead log was damaged, which SQLite does not tell: it reads up to the first bad frame, and stops.

A process that is killed, or a power cut, leaves a torn end: frames of one transaction that was never committed. Where
whole transactions follow a bad frame, they had been on disk before it went bad, and reading on would lose them.

The format is that of https://www.sqlite.org/fileformat2.html#the_write_ahead_log: a header of 32 bytes, then frames,
each of 24 bytes and a page. Checksums run on from one frame to the next, so a frame can be checked from the one before
it alone.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

__all__ = ["logged_pages", "wal_damage"]

HEADER_BYTES: Final = 32
FRAME_BYTES: Final = 24
MAGIC: Final = {0x377F0682: "<", 0x377F0683: ">"}
"""The two that there are, with the byte order of the checksums."""

_MASK: Final = 0xFFFFFFFF


def wal_damage(path: Path) -> str | None:
    """Return what is wrong with the log in the file ``path``, or None; one that is not there is fine.

    Raises:
        OSError: it cannot be read.
    """
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    with file:
        header = file.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return None  # it was being made
        magic, _, page_bytes, _, *salts_and_sums = struct.unpack(">8I", header)
        order = MAGIC.get(magic)
        if order is None or _checksum(header[:24], order, (0, 0)) != tuple(salts_and_sums[2:]):
            # The header is on disk before the first frame is written.
            return "the header of its write-ahead log is bad" if file.read(1) else None
        return _damage_in_frames(file, order, page_bytes, tuple(salts_and_sums[:2]), tuple(salts_and_sums[2:]))


def logged_pages(path: Path) -> frozenset[int]:
    """Return the numbers of the pages that whole transactions of the sound log in the file ``path`` hold.

    Raises:
        OSError: it cannot be read.
    """
    committed: set[int] = set()
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return frozenset()
    with file:
        header = file.read(HEADER_BYTES)
        if len(header) < HEADER_BYTES:
            return frozenset()
        magic, _, page_bytes, _, *salts_and_sums = struct.unpack(">8I", header)
        salts, sums = tuple(salts_and_sums[:2]), tuple(salts_and_sums[2:])
        begun: set[int] = set()
        for pages, frame_salts, stored, body in _frames(file, page_bytes):
            if frame_salts != salts or _checksum(body, MAGIC[magic], sums) != stored:
                break
            begun.add(int.from_bytes(body[:4], "big"))
            if pages:
                committed |= begun
                begun = set()
            sums = stored
    return frozenset(committed)


def _damage_in_frames(
    file: BinaryIO, order: str, page_bytes: int, salts: tuple[int, ...], sums: tuple[int, ...]
) -> str | None:
    bad: int | None = None
    commits = 0
    for number, (pages, frame_salts, stored, body) in enumerate(_frames(file, page_bytes), 1):
        # Frames of an earlier, longer log, which may stand at the end, have other salts.
        good = frame_salts == salts and _checksum(body, order, sums) == stored
        if bad is None:
            bad = None if good else number
        elif good and pages:
            commits += 1
        # The first commit after a bad frame may be of the very transaction that was torn; a second cannot.
        if bad is not None and commits > 1:
            return f"frame {bad} of its write-ahead log is bad, and whole transactions follow it"
        sums = stored
    return None


def _frames(file: BinaryIO, page_bytes: int) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...], bytes]]:
    """Yield, for each whole frame: the database's pages if it commits or 0, the salts, the checksum, and its input."""
    while len(frame := file.read(FRAME_BYTES + page_bytes)) == FRAME_BYTES + page_bytes:
        _, pages, *rest = struct.unpack(">6I", frame[:FRAME_BYTES])
        yield pages, tuple(rest[:2]), tuple(rest[2:]), frame[:8] + frame[FRAME_BYTES:]


def _checksum(data: bytes, order: str, start: tuple[int, ...]) -> tuple[int, int]:
    """Return SQLite's checksum of ``data``, whose length is a multiple of 8, going on from ``start``."""
    first, second = start
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for a, b in zip(words, words, strict=True):
        first = (first + a + second) & _MASK
        second = (second + b + first) & _MASK
    return first, second
