"""Running the demo: a chain, a judge, five miners and a validator, as processes on this machine."""

import asyncio
import contextlib
import re
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

from rich.console import Console

from compression_subnet.chain.adapter import open_chain
from compression_subnet.chain.dev.client import DevClient
from compression_subnet.chain.port import Chain
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import throwaway_wallet
from compression_subnet.compressors.registry import list_compressors
from compression_subnet.demo.processes import Process, ProcessFailed
from compression_subnet.demo.progress import Progress
from compression_subnet.demo.result import DemoMiner, DemoResult, demo_result
from compression_subnet.errors import ConfigurationError, StoreError
from compression_subnet.validator.records.record import open_record

__all__ = ["run_demo"]

NETUID: Final = 1
REFERENCE: Final = "reference"
OTHERS: Final = ("random", "truncation", "whole", "flaky")
"""Names of the miners beside the one that is shown, and of the compressors that they run."""
OVER_BUDGET: Final = "whole"
TEMPO: Final = 60
STAKE_RAO: Final = 10**13
READY_SECONDS: Final = 120.0
CHALLENGES: Final = 24
"""Eight a level and more than fifty answers from the full text, in some minutes on two cores."""

# Base texts that the embedded reader takes in one or two windows; a network's are several times as long.
CHALLENGE_FLAGS: Final = (
    *("--challenge.min-tokens", "250", "--challenge.max-tokens", "420"),
    *("--challenge.questions", "5", "--challenge.min-questions", "3", "--challenge.candidates", "8"),
    *("--challenge.noise-share", "0.5"),
)


async def run_demo(
    console: Console, challenges: int = CHALLENGES, keep: Path | None = None, compressor: str = REFERENCE
) -> DemoResult:
    """Run one round on a subnet of its own, and return what came of it. Nothing is left behind.

    Args:
        console: where progress is shown.
        challenges: of the round, over all levels.
        keep: an empty or new folder for logs, wallets and the record, which are kept there; else they are removed.
        compressor: that one of the miners runs: a registered name, or ``module:attribute``.

    Raises:
        ConfigurationError: there is no checkout to take the neurons from, or the compressor is not to be had.
        ProcessFailed: a process ended too early or was not ready in time.
    """
    neurons = Path(__file__).parents[2] / "neurons"
    if not (neurons / "validator.py").is_file():
        raise ConfigurationError("the demo runs neurons/validator.py and neurons/miner.py: start it from a checkout")
    _check(compressor)
    start = time.monotonic()
    async with contextlib.AsyncExitStack() as stack:
        folder = _kept(keep) if keep else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cs-demo-")))
        progress = Progress(console, start)
        network = _Network(stack, folder, neurons, (compressor, *OTHERS))
        judge, endpoint = await asyncio.gather(network.start_judge(), network.start_chain())
        progress.done(f"dev chain at {endpoint}, embedded judge at {judge}")
        async with DevClient(endpoint) as dev:
            miners = await network.register(dev)
        progress.done("one validator and five miners are registered; the validator has stake and a permit")
        chain = await open_chain(endpoint, NETUID, network.validator_hotkey, spec_version=spec_version(), deadline=30)
        stack.push_async_callback(chain.close)
        running = await network.start_miners(endpoint)
        await _served(chain, {m.hotkey for m in miners}, running)
        progress.done("five miners serve their axons on chain")
        validator = await network.start_validator(endpoint, judge, challenges)
        await _watch(validator, running, folder / "validator.sqlite", progress)
        progress.done("the validator has set its weights")
        weights = await chain.weights()
        metagraph = await chain.metagraph()
        me = metagraph.by_hotkey(network.validator_hotkey.ss58_address)
        with open_record(folder / "validator.sqlite") as record:
            return demo_result(
                miners,
                record.averages(),
                record.reasons(),
                record.last_weights(),
                weights.get(me.uid, {}) if me else {},
                time.monotonic() - start,
            )


class _Network:
    """The demo's wallets and processes, in one temporary folder."""

    def __init__(self, stack: contextlib.AsyncExitStack, folder: Path, neurons: Path, miners: Sequence[str]):
        self._stack = stack
        self._folder = folder
        self._neurons = neurons
        self._miners = miners
        self._wallets = folder / "wallets"
        self._keys = {
            name: throwaway_wallet(self._wallets, _file_name(name), "default") for name in ("validator", *miners)
        }
        self.validator_hotkey = self._keys["validator"].hotkey

    async def start_judge(self) -> str:
        """Start the embedded judge, and return its address."""
        command = [sys.executable, "-m", "compression_subnet.cli", "judge", "serve", "--port", "0"]
        return await (await self._start("judge", command)).ready("listening", READY_SECONDS)

    async def start_chain(self) -> str:
        """Start the dev chain, and return its address."""
        command = [sys.executable, "-m", "compression_subnet.chain.dev", "--port", "0", "--block-time", "1.0"]
        command += ["--tempo", str(TEMPO), "--weights-rate-limit", "1", "--no-commit-reveal"]
        return await (await self._start("chain", command)).ready("listening", READY_SECONDS)

    async def register(self, dev: DevClient) -> list[DemoMiner]:
        """Register all, give the validator stake and permit, and return the miners."""
        uids = {}
        for name, wallet in self._keys.items():
            uids[name] = await dev.register(NETUID, wallet.hotkey.ss58_address, wallet.coldkeypub.ss58_address)
        await dev.set_stake(self.validator_hotkey.ss58_address, NETUID, STAKE_RAO)
        return [DemoMiner(n, uids[n], self._keys[n].hotkey.ss58_address, n == OVER_BUDGET) for n in self._miners]

    async def start_miners(self, endpoint: str) -> list[Process]:
        """Start the miners, each on an address of its own: the chain refuses 127.0.0.1."""
        running = []
        for number, name in enumerate(self._miners, start=2):
            ip = f"127.0.0.{number}"
            command = self._neuron("miner.py", endpoint, name)
            command += ["--axon.ip", ip, "--axon.port", str(_free_port(ip)), "--axon.allow-private"]
            command += ["--compressor", name, "--neuron.metagraph-seconds", "5"]
            # The others fail on purpose, or cannot: what they do is to be seen.
            command += ["--compressor.fallbacks", "none"] if name in OTHERS else []
            command += ["--neuron.allow-over-budget"] if name == OVER_BUDGET else []
            running.append(await self._start(f"miner {name}", command))
        return running

    async def start_validator(self, endpoint: str, judge: str, challenges: int) -> Process:
        """Start the validator for one round."""
        command = self._neuron("validator.py", endpoint, "validator")
        command += ["--judge.base-url", judge, "--judge.concurrency", "32", "--no-judge.warm-prefix", *CHALLENGE_FLAGS]
        command += ["--dendrite.allow-private", "--dendrite.jitter", "0"]
        command += ["--neuron.challenges", str(challenges), "--neuron.rounds", "1"]
        # So few challenges have large errors: the demo pays any margin over the baseline.
        command += ["--neuron.min-challenges", "1", "--neuron.z", "0", "--neuron.poll-seconds", "1"]
        # More than the tempo: as soon as they are known.
        command += ["--neuron.margin-blocks", str(TEMPO + 1)]
        command += ["--neuron.store", str(self._folder / "validator.sqlite"), "--neuron.min-free-bytes", "50MB"]
        return await self._start("validator", command)

    def _neuron(self, script: str, endpoint: str, wallet: str) -> list[str]:
        flags = ["--netuid", str(NETUID), "--subtensor.chain-endpoint", endpoint]
        flags += ["--wallet.path", str(self._wallets), "--wallet.name", _file_name(wallet)]
        flags += ["--wallet.hotkey", "default", "--ops.port", "0"]
        return [sys.executable, str(self._neurons / script), *flags]

    async def _start(self, name: str, command: Sequence[str]) -> Process:
        # The SDK keeps what it knows of a chain on disk; a throw-away chain's does not belong with the others'.
        environment = {
            "BITTENSOR_RUNTIME_CACHE_DIR": str(self._folder / "sdk-cache"),
            "BTCLI_TOKEN_SYMBOLS_CACHE": str(self._folder / "token-symbols.json"),
        }
        log = self._folder / f"{_file_name(name)}.log"
        return await self._stack.enter_async_context(Process(name, command, log, environment))


async def _served(chain: Chain, hotkeys: set[str], running: Sequence[Process]) -> None:
    """Wait until every miner's address is on chain."""
    async for _ in _each_second(READY_SECONDS):
        for process in running:
            process.check()
        served = {n.hotkey for n in (await chain.metagraph()).neurons if n.axon is not None}
        if hotkeys <= served:
            return
    raise ProcessFailed(f"not all miners served their axons within {READY_SECONDS:.0f} s\n{running[0].tail()}")


async def _watch(validator: Process, miners: Sequence[Process], store: Path, progress: Progress) -> None:
    """Show the round's progress until the validator has ended."""
    ended = asyncio.create_task(validator.ended())
    try:
        with progress.bar() as bar:
            while not ended.done():
                for process in miners:
                    process.check()
                bar.update(*_recorded(store), validator.last_line())
                await asyncio.wait({ended}, timeout=1.0)
        if ended.result() != 0:
            raise ProcessFailed(f"the validator ended with status {ended.result()}\n{validator.tail()}")
    finally:
        ended.cancel()


def _recorded(store: Path) -> tuple[int, int]:
    """Return how many challenges are scored, of how many; none of none while there is no record yet."""
    try:
        with open_record(store) as record:
            return record.progress()
    except StoreError:
        return (0, 0)


async def _each_second(seconds: float) -> AsyncIterator[None]:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
        await asyncio.sleep(1.0)


def _check(compressor: str) -> None:
    if compressor in OTHERS:
        raise ConfigurationError(f"{compressor!r} is in the demo already; name another compressor")
    if ":" not in compressor and compressor not in list_compressors():
        raise ConfigurationError(
            f"there is no compressor {compressor!r}; install its package, or give module:attribute with its folder on "
            "PYTHONPATH (compression-subnet compressors lists what is installed)"
        )


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)


def _kept(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise ConfigurationError(f"{folder} is not empty; name a new folder")
    return folder.resolve()


def _free_port(ip: str) -> int:
    with socket.socket() as probe:
        probe.bind((ip, 0))
        return int(probe.getsockname()[1])
