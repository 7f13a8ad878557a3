import asyncio
import threading
from collections.abc import Sequence

import pytest

from compression_subnet.judge.batching import MicroBatcher, Overloaded


class Worker:
    """Doubles numbers, one batch at a time, when it is let."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.threads: set[int] = set()
        self.gate = threading.Event()

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.threads.add(threading.get_ident())
        self.batches.append(list(items))
        assert self.gate.wait(10)
        if -1 in items:
            raise ZeroDivisionError("minus one")
        return [2 * item for item in items]


async def started(worker: Worker, batches: int) -> None:
    while len(worker.batches) < batches:
        await asyncio.sleep(0.001)


async def test_what_arrives_while_the_worker_is_busy_is_its_next_batch() -> None:
    worker = Worker()
    async with MicroBatcher(worker, max_batch=4) as batcher:
        first = asyncio.create_task(batcher.submit(0))
        await started(worker, 1)  # the event loop is free although the worker is not
        others = [asyncio.create_task(batcher.submit(n)) for n in range(1, 8)]
        await asyncio.sleep(0)
        worker.gate.set()
        assert await asyncio.gather(first, *others) == [2 * n for n in range(8)]
    assert worker.batches == [[0], [1, 2, 3, 4], [5, 6, 7]]
    assert len(worker.threads) == 1
    assert threading.get_ident() not in worker.threads


async def test_an_error_reaches_those_of_its_batch_and_nobody_else() -> None:
    worker = Worker()
    worker.gate.set()
    async with MicroBatcher(worker) as batcher:
        outcomes = await asyncio.gather(batcher.submit(1), batcher.submit(-1), return_exceptions=True)
        assert all(isinstance(o, ZeroDivisionError) for o in outcomes)
        assert await batcher.submit(5) == 10


async def test_a_full_queue_refuses_at_once() -> None:
    worker = Worker()
    async with MicroBatcher(worker, max_waiting=2) as batcher:
        busy = asyncio.create_task(batcher.submit(0))
        await started(worker, 1)
        waiting = [asyncio.create_task(batcher.submit(n)) for n in (1, 2)]
        await asyncio.sleep(0)
        with pytest.raises(Overloaded):
            await batcher.submit(3)
        worker.gate.set()
        assert await asyncio.gather(busy, *waiting) == [0, 2, 4]


async def test_what_its_client_gave_up_is_not_computed() -> None:
    worker = Worker()
    async with MicroBatcher(worker) as batcher:
        busy = asyncio.create_task(batcher.submit(0))
        await started(worker, 1)
        gone = asyncio.create_task(batcher.submit(1))
        await asyncio.sleep(0)
        gone.cancel()
        worker.gate.set()
        assert await busy == 0
        assert await batcher.submit(2) == 4
    assert worker.batches == [[0], [2]]


async def test_closing_cancels_what_waits() -> None:
    worker = Worker()
    async with MicroBatcher(worker, max_batch=1) as batcher:
        tasks = [asyncio.create_task(batcher.submit(n)) for n in range(3)]
        await started(worker, 1)
        worker.gate.set()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert len(worker.batches) < 3
    assert any(isinstance(o, asyncio.CancelledError) for o in outcomes)


def test_it_can_be_opened_again_in_another_loop() -> None:
    worker = Worker()
    worker.gate.set()
    batcher = MicroBatcher(worker)

    async def use() -> int:
        async with batcher:
            return await batcher.submit(4)

    assert [asyncio.run(use()), asyncio.run(use())] == [8, 8]
