"""The validator's process seen from outside: started, killed, started again, and measured."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from soak import meter

__all__ = ["Footprint", "Supervisor"]

STOP_SECONDS: Final = 15.0
"""SIGTERM ends a validator within ten."""
_TAIL_BYTES: Final = 4_000


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a process holds: resident memory in bytes, open file descriptors, and what of the memory is in use."""

    resident: int
    descriptors: int
    in_use: meter.InUse | None


class Supervisor:
    """Keeps one validator running. Everything that it prints is appended to ``log``.

    Args:
        command: the program and its flags.
        log: file for all that it prints.
        memory: file through which it tells what it has in use.
        environment: added to ours.
    """

    def __init__(self, command: Sequence[str], log: Path, memory: Path, environment: Mapping[str, str]):
        self._command = command
        self._log = log
        self._memory = memory
        self._environment = environment
        self._machine: dict[str, Any] = {}
        self._process: asyncio.subprocess.Process | None = None
        self.starts = 0

    async def start(self) -> None:
        """Start it; what was last commanded of its machine still holds."""
        meter.begin(self._memory)
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "soak.child",
                str(self._memory),
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=log,
                stderr=log,
                env={**os.environ, **self._environment},
                cwd=Path(__file__).parents[1],
                start_new_session=True,
            )
        self.starts += 1
        if self._machine:
            await self.command(**self._machine)

    async def command(self, **machine: Any) -> None:
        """Tell its machine something (see ``soak.child``)."""
        self._machine |= machine
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.write(json.dumps(self._machine).encode() + b"\n")
                await self._process.stdin.drain()

    @property
    def status(self) -> int | None:
        """Its exit status, or None while it runs."""
        return None if self._process is None else self._process.returncode

    async def kill(self) -> None:
        """End it at this very moment."""
        await self._end(signal.SIGKILL)

    async def stop(self) -> bool:
        """Tell it to end; return whether it did in time, by itself. It has ended in any case."""
        try:
            async with asyncio.timeout(STOP_SECONDS):
                await self._end(signal.SIGTERM)
        except TimeoutError:
            await self.kill()
            return False
        return True

    def footprint(self) -> Footprint | None:
        """Return what it holds; None where it has ended, or the system has no ``/proc``."""
        folder = Path(f"/proc/{self._process.pid}") if self._process is not None else None
        if folder is None or self.status is not None:
            return None
        try:
            pages = int((folder / "statm").read_text().split()[1])
            descriptors = len(list((folder / "fd").iterdir()))
            return Footprint(pages * os.sysconf("SC_PAGE_SIZE"), descriptors, meter.read(self._memory))
        except OSError:
            return None

    def tail(self) -> str:
        """Return the end of its log."""
        return self._log.read_bytes()[-_TAIL_BYTES:].decode(errors="replace") if self._log.exists() else ""

    async def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                # Its session's group: what it started goes with it.
                os.killpg(self._process.pid, number)
        await self._process.wait()
