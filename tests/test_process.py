import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from loguru import logger

from compression_subnet.errors import ConfigurationError
from compression_subnet.process import run_until_signalled


async def returns(value: bool) -> bool:
    return value


async def fails() -> bool:
    raise ConfigurationError("no wallet here; make one with: btcli wallet create")


async def told_to_stop(number: int, cleaned: list[str]) -> bool:
    try:
        os.kill(os.getpid(), number)
        await asyncio.sleep(60)
    finally:
        cleaned.append("up")
    return True


@pytest.mark.parametrize(("value", "status"), [(True, 0), (False, 1)])
def test_the_outcome_is_the_exit_status(value: bool, status: int) -> None:
    assert run_until_signalled(returns(value)) == status


def test_an_error_of_ours_is_one_line() -> None:
    lines: list[str] = []
    sink = logger.add(lines.append, format="{message}")
    try:
        assert run_until_signalled(fails()) == 2
    finally:
        logger.remove(sink)
    assert lines == ["no wallet here; make one with: btcli wallet create\n"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(number: int) -> None:
    cleaned: list[str] = []
    assert run_until_signalled(told_to_stop(number, cleaned)) == 0
    assert cleaned == ["up"]


LOCAL = ("--netuid", "1", "--subtensor.network", "ws://127.0.0.1:1")
NEURONS = Path(__file__).parents[1] / "neurons"


@pytest.mark.parametrize(
    ("script", "argv", "said"),
    [
        ("validator.py", (), "--netuid: Field required"),
        ("miner.py", (), "--netuid: Field required"),
        ("miner.py", ("--netuid", "1", "--walet.name", "w"), "did you mean --wallet.name?"),
        ("validator.py", ("--netuid", "1"), "the embedded reader cannot write"),
        ("validator.py", (*LOCAL, "--wallet.path", "/nowhere"), "btcli wallet create"),
        ("miner.py", ("--netuid", "1"), "set external_ip"),
    ],
)
def test_a_neuron_that_cannot_start_says_what_to_do_in_one_line(script: str, argv: tuple[str, ...], said: str) -> None:
    command = [sys.executable, str(NEURONS / script), *argv]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
