"""The validator's process: its own script, on a machine whose clock and disk the harness commands.

Commands are lines of JSON on standard input: ``{"clock": SECONDS}`` puts the clock wrong by so much, ``{"disk":
"ok" | "full" | "failing"}`` fills or breaks the disk. Where the input ends, the harness is gone, and so is this.
"""

import json
import os
import resource
import runpy
import shutil
import signal
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from soak import meter

__all__ = ["Machine", "main"]

SCRIPT: Final = Path(__file__).parents[1] / "neurons" / "validator.py"
_MOST_PAGES: Final = 2**30
_NOTHING: Final = 1
"""Bytes that a file may have where every write is to fail."""


class Machine:
    """What the harness commands."""

    def __init__(self) -> None:
        self.clock = 0.0
        self.full = False

    def obey(self, command: dict[str, Any]) -> None:
        """Carry a command out."""
        self.clock = float(command.get("clock", self.clock))
        disk = command.get("disk")
        if disk is not None:
            self.full = disk == "full"
            hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
            resource.setrlimit(resource.RLIMIT_FSIZE, (_NOTHING if disk == "failing" else hard, hard))

    def take_over(self) -> None:
        """Put this machine in the place of the real one, before anything of the validator is imported."""
        now, now_ns, usage, statvfs = time.time, time.time_ns, shutil.disk_usage, os.statvfs
        # By attributes of modules that the type checker takes for constants.
        patches: dict[Any, dict[str, Any]] = {
            time: {
                "time": lambda: now() + self.clock,
                "time_ns": lambda: now_ns() + int(self.clock * 1e9),
            },
            shutil: {"disk_usage": lambda path: usage(path)._replace(free=0) if self.full else usage(path)},
            os: {"statvfs": lambda path: self._filled(statvfs(path))},
            sqlite3: {"connect": self._connecting(sqlite3.connect)},
        }
        for module, replaced in patches.items():
            for name, value in replaced.items():
                setattr(module, name, value)

    def _filled(self, found: os.statvfs_result) -> os.statvfs_result:
        if not self.full:
            return found
        fields = list(found)
        fields[3] = fields[4] = 0  # f_bfree, f_bavail
        return os.statvfs_result(fields)

    def _connecting(self, connect: Any) -> Any:
        machine = self

        class Connection(sqlite3.Connection):
            """A connection whose file cannot grow while the disk is full: SQLite itself then finds it so."""

            limited = False

            def _limit(self) -> None:
                if machine.full == self.limited:
                    return
                self.limited = machine.full
                most = super().execute("PRAGMA page_count").fetchone()[0] if machine.full else _MOST_PAGES
                super().execute(f"PRAGMA max_page_count = {most}").fetchone()

            def execute(self, *arguments: Any) -> sqlite3.Cursor:
                self._limit()
                return super().execute(*arguments)

            def executemany(self, *arguments: Any) -> sqlite3.Cursor:
                self._limit()
                return super().executemany(*arguments)

            def executescript(self, *arguments: Any) -> sqlite3.Cursor:
                self._limit()
                return super().executescript(*arguments)

        def opened(*arguments: Any, **named: Any) -> Any:
            return connect(*arguments, **{"factory": Connection, **named})

        return opened


def main(memory: Path, flags: list[str]) -> None:
    """Run the validator with these flags, and tell through ``memory`` what it has in use."""
    meter.keep_telling(memory)
    machine = Machine()
    machine.take_over()

    def listen() -> None:
        for line in sys.stdin:
            machine.obey(json.loads(line))
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=listen, daemon=True).start()
    sys.argv = [str(SCRIPT), *flags]
    runpy.run_path(str(SCRIPT), run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
