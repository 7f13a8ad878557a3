"""Asking a compressor in a process of its own, under a deadline that holds whatever it does."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from compression_subnet.child import Child
from compression_subnet.errors import CompressorError
from compression_subnet.text import Tokenizer

__all__ = ["Compressed", "CompressorProcess"]

# Loading a model may take long, and is no part of a reply's time.
_START_SECONDS: Final = 900.0


@dataclass(frozen=True, slots=True)
class Compressed:
    """What came of one text.

    Attributes:
        text: the reply; None where there is none.
        seconds: that compressing took, or that it was waited for.
        peak_bytes: most memory that the process has had.
        error: what the compressor's error said; empty without one.
        late: whether the deadline passed.
    """

    text: str | None
    seconds: float
    peak_bytes: int | None
    error: str = ""
    late: bool = False


class CompressorProcess:
    """A compressor in a process of its own; use it as an async context manager.

    A process that is late is killed and started anew for the next text, which costs that text nothing.

    Args:
        name: of the compressor.
        tokenizer: the pinned one.
        deadline: of one text, in seconds.
        log: file to which what it prints is appended.

    Raises:
        CompressorError: on entering: the compressor cannot be found, or fails on a first, short text.
    """

    def __init__(self, name: str, tokenizer: Tokenizer, deadline: float, log: Path):
        self._name = name
        self._tokenizer = tokenizer
        self._deadline = deadline
        self._log = log
        self._child: Child | None = None
        self.fingerprint = ""

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def compress(self, text: str, tokens: int) -> Compressed:
        """Return what the compressor makes of ``text`` within ``tokens``.

        Raises:
            CompressorError: it could not be started again after it was late or died.
        """
        if self._child is None:
            await self._start()
        assert self._child is not None
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            async with asyncio.timeout(self._deadline):
                message = await self._child.exchange({"text": text, "tokens": tokens})
        except TimeoutError:
            await self._stop()
            return Compressed(None, clock() - started, None, late=True)
        if message is None:
            await self._stop()
            return Compressed(None, clock() - started, None, f"its process ended; see {self._log.name}")
        return Compressed(message.get("text"), message["seconds"], message["peak"], message.get("error", ""))

    async def _start(self) -> None:
        with self._log.open("ab") as log:
            self._child = await Child.start(
                "compression_subnet.benchmark.worker", self._name, self._tokenizer.name, log=log
            )
        try:
            async with asyncio.timeout(_START_SECONDS):
                message = await self._child.read()
        except TimeoutError:
            message = {"ready": False, "error": f"it was not ready after {_START_SECONDS:.0f} s"}
        except BaseException:
            await self._stop()
            raise
        if message is None or not message["ready"]:
            await self._stop()
            why = message["error"] if message else f"its process ended; see {self._log}"
            raise CompressorError(f"compressor {self._name!r} cannot be used: {why}")
        self.fingerprint = message["fingerprint"]

    async def _stop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.stop()
