"""An event loop whose clock jumps to whatever is due next, and workers that take as long as they are told."""

import asyncio
import selectors

from compression_subnet.miner.speed import Speed
from compression_subnet.miner.work import Fault, Result
from compression_subnet.miner.worker_process import Ready, WorkerDied


class _Selector(selectors.SelectSelector):
    def __init__(self, loop):
        super().__init__()
        self.loop = loop

    def select(self, timeout=None):
        events = super().select(0)
        if not events:
            assert timeout is not None, "nothing would ever happen again"
            self.loop.now += timeout
        return events


class SimulatedLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.now = 1000.0
        super().__init__(_Selector(self))

    def time(self):
        return self.now


def simulate(work):
    """Run a coroutine in simulated time; everything else of asyncio is as it is."""
    with asyncio.Runner(loop_factory=SimulatedLoop) as runner:
        return runner.run(work)


class Script:
    """What a worker does: ``seconds`` a text, and with some texts something else.

    Args:
        seconds: of one text.
        faults: by text: a Fault, or ``crash`` or ``hang``.
        batches: whether it takes batches.
        starts: how many starts fail after the first.
    """

    def __init__(self, seconds, faults=(), *, batches=False, starts=0, name="it"):
        self.seconds = seconds
        self.faults = dict(faults)
        self.batches = batches
        self.failing_starts = starts
        self.name = name
        self.started = 0
        self.batch_sizes = []
        self.gone = None

    async def start(self):
        self.started += 1
        await asyncio.sleep(0.5)
        if 1 < self.started <= 1 + self.failing_starts:
            raise WorkerDied("not yet")
        self.gone = asyncio.Event()
        return Ready(self.batches, Speed.measured(800, self.seconds))

    async def run(self, batch):
        self.batch_sizes.append(len(batch))
        assert self.batches or len(batch) == 1
        asked = [self.faults.get(work.text) for work in batch]
        if "hang" in asked:
            await asyncio.sleep(10**6)
        await asyncio.sleep(self.seconds * len(batch))
        if "crash" in asked:
            raise WorkerDied("crash")
        results = [
            Result(fault=fault) if isinstance(fault, Fault) else Result(f"{self.name}:{work.text}", 800, 10)
            for work, fault in zip(batch, asked, strict=True)
        ]
        return results, self.seconds * len(batch)

    async def ended(self):
        await self.gone.wait()

    async def stop(self):
        if self.gone is not None:
            self.gone.set()
