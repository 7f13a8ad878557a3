"""Replies that a broken-off run has already: one JSON object a line, appended as they come."""

import hashlib
import json
from pathlib import Path
from types import TracebackType
from typing import Self

from compression_subnet.benchmark.process import Compressed
from compression_subnet.errors import ConfigurationError

__all__ = ["ReplyJournal", "reply_key"]


def reply_key(compressor: str, fingerprint: str, text: str, tokens: int, deadline: float) -> str:
    """Return the key of a reply: all that it depends on, hashed."""
    parts = (compressor, fingerprint, text, str(tokens), str(deadline))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


class ReplyJournal:
    """The journal in the file ``path``, made where there is none; use it as a context manager.

    A last line that was cut off, as by a lost power, is passed over, and so asked again.

    Raises:
        ConfigurationError: the file cannot be read or written.
    """

    def __init__(self, path: Path):
        self._path = path
        self._known: dict[str, Compressed] = {}
        try:
            if path.exists():
                for line in path.read_bytes().splitlines():
                    self._take(line)
            self._file = path.open("ab")
            if path.stat().st_size and not path.read_bytes().endswith(b"\n"):
                self._file.write(b"\n")
        except OSError as error:
            raise ConfigurationError(f"{path} cannot be used ({error.strerror}); name another --out") from error

    def find(self, key: str) -> Compressed | None:
        """Return what is known under ``key``; None where nothing is."""
        return self._known.get(key)

    def keep(self, key: str, reply: Compressed) -> None:
        """Keep a reply under ``key``."""
        self._known[key] = reply
        record = [key, reply.text, reply.seconds, reply.peak_bytes, reply.error, reply.late]
        self._file.write(json.dumps(record).encode() + b"\n")
        self._file.flush()

    def remove(self) -> None:
        """Remove the file: the run is complete."""
        self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def _take(self, line: bytes) -> None:
        try:
            key, text, seconds, peak, error, late = json.loads(line)
        except (ValueError, TypeError):
            return
        self._known[key] = Compressed(text, seconds, peak, error, late)
