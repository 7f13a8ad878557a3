"""The subnet: a dev chain in this process, whose every weight setting of one hotkey is caught as it is sealed."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from compression_subnet.chain.dev.client import DevClient
from compression_subnet.chain.dev.epochs import next_epoch_block
from compression_subnet.chain.dev.genesis import NETUID, SubnetSettings
from compression_subnet.chain.dev.launch import open_node, running_node
from compression_subnet.chain.dev.pallets import CallContext, serving, subnets
from compression_subnet.chain.dev.rpc.dev import register

__all__ = ["NETUID", "Network", "Setting"]

STAKE_RAO: Final = 10**13
_SUBMIT: Final = "author_submitAndWatchExtrinsic"


@dataclass(frozen=True, slots=True)
class Setting:
    """Weights that a block brought.

    Attributes:
        block: its number.
        by_uid: the weights.
        holders: who held the uids in the moments before, newest first.
        serving: who has an address.
    """

    block: int
    by_uid: Mapping[int, int]
    holders: tuple[Mapping[int, str], ...]
    serving: frozenset[str]


class Network:
    """A subnet on a chain of its own.

    Args:
        tempo: blocks of an epoch.
        clock: monotonic seconds.
        memory: for so many seconds a holder of a uid is remembered: a validator reads who holds it and sends its
            weights a little later, as on every chain.

    Attributes:
        on_submit: called when an extrinsic is handed in.
        on_set: called when a block has weights of the watched hotkey.
        published: hotkeys that ever had an address.
    """

    def __init__(self, tempo: int, clock: Callable[[], float], memory: float = 5.0):
        self.node = open_node(0.05, SubnetSettings(tempo, False, 1))
        self._storage = self.node.chain.storage
        self._storage.put("ServingRateLimit", NETUID, value=0)
        self._clock = clock
        self.on_submit: Callable[[], None] = lambda: None
        self.on_set: Callable[[Setting], None] = lambda setting: None
        self._memory = memory
        self._watched: str | None = None
        self._one_call = asyncio.Lock()
        self._past: list[tuple[float, Mapping[int, str]]] = []
        self.published: set[str] = set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """Serve the chain and let it build blocks until the context ends; yields its URL."""
        submit = self.node.dispatcher.methods[_SUBMIT]

        def submitting(*arguments: Any) -> Any:
            self.on_submit()
            return submit(*arguments)

        self.node.dispatcher.methods[_SUBMIT] = submitting
        seal = self.node.chain.on_seal

        def sealed(carries_extrinsics: bool) -> None:
            seal(carries_extrinsics)
            self._sealed()

        # Not a listener: of blocks that come in a jump, listeners hear of the last alone.
        self.node.chain.on_seal = sealed
        async with running_node(self.node, "127.0.0.1", 0) as (url, building), DevClient(url) as self._dev:
            yield url
            if building.done():
                building.result()

    @property
    def block(self) -> int:
        """The newest block."""
        return self.node.chain.head.number

    @property
    def epoch(self) -> int:
        """How many epochs the subnet has run."""
        return int(self._storage.get("SubnetEpochIndex", NETUID))

    @property
    def blocks_left(self) -> int:
        """Blocks until the next epoch runs."""
        due = next_epoch_block(self._storage, NETUID)
        return 0 if due is None else due - self.block

    def holders(self) -> dict[int, str]:
        """Return who holds each uid."""
        count = subnets.neuron_count(self._storage, NETUID)
        return {uid: str(self._storage.get("Keys", NETUID, uid)) for uid in range(count)}

    def enrol(self, hotkey: str) -> int:
        """Register a hotkey, and return its uid."""
        self._remember()
        return register(self.node.chain, NETUID, hotkey, hotkey)

    def watch(self, hotkey: str) -> None:
        """Give a hotkey stake and a permit, and catch its weights."""
        self._storage.put("TotalHotkeyAlpha", hotkey, NETUID, value=STAKE_RAO)
        subnets.recompute_permits(self._storage, NETUID)
        self._watched = hotkey

    def publish(self, hotkey: str, host: str, port: int) -> None:
        """Put a miner's address on chain."""
        self.published.add(hotkey)
        serving.serve_axon(
            CallContext(self._storage, self.block),
            hotkey,
            netuid=NETUID,
            version=1,
            ip=int(ip_address(host)),
            port=port,
            ip_type=4,
            protocol=4,
            placeholder1=0,
            placeholder2=0,
        )

    def swap(self, uid: int, hotkey: str) -> None:
        """Give a uid, with the address of its holder, to another hotkey."""
        self._remember()
        if self.holders()[uid] in self.published:
            self.published.add(hotkey)
        subnets.swap_hotkey(self._storage, NETUID, uid, hotkey)

    def shrink(self) -> str:
        """Take the highest uid away, and return who held it."""
        self._remember()
        holders = self.holders()
        gone = holders[max(holders)]
        subnets.drop_last_neuron(self._storage, NETUID)
        return gone

    async def fault(self, kind: str, **arguments: Any) -> None:
        """Make the chain misbehave; ``chain.dev.faults`` lists the kinds."""
        async with self._one_call:
            await self._dev.fault(kind, arguments)

    def settle(self) -> None:
        """Take what was handed in into a block."""
        self.node.build()

    def _serving(self) -> frozenset[str]:
        return frozenset(str(hotkey) for (_, hotkey), _ in self._storage.entries("Axons", NETUID))

    def _remember(self) -> None:
        now = self._clock()
        self._past = [(at, held) for at, held in self._past if at > now - self._memory]
        self._past.append((now, self.holders()))

    def _sealed(self) -> None:
        uid = None if self._watched is None else subnets.uid_of(self._storage, NETUID, self._watched)
        if uid is None or self._storage.get("LastUpdate", NETUID)[uid] != self.block:
            return
        row = dict(self._storage.get("Weights", subnets.storage_index(NETUID), uid))
        if row:
            recent = self._clock() - self._memory
            past = [held for at, held in reversed(self._past) if at > recent]
            self.on_set(Setting(self.block, row, (self.holders(), *past), self._serving()))
