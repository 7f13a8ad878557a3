"""How much memory a process has in use, told through a few bytes that both sides map.

Resident memory also holds what was freed and not given back to the system, which creeps up in any process that
allocates pieces of many sizes. What is in use does not, unless something is kept.
"""

import ctypes
import mmap
import struct
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["InUse", "begin", "keep_telling", "read"]

_LAYOUT: Final = struct.Struct("<qq")
_PAUSE: Final = 0.2


@dataclass(frozen=True, slots=True)
class InUse:
    """What a process has in use.

    Attributes:
        bytes: of C's allocator: buffers, pages of SQLite, large objects of Python, and what native code keeps.
        blocks: of Python's own allocator, which serves objects of up to 512 bytes.
    """

    bytes: int
    blocks: int


class _MallInfo(ctypes.Structure):
    """``struct mallinfo2`` of the GNU C library, 2.33 and later."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
    )]  # fmt: skip


def begin(path: Path) -> None:
    """Make the file, or blank it: a process that is about to start has told nothing yet."""
    path.write_bytes(bytes(_LAYOUT.size))


def read(path: Path) -> InUse | None:
    """Return what was told last; None if nothing was, or the C library does not say."""
    in_use = InUse(*_LAYOUT.unpack(path.read_bytes()))
    return in_use if in_use.bytes else None


def keep_telling(path: Path) -> None:
    """Tell it from now on, in a thread; a map needs no room on a disk that is full."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallinfo2"):
        return
    library.mallinfo2.restype = _MallInfo
    with path.open("r+b") as file:
        shared = mmap.mmap(file.fileno(), _LAYOUT.size)

    def tell() -> None:
        while True:
            info = library.mallinfo2()
            _LAYOUT.pack_into(shared, 0, info.uordblks + info.hblkhd, sys.getallocatedblocks())
            waiting.wait(_PAUSE)

    waiting = threading.Event()
    threading.Thread(target=tell, daemon=True).start()
