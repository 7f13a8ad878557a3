"""The validator as a process: told to stop while a miner, judge or chain hangs, and what it serves meanwhile."""

import asyncio
import json
import signal
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from bittensor.sp_core import Keypair
from fake_endpoint import FakeEndpoint
from validator_process import (
    compressing_miner,
    corpus_judge,
    free_port,
    get,
    live_chain,
    publish,
    silent_peer,
    validator,
)

from compression_subnet.chain import Axon, load_hotkey, open_chain, spec_version
from compression_subnet.chain.wallets import throwaway_wallet
from compression_subnet.ops.watchdog import EXIT_STALLED
from compression_subnet.validator.records.record import open_record


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    throwaway_wallet(tmp_path, "validator", "default")
    return tmp_path


async def test_a_chain_that_hangs_does_not_keep_it(folder: Path) -> None:
    async with silent_peer() as (port, called):
        flags = ("--subtensor.network", f"ws://127.0.0.1:{port}", "--ops.port", "0")
        async with validator(folder, *flags) as (process, log), asyncio.timeout(120):
            await called.wait()
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0, log.read_text()


async def test_the_watchdog_ends_a_validator_that_waits_for_a_chain_longer_than_its_patience(folder: Path) -> None:
    async with silent_peer() as (port, called):
        flags = ("--subtensor.network", f"ws://127.0.0.1:{port}", "--ops.port", "0", "--neuron.watchdog", "5")
        async with validator(folder, *flags, "--subtensor.timeout", "600") as (process, log), asyncio.timeout(120):
            await called.wait()
            assert await process.wait() == EXIT_STALLED
    said = log.read_text()
    assert "nothing has gone on for" in said
    assert "in run_validator" in said and "in step" in said  # the stack of what hung, down to the call


async def stopped_on_a_live_chain(
    folder: Path, judge: str, hangs: asyncio.Event, axon: Axon | None, look: Callable[[int], None]
) -> None:
    """Run a validator until what hangs was called, look at it, tell it to stop, and see that it closed in time."""
    ops = free_port()
    miner = Keypair.create_from_uri("//Bob")
    async with live_chain(folder, miner) as url:
        if axon is not None:
            await publish(url, miner, axon)
        flags = ("--subtensor.network", url, "--judge.base-url", judge, "--ops.port", str(ops))
        async with validator(folder, *flags) as (process, log), asyncio.timeout(120):
            await hangs.wait()
            await asyncio.to_thread(look, ops)
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0, log.read_text()


async def test_a_judge_that_hangs_does_not_keep_it(folder: Path) -> None:
    def look(port: int) -> None:
        assert get(port, "/healthz") == (200, '{"alive":"ok"}')
        status, body = get(port, "/readyz")
        assert status == 503
        assert json.loads(body)["judge"] == "not known yet"

    async with silent_peer() as (port, called):
        await stopped_on_a_live_chain(folder, f"http://127.0.0.1:{port}/v1", called, None, look)


async def test_a_miner_that_hangs_does_not_keep_it_and_its_round_is_dropped(folder: Path) -> None:
    def look(port: int) -> None:
        assert json.loads(get(port, "/readyz")[1]) | {"warm": ""} == {
            "chain": "ok",
            "judge": "ok",
            "store": "ok",
            "warm": "",
        }
        status, metrics = get(port, "/metrics")
        assert status == 200
        assert 'compression_subnet_validator_faults_total{kind="block",source="chain"}' not in metrics
        assert "compression_subnet_validator_chain_block " in metrics
        assert "process_open_fds " in metrics

    with FakeEndpoint(corpus_judge()) as judge:
        async with silent_peer("127.0.0.5") as (port, called):
            await stopped_on_a_live_chain(folder, judge.url, called, Axon("127.0.0.5", port), look)
    with open_record(folder / "v.sqlite") as record:
        assert record.progress() == (0, 3)
        assert record.averages() == {}


async def test_a_dry_run_does_everything_and_prints_the_vector_instead_of_setting_it(folder: Path) -> None:
    miner = Keypair.create_from_uri("//Bob")
    with FakeEndpoint(corpus_judge()) as judge:
        async with live_chain(folder, miner) as url, compressing_miner("127.0.0.6", miner) as axon:
            await publish(url, miner, axon)
            flags = ("--subtensor.network", url, "--judge.base-url", judge.url, "--ops.port", "0", "--dry-run")
            eager = (
                "--neuron.challenges",
                "6",
                "--neuron.min-challenges",
                "1",
                "--neuron.z",
                "0",
                "--neuron.warm-share",
                "0",
            )
            async with validator(folder, *flags, *eager) as (process, log), asyncio.timeout(120):
                assert await process.wait() == 0, log.read_text()
            me = load_hotkey("validator", "default", folder)
            chain = await open_chain(url, 1, me, spec_version=spec_version())
            on_chain = await chain.weights()
            await chain.close()
    assert on_chain == {}
    said = log.read_text()
    assert "Weights that were not sent" in said
    with open_record(folder / "v.sqlite") as record:
        assert record.reasons()[miner.ss58_address] == {"ok": 6}
        for hotkey, weight in record.last_weights().items():
            assert hotkey in said and f" {weight} " in said


async def test_a_second_validator_on_the_same_port_is_told_what_to_set(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        flags = ("--ops.port", str(taken.getsockname()[1]), "--subtensor.network", "ws://127.0.0.1:1")
        async with validator(folder, *flags) as (process, log), asyncio.timeout(120):
            assert await process.wait() == 2
    assert "--ops.port" in log.read_text()
    assert "Traceback" not in log.read_text()
