"""The demo's processes: started in a session of their own, watched, and stopped whatever happens."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from compression_subnet.errors import CompressionSubnetError

__all__ = ["Process", "ProcessFailed"]

STOP_SECONDS: Final = 10.0
POLL_SECONDS: Final = 0.05
TAIL_LINES: Final = 15


class ProcessFailed(CompressionSubnetError):
    """One of the demo's processes ended, or was not ready in time; the message holds the end of its log."""


class Process:
    """A child process that logs to a file; use it as an async context manager, which stops it at the end.

    Args:
        name: for messages.
        command: the program and its arguments.
        log: file for all that it prints.
        environment: added to ours.
    """

    def __init__(self, name: str, command: Sequence[str], log: Path, environment: dict[str, str]):
        self.name = name
        self._command = command
        self._log = log
        self._environment = environment
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        with self._log.open("wb") as log:
            # A session of its own: Ctrl-C reaches us alone, and we stop the others in their order.
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self._environment},
                start_new_session=True,
            )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Shielded: a second Ctrl-C must not leave a process behind.
        await asyncio.shield(self._stop())

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process is not None and self._process.returncode is None

    async def ready(self, mark: str, seconds: float) -> str:
        """Wait for a line of the log that begins with ``mark``, and return what follows on it.

        Raises:
            ProcessFailed: the process ended, or ``seconds`` passed.
        """
        async for _ in _until(seconds):
            for line in self._lines():
                if line.startswith(mark):
                    return line.removeprefix(mark).strip()
            self.check()
        raise ProcessFailed(f"{self.name} was not ready within {seconds:.0f} s\n{self.tail()}")

    async def ended(self) -> int:
        """Wait for the end, and return the exit status."""
        if self._process is None:
            raise ProcessFailed(f"{self.name} was never started")
        return await self._process.wait()

    def check(self) -> None:
        """Raise ProcessFailed if the process has ended."""
        if not self.running:
            status = self._process.returncode if self._process else None
            raise ProcessFailed(f"{self.name} ended with status {status}\n{self.tail()}")

    def tail(self) -> str:
        """Return the last lines of the log."""
        return "\n".join(self._lines()[-TAIL_LINES:])

    def last_line(self) -> str:
        """Return the message of the log's last line; empty where there is none."""
        lines = self._lines()
        return lines[-1].rpartition(" | ")[2] if lines else ""

    def _lines(self) -> list[str]:
        return self._log.read_text(encoding="utf-8", errors="replace").splitlines()

    async def _stop(self) -> None:
        if self._process is None or not self.running:
            return
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                # The session's leader names its group: what it started goes with it.
                os.killpg(self._process.pid, number)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_SECONDS):
                    await self._process.wait()
                return


async def _until(seconds: float) -> AsyncIterator[None]:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        yield
        await asyncio.sleep(POLL_SECONDS)
