"""One compressor and its workers: a queue before them, batches out of it, and workers that die started anew."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from loguru import logger

from compression_subnet.errors import CompressorError
from compression_subnet.miner.batching import Job, choose_batch
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.speed import Speed
from compression_subnet.miner.tasks import all_or_none
from compression_subnet.miner.work import Fault, Result, Work
from compression_subnet.miner.worker_process import Ready, Worker, WorkerDied

__all__ = ["Lane"]

# A worker that is this much later than its last caller would wait is taken to hang.
_HANGS_AFTER_SECONDS: Final = 10.0
_FIRST_PAUSE_SECONDS: Final = 1.0
_LONGEST_PAUSE_SECONDS: Final = 60.0


class Lane:
    """A compressor that is asked for one text at a time, and works on several.

    Args:
        name: of the compressor, for logs and metrics.
        workers: that run it; started and stopped by this object.
        batch_tokens: most tokens of a batch.
        batch_wait: seconds that a free worker waits for more texts, where it takes batches.
        metrics: told of queue, batches and restarts.
        clock: monotonic, in seconds; the event loop's own.
        sleep: waits for a number of seconds.
    """

    def __init__(
        self,
        name: str,
        workers: Sequence[Worker],
        *,
        batch_tokens: int,
        batch_wait: float,
        metrics: MinerMetrics,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self.name = name
        self._workers = workers
        self._batch_tokens = batch_tokens
        self._batch_wait = batch_wait
        self._clock = clock
        self._sleep = sleep
        self._metrics = metrics
        self._waiting: list[Job] = []
        self._arrival = asyncio.Event()
        self._collecting = asyncio.Lock()
        self._speed = Speed(0.0)
        # Workers that are not free, each with the time since when.
        self._since: dict[Worker, float] = {}
        self._down: set[Worker] = set()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start all workers, side by side.

        Raises:
            CompressorError: one of them does not work; ``close`` ends the others.
        """
        for worker, one in zip(self._workers, await all_or_none(w.start() for w in self._workers), strict=True):
            self._speed = max(self._speed, one.speed, key=lambda speed: speed.seconds_per_token)
            self._tasks.append(asyncio.create_task(self._serve(worker, one), name=f"miner worker {self.name}"))
        self._metrics.ready.labels(self.name).set(self.running)

    async def run(self, work: Work, tokens: int, until: float) -> Result:
        """Return what comes of ``work``; a caller that is cancelled takes its text out of the queue.

        Args:
            work: what is to be done.
            tokens: of the text, as good as it is known.
            until: when the caller will leave, by the clock.
        """
        job = Job(work, max(1, tokens), self._clock(), until, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._arrival.set()
        self._show_queue()
        try:
            return await job.result
        finally:
            if job in self._waiting:
                self._waiting.remove(job)
                self._show_queue()

    def estimate(self, tokens: int) -> float:
        """Return how many seconds a text of ``tokens`` would take now, after those that wait before it."""
        return self._speed.seconds(tokens + self._tokens_waiting() // len(self._workers))

    def blocked_seconds(self) -> float:
        """Return for how long no worker has been free: 0 where one is."""
        since = list(self._since.values())
        return self._clock() - max(since) if len(since) == len(self._workers) else 0.0

    @property
    def running(self) -> int:
        """How many workers run."""
        return len(self._tasks) - len(self._down)

    async def watch(self) -> None:
        """Wait for ever; raise what ends the care for a worker, which would be a bug."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()

    async def close(self) -> None:
        """End all workers at once; whoever still waits gets a CompressorError."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for job in self._waiting:
            if not job.result.done():
                job.result.set_exception(CompressorError("the miner is shutting down"))
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    async def _serve(self, worker: Worker, ready: Ready) -> None:
        """Give ``worker`` batches for ever, and start it anew whenever it dies."""
        while True:
            batch: list[Job] = []
            try:
                batch = await self._next_batch(worker, ready.batches)
                await self._work(worker, batch)
            except WorkerDied as error:
                logger.error("a worker of compressor {} is gone: {}; starting it anew", self.name, error)
                for job in batch:
                    _settle(job, Result(fault=Fault.CRASHED, detail=str(error)))
                ready = await self._revived(worker)
            except asyncio.CancelledError:
                for job in batch:
                    if not job.result.done():
                        job.result.set_exception(CompressorError("the miner is shutting down"))
                raise
            finally:
                self._since.pop(worker, None)

    async def _next_batch(self, worker: Worker, batches: bool) -> list[Job]:
        """Wait for a batch.

        Raises:
            WorkerDied: the worker ended while it had nothing to do.
        """
        collecting = asyncio.create_task(self._collect(worker, batches))
        ended = asyncio.create_task(worker.ended())
        try:
            await asyncio.wait({collecting, ended}, return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                raise WorkerDied("it ended while it had nothing to do")
            return collecting.result()
        except BaseException:
            if collecting.done():  # at the same moment: another worker's now
                self._waiting[:0] = collecting.result()
                self._arrival.set()
            raise
        finally:
            collecting.cancel()
            ended.cancel()
            await asyncio.wait({collecting, ended})

    async def _collect(self, worker: Worker, batches: bool) -> list[Job]:
        # One worker at a time, so that a batch is not torn.
        async with self._collecting:
            while True:
                await self._arrived(1)
                if not batches:
                    return self._taken(worker, 0)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._waiting[0].arrived + self._batch_wait - self._clock()):
                        await self._arrived(self._batch_tokens)
                if self._waiting:  # their callers may have left
                    # Split among those that are free, so that no device idles beside a full one.
                    free = max(1, len(self._workers) - len(self._since))
                    return self._taken(worker, min(self._batch_tokens, -(-self._tokens_waiting() // free)))

    def _taken(self, worker: Worker, budget: int) -> list[Job]:
        self._since[worker] = self._clock()
        batch = choose_batch(self._waiting, budget=budget, now=self._clock(), speed=self._speed)
        del self._waiting[: len(batch)]
        self._show_queue()
        return batch

    def _tokens_waiting(self) -> int:
        return sum(job.tokens for job in self._waiting)

    async def _arrived(self, tokens: int) -> None:
        """Wait until so many tokens wait."""
        while self._tokens_waiting() < tokens:
            self._arrival.clear()
            await self._arrival.wait()

    async def _work(self, worker: Worker, batch: Sequence[Job]) -> None:
        self._metrics.batch.labels(self.name).observe(len(batch))
        patience = max(job.until for job in batch) - self._clock() + _HANGS_AFTER_SECONDS
        try:
            async with asyncio.timeout(patience):
                results, seconds = await worker.run([job.work for job in batch])
        except TimeoutError:
            raise WorkerDied(f"it did not answer within {patience:.0f} s") from None
        self._speed = self._speed.after(sum(job.tokens for job in batch), seconds)
        for job, result in zip(batch, results, strict=True):
            _settle(job, result)

    async def _revived(self, worker: Worker) -> Ready:
        """Start ``worker`` anew, however often that takes."""
        pause = _FIRST_PAUSE_SECONDS
        self._since.setdefault(worker, self._clock())
        self._down.add(worker)
        self._metrics.ready.labels(self.name).set(self.running)
        while True:
            await worker.stop()
            try:
                ready = await worker.start()
            except CompressorError as error:
                logger.error("compressor {} does not start ({}); trying again in {:.0f} s", self.name, error, pause)
                await self._sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
                continue
            self._metrics.restarts.labels(self.name).inc()
            self._down.discard(worker)
            self._metrics.ready.labels(self.name).set(self.running)
            logger.info("a worker of compressor {} runs again", self.name)
            return ready

    def _show_queue(self) -> None:
        self._metrics.queue.labels(self.name).set(len(self._waiting))


def _settle(job: Job, result: Result) -> None:
    if not job.result.done():
        job.result.set_result(result)
