"""Everything that a soak is made of, put together and taken down again."""

import contextlib
import multiprocessing
import random
import time
from collections.abc import AsyncIterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from compression_subnet import challenge
from compression_subnet.chain.wallets import throwaway_wallet
from soak.checks import Checks
from soak.inject import Injector, enrol
from soak.judge import Judge, answers_of
from soak.milestones import Milestones
from soak.miners import MANNERS, Fleet
from soak.network import NETUID, Network, Setting
from soak.outcome import Outcome
from soak.plan import Phase
from soak.supervisor import Supervisor

__all__ = ["MARGIN_BLOCKS", "Assembly", "assembled"]

TEMPO: Final = 20
MARGIN_BLOCKS: Final = 6
# Texts of some hundred words, three challenges a round: an epoch of a second or two.
MIN_TOKENS: Final = 60
MAX_TOKENS: Final = 160
ARTICLES: Final = 6


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts, running; the validator is not started yet."""

    record: Path
    network: Network
    fleet: Fleet
    supervisor: Supervisor
    milestones: Milestones
    checks: Checks
    injector: Injector


@asynccontextmanager
async def assembled(folder: Path, outcome: Outcome) -> AsyncIterator[Assembly]:
    """Put a soak together in ``folder``, with a chain of its own, 64 miners and a judge."""
    record = folder / "validator.sqlite"
    milestones = Milestones()
    source = f"jsonl:{_small_corpus(folder)}"
    gold = answers_of(source, MIN_TOKENS, MAX_TOKENS)
    rng = random.Random(f"{outcome.seed}:miners")
    async with contextlib.AsyncExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(1, multiprocessing.get_context("spawn")))
        network = Network(TEMPO, time.monotonic)
        checks = Checks(record, folder, pool, outcome, network.published)

        def brought(setting: Setting) -> None:
            milestones.hit(Phase.SET)
            checks.caught(setting)

        network.on_submit = lambda: milestones.hit(Phase.SENDING)
        network.on_set = brought
        judge = Judge(gold, lambda: milestones.hit(Phase.JUDGING))
        fleet = Fleet(gold, lambda: milestones.hit(Phase.ASKING), rng)
        await stack.enter_async_context(fleet.open())
        chain_url = await stack.enter_async_context(network.running())
        judge_url = await stack.enter_async_context(judge.serving())
        validator = throwaway_wallet(folder / "wallets", "validator", "default").hotkey.ss58_address
        network.enrol(validator)
        network.watch(validator)
        manners = [manner for manner, count in MANNERS.items() for _ in range(count)]
        for manner in rng.sample(manners, len(manners)):
            await enrol(network, fleet, manner)
        supervisor = Supervisor(
            _flags(folder, record, source, chain_url, judge_url),
            folder / "validator.log",
            folder / "memory",
            {
                "BITTENSOR_RUNTIME_CACHE_DIR": str(folder / "sdk-cache"),
                "BTCLI_TOKEN_SYMBOLS_CACHE": str(folder / "token-symbols.json"),
            },
        )
        stack.push_async_callback(supervisor.kill)
        injector = Injector(network, fleet, judge, supervisor, checks, milestones, outcome, record)
        yield Assembly(record, network, fleet, supervisor, milestones, checks, injector)


def _small_corpus(folder: Path) -> Path:
    """Write some of the built-in articles to a file: what is remembered of base texts is soon all there is."""
    lines = (files(challenge) / "data" / "articles.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    path = folder / "corpus.jsonl"
    path.write_text("".join(lines[:ARTICLES]), encoding="utf-8")
    return path


def _flags(folder: Path, record: Path, source: str, chain_url: str, judge_url: str) -> list[str]:
    """Return the validator's flags: an operator's, with short deadlines and small rounds."""
    values = {
        "netuid": NETUID,
        "subtensor.chain-endpoint": chain_url,
        "subtensor.timeout": 4,
        "wallet.path": folder / "wallets",
        "wallet.name": "validator",
        "ops.port": 0,
        "judge.base-url": judge_url,
        "judge.timeout": 1,
        "judge.reply-timeout": 3,
        "challenge.source": source,
        "challenge.min-tokens": MIN_TOKENS,
        "challenge.max-tokens": MAX_TOKENS,
        "challenge.questions": 2,
        "challenge.min-questions": 1,
        "challenge.candidates": 3,
        "dendrite.timeout": 1,
        "dendrite.jitter": 0.05,
        "neuron.challenges": 3,
        "neuron.parallel": 3,
        "neuron.min-challenges": 2,
        "neuron.z": 0,
        "neuron.margin-blocks": MARGIN_BLOCKS,
        "neuron.poll-seconds": 0.05,
        "neuron.store": record,
        # Some thirty rounds: older ones go to archives while all else goes on.
        "neuron.keep-bytes": 6_000_000,
        "neuron.min-free-bytes": 50_000_000,
    }
    flags = [text for name, value in values.items() for text in (f"--{name}", str(value))]
    return [*flags, "--challenge.reuse", "--no-judge.warm-prefix", "--dendrite.allow-private"]
