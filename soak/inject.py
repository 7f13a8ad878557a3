"""Carrying a plan's faults out."""

import asyncio
import contextlib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from soak.checks import Checks
from soak.damage import damage
from soak.judge import Judge
from soak.milestones import Milestones
from soak.miners import HOST, Fleet, Manner
from soak.network import Network
from soak.outcome import Outcome
from soak.plan import Fault, Kind
from soak.supervisor import Supervisor

__all__ = ["RESERVED", "Injector", "enrol"]

RESERVED: Final = 2
"""The first uids: the subnet owner's and the validator's."""
FEWEST_MINERS: Final = 24
SLOW_SECONDS: Final = 0.2
_CHAIN: Final = {
    Kind.CHAIN_DROP: "drop",
    Kind.CHAIN_HANG: "hang",
    Kind.CHAIN_REFUSE: "refuse",
    Kind.POOL_REFUSE: "pool",
}


@dataclass(slots=True)
class Injector:
    """Injects faults, several at once where a plan has several; each ends by itself.

    Attributes:
        active: how many are in force.
        down: whether the validator is down because it was killed or stopped.
        deaths: how often it was started anew.
    """

    network: Network
    fleet: Fleet
    judge: Judge
    supervisor: Supervisor
    checks: Checks
    milestones: Milestones
    outcome: Outcome
    record: Path
    active: int = 0
    down: bool = False
    deaths: int = 0
    _one_death: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def inject(self, fault: Fault) -> None:
        """Wait for the fault's moment, and let it happen."""
        await self.milestones.wait(fault.phase, fault.after)
        with self._active():
            await self._carry_out(fault, random.Random(f"{self.outcome.seed}:{fault}"))
        self.outcome.faults[fault.kind] = self.outcome.faults.get(fault.kind, 0) + 1

    async def restart(self) -> None:
        """Start the validator again, where it left by itself."""
        async with self._one_death:
            if self.supervisor.status is not None:
                await self.supervisor.start()
                self.deaths += 1

    async def _carry_out(self, fault: Fault, rng: random.Random) -> None:
        match fault.kind:
            case Kind.KILL | Kind.STOP | Kind.DAMAGE:
                await self._die(fault, rng)
            case Kind.CHAIN_SLOW:
                await self.network.fault("slow", seconds=fault.seconds, delay=SLOW_SECONDS)
                await asyncio.sleep(fault.seconds)
            case Kind.CHAIN_DROP | Kind.CHAIN_HANG | Kind.CHAIN_REFUSE | Kind.POOL_REFUSE:
                await self.network.fault(_CHAIN[fault.kind], seconds=fault.seconds)
                await asyncio.sleep(fault.seconds)
            case Kind.BLOCK_JUMP:
                await self.network.fault("jump", blocks=fault.amount)
            case Kind.JUDGE:
                with self.judge.failing(fault.way):
                    await asyncio.sleep(fault.seconds)
            case Kind.CLOCK_JUMP:
                await self._command(fault.seconds, {"clock": fault.amount}, {"clock": 0.0})
            case Kind.DISK_FULL:
                await self._command(fault.seconds, {"disk": "full"}, {"disk": "ok"})
            case Kind.DISK_ERROR:
                await self._command(fault.seconds, {"disk": "failing"}, {"disk": "ok"})
            case Kind.SWAP | Kind.SHRINK | Kind.GROW:
                await self._change_subnet(fault, rng)

    async def _die(self, fault: Fault, rng: random.Random) -> None:
        async with self._one_death:
            self.down = True
            try:
                if fault.kind is not Kind.STOP:
                    await self.supervisor.kill()
                elif not await self.supervisor.stop():
                    self.outcome.problems.append(f"epoch {fault.epoch}: SIGTERM did not end the validator in time")
                if fault.kind is Kind.DAMAGE:
                    self.network.settle()  # weights that were on their way are of the record as it was
                await self.checks.check(closed=True)
                if fault.kind is Kind.DAMAGE and self.record.exists():
                    await self.checks.damage(fault.way, lambda: damage(self.record, fault.way, rng))
                await self.supervisor.start()
            finally:
                self.down = False
                self.deaths += 1

    async def _command(self, seconds: float, begin: dict[str, object], end: dict[str, object]) -> None:
        await self.supervisor.command(**begin)
        await asyncio.sleep(seconds)
        await self.supervisor.command(**end)

    async def _change_subnet(self, fault: Fault, rng: random.Random) -> None:
        for _ in range(fault.amount):
            miners = {uid: hotkey for uid, hotkey in self.network.holders().items() if uid >= RESERVED}
            if fault.kind is Kind.GROW:
                await enrol(self.network, self.fleet, rng.choice(list(Manner)))
            elif fault.kind is Kind.SWAP:
                uid = rng.choice(sorted(miners))
                self.network.swap(uid, self.fleet.swap(miners[uid]))
            elif len(miners) > FEWEST_MINERS:
                self.fleet.miners.pop(self.network.shrink())

    @contextlib.contextmanager
    def _active(self) -> Iterator[None]:
        self.active += 1
        try:
            yield
        finally:
            self.active -= 1


async def enrol(network: Network, fleet: Fleet, manner: Manner) -> None:
    """Start a miner, register it, and put its address on chain if it has one."""
    miner = await fleet.add(manner)
    network.enrol(miner.hotkey)
    if manner is not Manner.MUTE:
        network.publish(miner.hotkey, HOST, miner.port)
