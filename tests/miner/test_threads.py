import asyncio
import threading

import pytest

from compression_subnet.errors import CompressorError
from compression_subnet.miner.threads import Threads


@pytest.fixture
def threads():
    pool = Threads(1, "test")
    yield pool
    pool.close()


def raising(error):
    def function():
        raise error

    return function


async def test_a_function_runs_in_another_thread_and_its_result_comes_back(threads):
    assert await threads.run(threading.get_ident) != threading.get_ident()


@pytest.mark.parametrize(
    "error, raised", [(ValueError("x"), ValueError), (StopIteration(), RuntimeError), (SystemExit(1), RuntimeError)]
)
async def test_what_it_raises_comes_back_and_the_thread_lives_on(threads, error, raised):
    with pytest.raises(raised):
        await threads.run(raising(error))
    assert await threads.run(lambda: 5) == 5


async def test_a_job_whose_caller_has_left_is_dropped_and_a_running_one_goes_unheard(threads):
    gate, done = threading.Event(), []
    running = asyncio.create_task(threads.run(gate.wait))
    waiting = asyncio.create_task(threads.run(lambda: done.append("waiting")))
    await asyncio.sleep(0.05)
    running.cancel()
    waiting.cancel()
    await asyncio.wait({running, waiting})
    gate.set()
    assert await threads.run(lambda: "next") == "next"
    assert done == []


async def test_closing_waits_for_nothing_and_takes_nothing_more():
    pool = Threads(1, "test")
    gate = threading.Event()
    task = asyncio.create_task(pool.run(gate.wait))
    await asyncio.sleep(0.05)
    pool.close()
    with pytest.raises(CompressorError, match="shutting down"):
        await pool.run(lambda: 1)
    gate.set()
    assert await task
    assert all(not t.name.startswith("test-") or t.daemon for t in threading.enumerate())
