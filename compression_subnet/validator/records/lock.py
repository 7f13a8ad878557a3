"""One validator a record: a second one on the same file would take the first one's round for a dropped one."""

import contextlib
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from compression_subnet.errors import StoreError

__all__ = ["sole_owner"]


@contextmanager
def sole_owner(path: Path) -> Iterator[None]:
    """Hold the record ``path`` for this process, as long as the context lasts or the process lives.

    The lock is on an empty file beside the record, which stays there: on the record itself it would disturb SQLite's
    own, and a file that comes and goes could be locked twice. The system drops it when the process ends, however
    it does.

    Raises:
        StoreError: another process holds it, or the file beside the record cannot be made.
    """
    lock = path.with_name(f"{path.name}.lock")
    try:
        handle = lock.open("ab")
    except OSError as error:
        raise StoreError(f"{lock} cannot be made: {error.strerror}; check the folder and its permissions") from error
    with contextlib.closing(handle):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(
                f"{path} is in use by another validator; stop that one, or name another file with --neuron.store"
            ) from None
        yield
