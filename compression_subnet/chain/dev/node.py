"""A node: the chain, its methods, when it builds blocks and when it saves them."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from compression_subnet import __version__
from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.faults import FaultPlan
from compression_subnet.chain.dev.rpc import (
    READ_ONLY,
    Dispatcher,
    author_methods,
    chain_methods,
    dev_methods,
    fault_methods,
    state_methods,
    system_methods,
)
from compression_subnet.chain.dev.snapshot import save_snapshot

__all__ = ["DEV_PREFIX", "Node"]

DEV_PREFIX: Final = "dev_"
"""How the names of development methods begin."""

_SAVE_EVERY: Final = 1.0
"""Seconds between saves of blocks that hold nothing of anybody's."""

_IDLE: Final = 3_600.0


@dataclass(slots=True)
class Node:
    """Builds a block every ``block_time`` seconds; where that is 0, one for each extrinsic and on demand.

    Args:
        chain: the chain.
        block_time: seconds between blocks.
        clock: returns seconds; only differences count.
        state: file in which the chain is kept, if any.
    """

    chain: Chain
    block_time: float
    clock: Callable[[], float]
    state: Path | None = None
    dispatcher: Dispatcher = field(default_factory=Dispatcher)
    faults: FaultPlan = field(init=False)
    cutters: set[Callable[[], None]] = field(default_factory=set)
    """What cuts each connection off that has asked for anything but development methods."""
    _saved: float = field(init=False)

    def __post_init__(self) -> None:
        self.faults = FaultPlan(self.clock)
        self._saved = self.clock()
        dispatcher = self.dispatcher
        dispatcher.add(chain_methods(self.chain))
        dispatcher.add(state_methods(self.chain))
        dispatcher.add(system_methods(__version__))
        dispatcher.add(author_methods(self.chain, self.faults.admit))
        dispatcher.add(dev_methods(self.chain, self.build, dispatcher.calls))
        dispatcher.add(fault_methods(self.chain, self.faults, self._cut))
        dispatcher.add({"rpc_methods": lambda session: {"methods": sorted(dispatcher.methods)}})
        self.chain.on_seal = self._sealed

    def build(self, count: int = 1) -> None:
        """Build that many blocks now."""
        for _ in range(count):
            self.chain.new_block()

    def after_call(self, method: str) -> None:
        """Save what a development method changed."""
        if method.startswith(DEV_PREFIX) and method not in READ_ONLY:
            self.save()

    def after_request(self) -> None:
        """Build a block if a request left something for it and no clock will."""
        while not self.block_time and self.chain.pool.has_ready(self.chain.storage):
            self.build()

    async def run(self) -> None:
        """Build blocks by the clock until cancelled."""
        due = self.clock()
        while True:
            due = max(due + self.block_time, self.clock())
            await asyncio.sleep(due - self.clock() if self.block_time else _IDLE)
            if self.block_time:
                self.build()

    def save(self) -> None:
        """Write the chain to its file, if it has one."""
        if self.state is not None:
            save_snapshot(self.chain, self.state)
            self._saved = self.clock()

    def _sealed(self, carries_extrinsics: bool) -> None:
        # A block that somebody waits for is on disk before anybody is told of it.
        if carries_extrinsics or self.clock() - self._saved >= _SAVE_EVERY:
            self.save()

    def _cut(self) -> None:
        for cut in list(self.cutters):
            cut()
