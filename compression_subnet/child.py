"""A module of ours in a process of its own: asked on its standard input, answering in turn, a JSON object a line."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any, Final, Self

__all__ = ["Child", "Replies", "replies"]

# More than any text, and a bound on what is read of a faulty one.
_LINE_BYTES: Final = 256 * 1024 * 1024
_STOP_SECONDS: Final = 5.0


class Child:
    """The parent's side. One exchange at a time; whoever leaves one half-way stops the child.

    Args:
        process: with pipes for standard input and output, and a session of its own.
    """

    def __init__(self, process: Process):
        self._process = process

    @classmethod
    async def start(cls, module: str, *arguments: str, log: IO[bytes] | None = None) -> Self:
        """Start ``python -P -m module``: its import path is PYTHONPATH and what is installed.

        Args:
            module: calls ``replies`` in its ``__main__``.
            arguments: its own.
            log: gets all that it prints; our own standard error where None.
        """
        return cls(
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", module, *arguments),
                stdin=PIPE,
                stdout=PIPE,
                stderr=log,
                limit=_LINE_BYTES,
                start_new_session=True,
            )
        )

    @property
    def pid(self) -> int:
        """Of the process, and of its session."""
        return self._process.pid

    async def exchange(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """Send ``message`` and return the answer; None where the process ended."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return None
        return await self.read()

    async def read(self) -> dict[str, Any] | None:
        """Return the next message; None where the process ended, or wrote what is none."""
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line.endswith(b"\n"):
            return None
        message: dict[str, Any] = json.loads(line)
        return message

    async def ended(self) -> int:
        """Wait for the end of the process, and return its status."""
        return await self._process.wait()

    async def stop(self) -> None:
        """End the process at once, whatever it does, and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        # A process that waits for a device may outlive even this; nobody waits for it.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_STOP_SECONDS):
                await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                await self._process.stdin.wait_closed()


class Replies:
    """The child's side of its answers."""

    def __init__(self, stream: IO[str]):
        self._stream = stream

    def say(self, **message: Any) -> None:
        """Send one message."""
        self._stream.write(json.dumps(message) + "\n")
        self._stream.flush()


@contextmanager
def replies() -> Iterator[Replies]:
    """Take standard output for messages; what is printed from now on goes to standard error, and garbles nothing."""
    stream = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    os.dup2(2, 1)
    with stream:
        yield Replies(stream)
