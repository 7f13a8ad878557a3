import asyncio
import threading

import pytest

from compression_subnet.errors import CompressorError
from compression_subnet.miner.workers import Workers


@pytest.fixture
def workers():
    pool = Workers(1)
    yield pool
    pool.close()


def raising(error):
    def function():
        raise error

    return function


async def test_a_function_runs_in_another_thread_and_its_result_comes_back(workers):
    assert await workers.run(threading.get_ident) != threading.get_ident()


@pytest.mark.parametrize(
    "error, raised", [(ValueError("x"), ValueError), (StopIteration(), RuntimeError), (SystemExit(1), RuntimeError)]
)
async def test_what_it_raises_comes_back_and_the_thread_lives_on(workers, error, raised):
    with pytest.raises(raised):
        await workers.run(raising(error))
    assert await workers.run(lambda: 5) == 5


async def test_a_job_whose_caller_has_left_is_dropped_and_a_running_one_goes_unheard(workers):
    gate, done = threading.Event(), []
    running = asyncio.create_task(workers.run(gate.wait))
    waiting = asyncio.create_task(workers.run(lambda: done.append("waiting")))
    await asyncio.sleep(0.05)
    running.cancel()
    waiting.cancel()
    await asyncio.wait({running, waiting})
    gate.set()
    assert await workers.run(lambda: "next") == "next"
    assert done == []


async def test_blocked_is_when_no_thread_has_been_free():
    now = 100.0
    pool = Workers(2, clock=lambda: now)
    go = threading.Event()

    async def occupy():
        begun = threading.Event()
        task = asyncio.create_task(pool.run(lambda: begun.set() or go.wait(30)))
        await asyncio.to_thread(begun.wait, 30)
        return task

    try:
        first = await occupy()
        now = 110.0
        assert pool.blocked_seconds() == 0.0
        second = await occupy()
        now = 125.0
        assert pool.blocked_seconds() == 15.0
        go.set()
        await asyncio.gather(first, second)
        assert pool.blocked_seconds() == 0.0
    finally:
        go.set()
        pool.close()


async def test_closing_waits_for_nothing_and_takes_nothing_more():
    pool = Workers(1)
    gate = threading.Event()
    task = asyncio.create_task(pool.run(gate.wait))
    await asyncio.sleep(0.05)
    pool.close()
    with pytest.raises(CompressorError, match="shutting down"):
        await pool.run(lambda: 1)
    gate.set()
    assert await task
    assert all(not t.name.startswith("compress-") or t.daemon for t in threading.enumerate())
