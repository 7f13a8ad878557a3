"""From a request to a compressed text, in time and within the budget, whatever the compressor does."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Final

from loguru import logger

from compression_subnet.errors import CompressorError
from compression_subnet.miner.lane import Lane
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.tasks import all_or_none
from compression_subnet.miner.work import Fault, Result, Work
from compression_subnet.protocol import CompressionSynapse

__all__ = ["Answerer"]

# Kept back of a request's deadline for the way to the validator: this share, or this long.
_DELIVERY_SHARE: Final = 0.1
_DELIVERY_SECONDS: Final = 1.0
# What the later compressors will take is known from measurement: so many times that is kept back for each, and at
# least this long or this share of the time, but never more than half of the time for all of them.
_SAFETY: Final = 2.0
_LEAST_SECONDS: Final = 0.25
_LEAST_SHARE: Final = 0.05
_MOST_SHARE: Final = 0.5
# A token rarely has more bytes of UTF-8: by this a text is no longer than it seems, whatever its budget says.
_BYTES_PER_TOKEN: Final = 8
# Each text has costs of its own: a shorter one counts as this.
_LEAST_TOKENS: Final = 256


class Answerer:
    """Asks a chain of compressors, each in the time that those after it do not need.

    Args:
        lanes: the compressor, and those that replace it where it fails or is late, cheaper and cheaper.
        metrics: told of tokens and of what fell back.
        clock: monotonic, in seconds; the event loop's own.
    """

    def __init__(self, lanes: Sequence[Lane], metrics: MinerMetrics, *, clock: Callable[[], float] = time.monotonic):
        self._lanes = lanes
        self._metrics = metrics
        self._clock = clock
        self._tokens = 0  # of all texts under way: they may all fall back at the same moment

    async def start(self) -> None:
        """Start all compressors, side by side.

        Raises:
            CompressorError: one of them does not work.
        """
        await all_or_none(lane.start() for lane in self._lanes)

    async def watch(self) -> None:
        """Wait for ever; raise what goes wrong in the care for workers, which would be a bug."""
        await all_or_none(lane.watch() for lane in self._lanes)

    async def answer(self, request: CompressionSynapse, seconds: float) -> str:
        """Return the compressed text of ``request``: never over its budget where the workers are strict.

        Args:
            request: with the tokenizer that the workers count with.
            seconds: what is left of the request's deadline.

        Raises:
            CompressorError: no compressor could do it.
            TimeoutError: none did it in time.
        """
        deadline = self._clock() + seconds - min(_DELIVERY_SECONDS, _DELIVERY_SHARE * seconds)
        # Exact where the validator keeps to the protocol; a bound where it asks for less than the text has.
        stated = request.budget_tokens * 100 // request.level
        bound = len(request.text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN
        tokens = max(stated, bound, _LEAST_TOKENS)
        self._tokens += tokens
        try:
            return await self._first_good(request, tokens, deadline)
        finally:
            self._tokens -= tokens

    def blocked_seconds(self) -> float:
        """Return for how long no worker of the first compressor has been free: 0 where one is."""
        return self._lanes[0].blocked_seconds()

    def running(self) -> bool:
        """Whether the first compressor has a worker that runs."""
        return self._lanes[0].running > 0

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(lane.close() for lane in self._lanes))

    async def _first_good(self, request: CompressionSynapse, tokens: int, deadline: float) -> str:
        work = Work(request.text, request.budget_tokens)
        faults: list[Fault] = []
        for index, lane in enumerate(self._lanes):
            result = await self._ask(lane, self._lanes[index + 1 :], work, tokens, deadline)
            if result.fault is None:
                self._metrics.answered(result.tokens_in, result.tokens_out)
                return result.text
            faults.append(result.fault)
            self._metrics.fell_back(lane.name, result.fault)
            logger.warning(
                "challenge {}: compressor {}: {} {}", request.challenge_id, lane.name, result.fault, result.detail
            )
        if Fault.EMPTY in faults:
            return ""  # nothing fits, as it seems: a reply, though one that scores 0
        if set(faults) <= {Fault.LATE, Fault.SKIPPED}:
            raise TimeoutError
        raise CompressorError("no compressor could do it")

    async def _ask(self, lane: Lane, later: Sequence[Lane], work: Work, tokens: int, deadline: float) -> Result:
        now = self._clock()
        left = max(0.0, deadline - now)
        least = min(_LEAST_SECONDS, _LEAST_SHARE * left)
        reserved = sum(max(least, _SAFETY * one.estimate(self._tokens)) for one in later)
        until = deadline - min(reserved, _MOST_SHARE * left)
        if not left:
            return Result(fault=Fault.LATE)
        # The last is tried in any case, the first as well: what it did before may not be what it does now.
        if later and lane is not self._lanes[0] and now + lane.estimate(tokens) > until:
            return Result(fault=Fault.SKIPPED)
        try:
            async with asyncio.timeout(until - now):
                return await lane.run(work, tokens, until)
        except TimeoutError:
            return Result(fault=Fault.LATE)
