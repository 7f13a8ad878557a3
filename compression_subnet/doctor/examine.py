"""The examination: every check that applies to a validator or a miner, in the order in which to mend things."""

import asyncio
import shutil
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from compression_subnet.chain import Axon, Hotkey, load_hotkey, open_chain, spec_version
from compression_subnet.doctor import machine, services, subnet
from compression_subnet.doctor.check import Check, fail
from compression_subnet.doctor.facts import ExaminedChain, Facts, gather_facts
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.types import Answerer
from compression_subnet.protocol import HEALTH_PATH
from compression_subnet.text.tokens import get_tokenizer
from compression_subnet.transport.addresses import url_host

__all__ = ["DoctorConfig", "Probes", "examine"]


@dataclass(frozen=True, slots=True)
class DoctorConfig:
    """What is examined."""

    role: Literal["validator", "miner"]
    network: str
    """``finney``, ``test``, ``local``, or the address of an endpoint."""
    netuid: int
    wallet: str
    hotkey: str
    wallet_path: Path
    folder: Path
    """Where records and logs go."""
    axon: Axon | None = None
    """The address that a miner is to publish."""
    allow_private: bool = False
    """Whether private addresses will do."""
    judge: Answerer | None = None
    """A validator's answering model."""
    deadline: float = 20.0
    """Seconds within which each thing that is asked must answer."""
    block_patience: float = 30.0
    """Seconds to wait for a new block, by which the clocks are compared."""


class _Watcher:
    """Stands in for a hotkey that could not be loaded: it can look, and sign nothing."""

    ss58_address = ""
    public_key = bytes(32)
    crypto_type = 1

    def sign(self, data: bytes) -> bytes:
        """Refuse."""
        raise ConfigurationError("there is no hotkey to sign with")


async def _open_chain(config: DoctorConfig, hotkey: Hotkey) -> ExaminedChain:
    return await open_chain(
        config.network, config.netuid, hotkey, spec_version=spec_version(), deadline=config.deadline
    )


async def _health(axon: Axon, deadline: float) -> int:
    import httpx2

    try:
        async with (
            asyncio.timeout(deadline),
            httpx2.AsyncClient(trust_env=False, follow_redirects=False) as client,
            client.stream("GET", f"http://{url_host(axon.ip, axon.port)}{HEALTH_PATH}") as reply,
        ):
            return int(reply.status_code)
    except httpx2.TransportError as error:
        raise OSError(str(error) or type(error).__name__) from error


@dataclass(frozen=True, slots=True)
class Probes:
    """How the examination looks at the world; a test passes its own."""

    open_chain: Callable[[DoctorConfig, Hotkey], Awaitable[ExaminedChain]] = _open_chain
    load_hotkey: Callable[[str, str, Path], Hotkey] = load_hotkey
    now: Callable[[], float] = time.time
    health: Callable[[Axon, float], Awaitable[int]] = _health
    free_bytes: Callable[[Path], int] = field(default=lambda place: shutil.disk_usage(place).free)
    tokenizer_sha256: Callable[[], str] = field(default=lambda: get_tokenizer().sha256)


async def examine(config: DoctorConfig, probes: Probes | None = None) -> list[Check]:
    """Return what was found, the checks that others rest on first.

    Args:
        config: what to examine.
        probes: how to look; the real ways where it is not given.
    """
    probes = probes or Probes()
    wallets = config.wallet_path.expanduser() / config.wallet
    problem = ""
    hotkey: Hotkey | None = None
    try:
        hotkey = await asyncio.to_thread(probes.load_hotkey, config.wallet, config.hotkey, config.wallet_path)
    except ConfigurationError as error:
        problem = str(error)
    own = [
        machine.check_wallet(wallets / "hotkeys" / config.hotkey, problem),
        machine.check_coldkey(wallets / "coldkey"),
        await asyncio.to_thread(machine.check_tokenizer, probes.tokenizer_sha256),
        machine.check_disk(config.folder, probes.free_bytes),
    ]
    try:
        chain = await probes.open_chain(config, hotkey or _Watcher())
    except ConfigurationError as error:
        return [*own, fail("endpoint", str(error), "check --subtensor.network and --subtensor.chain_endpoint")]
    try:
        facts = await gather_facts(chain, hotkey.ss58_address if hotkey else None, probes.now, config.block_patience)
    finally:
        await chain.close()
    return [*own, *_common(facts), *await _of_role(config, facts, probes)]


def _common(facts: Facts) -> list[Check]:
    checks = (subnet.check_endpoint, subnet.check_clock, subnet.check_registered, subnet.check_tempo)
    return [check(facts) for check in checks]


async def _of_role(config: DoctorConfig, facts: Facts, probes: Probes) -> list[Check]:
    if config.role == "miner":
        axon = await services.check_axon(
            facts,
            config.axon,
            lambda axon: probes.health(axon, config.deadline),
            allow_private=config.allow_private,
        )
        return [subnet.check_immunity(facts), subnet.check_serving_limit(facts), axon]
    checks = (
        subnet.check_stake,
        subnet.check_permit,
        subnet.check_rate_limit,
        subnet.check_commit_reveal,
        subnet.check_version,
        subnet.check_immunity,
    )
    return [*(check(facts) for check in checks), await services.check_judge(config.judge, config.deadline)]
