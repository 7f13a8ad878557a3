"""The watchdog in real processes, which it ends."""

import subprocess
import sys

import pytest

from compression_subnet.ops.watchdog import EXIT_STALLED

START = """
import asyncio, sys, threading, time
from compression_subnet.ops import Progress
from compression_subnet.ops.watchdog import Watchdog

async def waits_for_what_never_comes():
    await asyncio.Event().wait()

async def main():
    progress = Progress()
    with Watchdog(progress, SECONDS):
        asyncio.create_task(waits_for_what_never_comes(), name="a task of ours")
        await asyncio.sleep(0)
        await work(progress)
    print("done")

"""


def outcome(work: str, seconds: float = 0.5, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    code = START.replace("SECONDS", str(seconds)) + work + "\nasyncio.run(main())"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)


STALLS = {
    "the loop is blocked": "async def work(progress):\n    time.sleep(60)",
    "the loop spins": "async def work(progress):\n    while True: pass",
    "a task waits for ever": "async def work(progress):\n    await asyncio.Event().wait()",
    "a cancellation is swallowed": """
async def work(progress):
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
""",
    "a background task goes on": """
async def work(progress):
    progress.enter("asking")
    while True:
        await asyncio.sleep(0.05)
        progress.beat("drawing")
""",
    "a thread that is no daemon would keep sys.exit": """
async def work(progress):
    threading.Thread(target=time.sleep, args=(60,)).start()
    await asyncio.Event().wait()
""",
    "the log is locked": """
async def work(progress):
    from loguru import logger
    class Stuck:
        def write(self, message):
            time.sleep(60)
    logger.remove()
    logger.add(Stuck())
    threading.Thread(target=logger.error, args=("x",), daemon=True).start()
    await asyncio.Event().wait()
""",
}


@pytest.mark.parametrize("kind", STALLS)
def test_a_process_in_which_nothing_goes_on_is_left_with_all_stacks(kind: str) -> None:
    done = outcome(STALLS[kind])
    assert done.returncode == EXIT_STALLED
    assert "in work" in done.stderr  # where the main thread is, or the task
    assert "Task a task of ours:" in done.stderr and "in waits_for_what_never_comes" in done.stderr
    assert "done" not in done.stdout


def test_the_reason_is_logged() -> None:
    done = outcome(STALLS["a task waits for ever"])
    assert "nothing has gone on for" in done.stderr and "while starting" in done.stderr


def test_one_that_is_slow_but_goes_on_is_left_alone() -> None:
    work = """
async def work(progress):
    for _ in range(4):
        time.sleep(0.6)
        progress.beat()
        await asyncio.sleep(0)
"""
    done = outcome(work, seconds=2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_native_code_that_holds_the_interpreter_does_not_hold_the_process() -> None:
    # PyDLL keeps the interpreter's lock while it calls: no thread of Python's runs, the watchdog's included.
    work = """
async def work(progress):
    import ctypes
    await asyncio.sleep(0.2)
    ctypes.PyDLL(None).sleep(60)
"""
    done = outcome(work, timeout=30)
    assert done.returncode == 1
    assert "in work" in done.stderr
