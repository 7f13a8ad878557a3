"""The process: how it starts, stops, fails to start, and comes back."""

import asyncio
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from compression_subnet.chain.dev import DevClient, dev_chain
from compression_subnet.errors import ChainError, ChainUnreachable

COMMAND = [sys.executable, "-m", "compression_subnet.chain.dev"]
BOB = "5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_and_leaves_quietly(number: signal.Signals) -> None:
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*COMMAND, "--port", "0"], **pipes, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.send_signal(number)
        rest, complaints = process.communicate(timeout=20)
    assert line.startswith("listening ws://127.0.0.1:") and int(line.rsplit(":", 1)[1]) > 0
    assert (process.returncode, rest, complaints) == (0, "", "")


@pytest.mark.parametrize(
    ("options", "fix"),
    [
        (["--block-time", "0.001"], "--block-time"),
        (["--port", "70000"], "65535"),
        (["--tempo", "x"], "--tempo"),
        (["--no-such-option"], "--no-such-option"),
    ],
)
def test_unusable_options_are_named(options: list[str], fix: str) -> None:
    done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=20)
    assert done.returncode == 2
    assert fix in done.stderr and "Traceback" not in done.stderr


async def test_a_port_in_use_is_an_error_that_names_the_fix() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ChainError, match="--port 0"):
        async with dev_chain(port=taken.getsockname()[1]):
            pass


async def test_blocks_come_by_the_clock() -> None:
    async with dev_chain(block_time=0.05) as url, DevClient(url) as dev:
        first = int((await dev.call("chain_getHeader"))["number"], 16)
        while int((await dev.call("chain_getHeader"))["number"], 16) < first + 3:
            await asyncio.sleep(0.02)


async def test_without_a_clock_blocks_come_on_demand_alone() -> None:
    async with dev_chain() as url, DevClient(url) as dev:
        assert await dev.new_block() == 2
        assert await dev.new_block(10) == 12
        assert int((await dev.call("chain_getHeader"))["number"], 16) == 12


async def test_a_chain_with_a_file_goes_on_after_a_restart_even_a_violent_one(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with dev_chain(state=state) as url, DevClient(url) as dev:
        uid = await dev.register(1, BOB, BOB)
        await dev.set_stake(BOB, 1, 10**12)
        number = await dev.new_block(5)
    options = ["--port", "0", "--block-time", "0", "--state", str(state)]
    with subprocess.Popen([*COMMAND, *options], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        url = process.stdout.readline().decode().split()[1]
        async with DevClient(url) as dev:
            assert int((await dev.call("chain_getHeader"))["number"], 16) == number
            await dev.set_stake(BOB, 1, 3)
            process.kill()
    async with dev_chain(state=state, tempo=7) as url, DevClient(url) as dev:
        with pytest.raises(ChainError, match="HotKeyAlreadyRegistered"):
            await dev.register(1, BOB, BOB)
        assert uid == 1
        await dev.new_block(7)
        assert (await dev.calls())["dev_newBlock"] == 1


async def test_a_damaged_file_stops_the_start(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.write_text("not a chain")
    with pytest.raises(ChainError, match="move it away"):
        async with dev_chain(state=state):
            pass
    assert state.read_text() == "not a chain"


async def test_a_client_without_a_chain_is_told_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ChainUnreachable, match="no dev chain answers"):
        async with DevClient(f"ws://127.0.0.1:{port}"):
            pass


async def test_a_chain_that_dies_is_unreachable() -> None:
    async with dev_chain() as url:
        dev = DevClient(url, deadline=5.0)
        await dev.__aenter__()
    with pytest.raises(ChainUnreachable, match="is gone"):
        await dev.new_block()
    await dev.__aexit__(None, None, None)
    with pytest.raises(ChainError, match="closed"):
        await dev.new_block()
