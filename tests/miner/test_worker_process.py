"""Workers that are real processes."""

import asyncio
import contextlib
import os
import time
from pathlib import Path

import pytest
from miner_harness import lane

from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.errors import CompressorError
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.work import Fault, Work
from compression_subnet.miner.worker_process import WorkerDied, WorkerProcess, WorkerSpec
from compression_subnet.text.tokens import DEFAULT_TOKENIZER

TEXT = "one two three four five six seven eight nine ten"


@pytest.fixture(autouse=True)
def on_the_path(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))


def spec(name, **options):
    return WorkerSpec(f"process_compressors:{name}", CompressorOptions(**options), DEFAULT_TOKENIZER, strict=True)


@contextlib.asynccontextmanager
async def started(*specs):
    """A lane of worker processes, and its metrics."""
    metrics = MinerMetrics()
    made = lane(metrics, "it", *(WorkerProcess(one) for one in specs))
    try:
        await made.start()
        yield made, metrics
    finally:
        await made.close()


async def ask(made, text, seconds=30.0):
    return await made.run(Work(text, 4), 256, time.monotonic() + seconds)


async def test_a_worker_that_crashes_is_started_anew_and_what_it_prints_garbles_nothing():
    async with started(spec("Crashing")) as (made, metrics):
        assert (await ask(made, TEXT)).text == "one two three four"
        crashed = await ask(made, f"crash {TEXT}")
        assert (crashed.text, crashed.fault) == ("", Fault.CRASHED)
        assert (await ask(made, TEXT)).text == "one two three four"
        assert (
            metrics.registry.get_sample_value("compression_subnet_miner_worker_restarts_total", {"compressor": "it"})
            == 1
        )


async def test_a_worker_that_hangs_is_killed_and_started_anew(monkeypatch, tmp_path):
    monkeypatch.setattr("compression_subnet.miner.lane._HANGS_AFTER_SECONDS", 0.1)
    async with started(spec("Hanging")) as (made, _):
        assert (await ask(made, f"hang {tmp_path}/here", 0.5)).fault is Fault.CRASHED
        assert (await ask(made, TEXT)).text == "one two three four"


async def test_two_devices_are_two_processes_that_work_side_by_side():
    async with started(spec("Which", device="cpu"), spec("Which", device="cuda:7")) as (made, _):
        results = await asyncio.gather(*(made.run(Work(TEXT, 100), 256, time.monotonic() + 30) for _ in range(20)))
    found = {result.text for result in results}
    assert {text.split()[1] for text in found} == {"cpu", "cuda:7"}
    assert len({text.split()[0] for text in found} - {str(os.getpid())}) == 2


async def test_what_a_compressor_prints_is_no_answer():
    worker = WorkerProcess(spec("Printing"))
    try:
        await worker.start()
        (result,), seconds = await worker.run([Work(TEXT, 4)])
        assert result.text == "one two three four" and seconds >= 0
    finally:
        await worker.stop()


async def test_a_compressor_that_cannot_be_made_is_named_with_the_reason():
    async def refused(name, said):
        worker = WorkerProcess(spec(name, device="cuda:0"))
        with pytest.raises(CompressorError, match=said) as caught:
            await worker.start()
        assert name in str(caught.value)
        with pytest.raises(WorkerDied):
            await worker.run([Work(TEXT, 4)])

    await asyncio.gather(refused("Missing", "no attribute"), refused("Crashing", "takes no options"))
