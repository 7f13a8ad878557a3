"""Memory of a process that runs for months: what is freed goes back to the system."""

import ctypes
from typing import Final

__all__ = ["return_freed_memory"]

_M_MMAP_THRESHOLD: Final = -3
"""``M_MMAP_THRESHOLD`` of ``malloc.h``."""
_THRESHOLD: Final = 128 * 1024
"""glibc's own first value, in bytes."""


def return_freed_memory() -> bool:
    """Have the GNU C library give freed blocks of 128 KiB or more back at once; return whether it does.

    By default it raises that threshold as such blocks are freed. Later ones then lie among small ones that stay, and
    leave gaps: a validator's resident memory creeps up though nothing is kept. The price is a call of the system for
    each such block, so that this is not for a process that computes with large arrays.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return False  # another C library
    return bool(mallopt(_M_MMAP_THRESHOLD, _THRESHOLD))
