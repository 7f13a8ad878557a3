import asyncio
import socket
import threading
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from loguru import logger
from validator_fakes import ME

from compression_subnet.errors import StoreError
from compression_subnet.settings import ValidatorSettings, load_settings
from compression_subnet.validator.watching.observer import Phase
from compression_subnet.validator.watching.operating import closed_within, operating, sampled


def settings(*argv: str) -> ValidatorSettings:
    return load_settings(ValidatorSettings, ("--netuid", "1", *argv), "validator.py")


@pytest.fixture
def lines() -> Iterator[list[str]]:
    found: list[str] = []
    sink = logger.add(found.append, format="{level} {message}")
    yield found
    logger.remove(sink)


async def get(url: str) -> str:
    def fetch() -> str:
        with urlopen(url, timeout=10) as response:
            return str(response.read().decode())

    return await asyncio.to_thread(fetch)


async def test_metrics_health_and_watchdog_live_as_long_as_the_validator() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    before = set(threading.enumerate())
    async with operating(settings("--ops.port", str(port)), ME, is_prepared=False) as operations:
        operations.entered(Phase.WAITING)
        operations.pool_has(183)
        metrics = await get(f"http://127.0.0.1:{port}/metrics")
        assert "compression_subnet_validator_challenges_ready 183.0" in metrics
        assert "compression_subnet_validator_silent_seconds 0.0" in metrics
        assert "process_resident_memory_bytes" in metrics
        names = {thread.name for thread in threading.enumerate()}
        assert {"watchdog", "ops http"} <= names
    left = {thread for thread in threading.enumerate() if thread.name in ("watchdog", "ops http")}
    assert not left - before


async def test_both_can_be_turned_off() -> None:
    async with operating(settings("--ops.port", "0", "--neuron.watchdog", "0"), ME, is_prepared=False) as operations:
        operations.entered(Phase.WAITING)
        assert not {thread.name for thread in threading.enumerate()} & {"watchdog", "ops http"}


async def test_a_watchdog_that_is_less_patient_than_a_round_is_warned_of(lines: list[str]) -> None:
    async with operating(settings("--ops.port", "0", "--neuron.watchdog", "60"), ME, is_prepared=False):
        pass
    assert any(line.startswith("WARNING neuron.watchdog is 60 s") for line in lines)


class Pool:
    def __init__(self) -> None:
        self.counts: list[int | StoreError] = [3, StoreError("it cannot be read"), 5]

    def ready(self) -> int:
        count = self.counts.pop(0)
        if isinstance(count, StoreError):
            raise count
        return count


async def test_the_pool_is_counted_again_and_again_also_after_a_failure() -> None:
    seen: list[int] = []
    pool, done = Pool(), asyncio.Event()

    class Seeing:
        def pool_has(self, ready: int) -> None:
            seen.append(ready)

    async def sleep(seconds: float) -> None:
        if not pool.counts:
            done.set()
            await asyncio.Event().wait()

    async with sampled(pool, Seeing(), sleep):  # type: ignore[arg-type]
        await done.wait()
    assert seen == [3, 5]


async def test_what_does_not_close_is_left_and_said(lines: list[str]) -> None:
    async def never() -> None:
        await asyncio.Event().wait()

    await closed_within(never, 0.01)
    assert any("did not close within 0.01 s" in line for line in lines)


async def test_what_closes_is_waited_for() -> None:
    closed = []

    async def close() -> None:
        await asyncio.sleep(0)
        closed.append(True)

    await closed_within(close, 60)
    assert closed == [True]
