"""A worker: a compressor that is elsewhere, and may be slow, hang or die there."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Protocol

from compression_subnet.child import Child
from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.errors import CompressorError
from compression_subnet.miner.speed import Speed
from compression_subnet.miner.work import Fault, Result, Work

__all__ = ["Ready", "Worker", "WorkerDied", "WorkerProcess", "WorkerSpec"]

# Loading a model may take long, and may download it.
_START_SECONDS: Final = 900.0


class WorkerDied(CompressorError):
    """The worker ended with work in hand."""


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """What a worker runs.

    Attributes:
        compressor: registered name, or ``module:attribute``.
        options: for its model, among them the one device of this worker.
        tokenizer: name of the tokenizer that counts budgets.
        strict: whether a result over the budget is a fault.
    """

    compressor: str
    options: CompressorOptions
    tokenizer: str
    strict: bool


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker that has started.

    Attributes:
        batches: whether several texts at a time are of use to it.
        speed: as measured on a text of a challenge's length.
    """

    batches: bool
    speed: Speed


class Worker(Protocol):
    """Does work, one batch at a time."""

    async def start(self) -> Ready:
        """Load the compressor and compress a short text.

        Raises:
            CompressorError: it cannot be found, or does not work.
        """

    async def run(self, batch: Sequence[Work]) -> tuple[list[Result], float]:
        """Return the results in order, and the seconds that they took. Whoever leaves early calls ``stop``.

        Raises:
            WorkerDied: there will be no results.
        """

    async def ended(self) -> None:
        """Wait until a started worker is no more."""

    async def stop(self) -> None:
        """End it at once, whatever it does; ``start`` starts it anew."""


class WorkerProcess:
    """A worker that is a process of its own: it takes nothing with it where it crashes, and can be ended."""

    def __init__(self, spec: WorkerSpec):
        self._spec = spec
        self._child: Child | None = None

    async def start(self) -> Ready:
        """Start the process; see ``Worker``."""
        name = self._spec.compressor
        try:
            self._child = await Child.start("compression_subnet.miner.worker")
        except OSError as error:  # too many processes, or too little memory
            raise CompressorError(f"a process for compressor {name!r} could not be started: {error}") from error
        try:
            async with asyncio.timeout(_START_SECONDS):
                told = await self._child.exchange(asdict(self._spec))
        except TimeoutError:
            await self.stop()
            raise CompressorError(f"compressor {name!r} was not ready after {_START_SECONDS:.0f} s") from None
        except BaseException:
            await self.stop()
            raise
        if told is None or not told["ready"]:
            await self.stop()
            why = told["error"] if told else "its process ended; what it printed is above"
            raise CompressorError(f"compressor {name!r} cannot be used: {why}")
        return Ready(told["batches"], Speed.measured(told["tokens"], told["seconds"]))

    async def run(self, batch: Sequence[Work]) -> tuple[list[Result], float]:
        """Have the process do ``batch``; see ``Worker``."""
        if self._child is None:
            raise WorkerDied("the worker is not running")
        try:
            told = await self._child.exchange({"batch": [(work.text, work.budget_tokens) for work in batch]})
        except json.JSONDecodeError as error:
            raise WorkerDied("the worker's answer is not readable") from error
        if told is None:
            raise WorkerDied("the worker's process ended")
        return [_result(values) for values in told["results"]], told["seconds"]

    async def ended(self) -> None:
        """Wait for the end of the process; see ``Worker``."""
        if self._child is not None:
            await self._child.ended()

    async def stop(self) -> None:
        """Kill the process; see ``Worker``."""
        child, self._child = self._child, None
        if child is not None:
            await child.stop()


def _result(values: dict[str, Any]) -> Result:
    return Result(**(values | {"fault": Fault(values["fault"]) if values["fault"] else None}))
