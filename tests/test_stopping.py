"""Being told to stop, in real processes: what closes, what does not, and what a second signal does."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from compression_subnet.stopping import EXIT_ABANDONED

START = """
import asyncio, sys, threading, time
from compression_subnet.process import _join_threads, run_until_signalled

async def work():
    print("ready", flush=True)
    try:
        await go_on()
    finally:
        await close()
    return True

async def go_on():
    await asyncio.Event().wait()

async def close():
    print("closed", flush=True)

"""
END = """
status = run_until_signalled(work(), closing_seconds=SECONDS)
_join_threads(SECONDS)
sys.exit(status)
"""


def started(work: str, seconds: float) -> "subprocess.Popen[str]":
    code = START + work + END.replace("SECONDS", str(seconds))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def told(work: str, *numbers: int, seconds: float = 0.5) -> tuple[int, str, str]:
    """Return status, output and errors of a process that got these signals."""
    with started(work, seconds) as process:
        try:
            for number in numbers:
                process.send_signal(number)
                if len(numbers) > 1:
                    assert process.stdout is not None
                    process.stdout.readline()
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_one_signal_closes_and_ends_well(number: int) -> None:
    status, out, err = told("", number, seconds=30)
    assert (status, out) == (0, "closed\n")
    assert "stopped" in err


HANGS = {
    "closing waits for a peer": "async def close():\n    await asyncio.Event().wait()",
    "a task swallows its cancellation": """
async def go_on():
    async def stays():
        while True:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                pass
    asyncio.create_task(stays())
    await asyncio.Event().wait()
""",
    "the loop is blocked": "async def go_on():\n    time.sleep(60)",
    "the loop spins": "async def go_on():\n    while True: pass",
    "a thread of the pool does not end": "async def go_on():\n    await asyncio.to_thread(time.sleep, 60)",
    "a thread of its own does not end": """
async def go_on():
    threading.Thread(target=time.sleep, args=(60,)).start()
    await asyncio.Event().wait()
""",
}


@pytest.mark.parametrize("kind", HANGS)
def test_what_does_not_close_in_time_is_left_and_the_status_says_so(kind: str) -> None:
    status, _, err = told(HANGS[kind], signal.SIGTERM)
    assert status == EXIT_ABANDONED
    assert "leaving" in err


def test_a_second_signal_ends_it_at_once() -> None:
    work = "async def close():\n    print('closing', flush=True)\n    await asyncio.Event().wait()"
    assert told(work, signal.SIGTERM, signal.SIGTERM, seconds=600)[0] == 128 + signal.SIGTERM
    assert told(work, signal.SIGINT, signal.SIGTERM, seconds=600)[0] == 128 + signal.SIGTERM


def test_where_closing_may_take_its_time_a_second_signal_changes_nothing(tmp_path: Path) -> None:
    code = """
import asyncio
from compression_subnet.process import until_signalled

async def work():
    print("ready", flush=True)
    try:
        await asyncio.Event().wait()
    finally:
        print("closing", flush=True)
        await asyncio.get_running_loop().run_in_executor(None, input)
        print("closed")

print(asyncio.run(until_signalled(work())))
"""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for said in ("ready\n", "closing\n"):
            assert process.stdout.readline() == said
            process.send_signal(signal.SIGTERM)
        out, _ = process.communicate("\n", timeout=60)
    assert (process.returncode, out) == (0, "closed\nNone\n")
