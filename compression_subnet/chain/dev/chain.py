"""The dev chain itself: state, blocks and pool, with no clock and no network of its own."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from compression_subnet.chain.dev import epochs
from compression_subnet.chain.dev.blocks import Block, BlockListener, Ledger, make_block
from compression_subnet.chain.dev.errors import RpcFailure
from compression_subnet.chain.dev.execution import EventLog, apply_extrinsic
from compression_subnet.chain.dev.extrinsics import Extrinsic, parse_extrinsic
from compression_subnet.chain.dev.metadata.scale import opaque
from compression_subnet.chain.dev.pallets import CallContext, Event, registration
from compression_subnet.chain.dev.pool import Pool, Waiting
from compression_subnet.chain.dev.runtime import Codec
from compression_subnet.chain.dev.runtime.description import BLOCK_HASH_COUNT
from compression_subnet.chain.dev.state import Storage, VersionedState
from compression_subnet.chain.dev.validity import check_validity

__all__ = ["HISTORY", "Chain"]

HISTORY: Final = BLOCK_HASH_COUNT
"""Past blocks that can be read: state, headers and extrinsics."""

_SWEEP_EVERY: Final = 256
_UNSIGNED_V4: Final = b"\x04"
_STATE_DISCARDED: Final = 4003


@dataclass(slots=True)
class Chain:
    """One chain. ``now`` returns the time in milliseconds since 1970 that the next block will bear."""

    codec: Codec
    now: Callable[[], int]
    state: VersionedState = field(default_factory=lambda: VersionedState(HISTORY))
    pool: Pool = field(default_factory=Pool)
    listeners: list[BlockListener] = field(default_factory=list)
    on_seal: Callable[[bool], None] = lambda carries_extrinsics: None
    """Called when a block is complete and nobody has been told yet; with whether it holds signed extrinsics."""
    storage: Storage = field(init=False)
    ledger: Ledger = field(init=False)
    _outside: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.storage = Storage(self.state, self.codec)
        genesis = Block(0, self.codec.genesis_hash, bytes(32), bytes(32), bytes(32), ())
        self.ledger = Ledger(genesis, HISTORY)

    @property
    def head(self) -> Block:
        """The newest block."""
        return self.ledger.head

    def number_at(self, block_hash: bytes | None) -> int:
        """Return the number of the block at which a read is pinned; the newest where there is no hash.

        Raises:
            RpcFailure: no such block is kept.
        """
        if block_hash is None:
            return self.head.number
        block = self.ledger.by_hash(block_hash)
        if block is None or block.number < self.state.oldest:
            detail = f"UnknownBlock: State already discarded for 0x{block_hash.hex()}"
            raise RpcFailure(_STATE_DISCARDED, "Client error", detail)
        return block.number

    def parse(self, raw: bytes) -> Extrinsic:
        """Read an extrinsic and check its signature against the chain as it is.

        Raises:
            PoolRefusal: it cannot be read or is not its signer's.
        """

        def block_hash(number: int) -> bytes | None:
            block = self.ledger.by_number(number)
            return None if block is None else block.hash

        return parse_extrinsic(raw, self.codec, self.head.number, self.ledger.genesis.hash, block_hash)

    def submit(self, raw: bytes, included: Callable[[Block], None] = lambda block: None) -> Extrinsic:
        """Take an extrinsic into the pool; ``included`` is called with the block that it ends up in.

        Raises:
            PoolRefusal: the pool does not take it.
        """
        extrinsic = self.parse(raw)
        check_validity(self.storage, self.head.number + 1, extrinsic)
        self.pool.add(extrinsic, included)
        return extrinsic

    def emit_outside(self, event: Event) -> None:
        """Record an event that no extrinsic caused, for the next block."""
        self._outside.append(event)

    def new_block(self, *, quiet: bool = False) -> Block:
        """Build the next block from the pool and run the epochs that are due.

        Once it is sealed, those whose extrinsics it holds are told, and then, unless ``quiet``, the listeners.
        """
        taken = self._build()
        block = self.head
        self.on_seal(bool(taken))
        for waiting in taken:
            waiting.included(block)
        if not quiet:
            for listener in list(self.listeners):
                listener(block)
        return block

    def restore(self, values: Mapping[bytes, bytes], blocks: Sequence[Block]) -> None:
        """Continue from a saved state, whose last block is the head."""
        for block in blocks:
            self.ledger.append(block)
        self.state.load(values, self.head.number)

    def _build(self) -> list[Waiting]:
        self.state.block = number = self.head.number + 1
        log = EventLog()
        now = self.now()
        extrinsics = [opaque(_UNSIGNED_V4 + self.codec.compose_call("Timestamp", "set", {"now": now}))]
        self.storage.put("Now", value=now, pallet="Timestamp")
        self.storage.put("Number", value=number, pallet="System")
        log.add_inherent()
        context = CallContext(self.storage, number, self._outside)
        self._outside = []
        registration.lower_prices(self.storage)
        epochs.run_due_epochs(context)
        for event in context.events:
            log.add(None, event)
        taken = self.pool.take(self.storage, number)
        for waiting in taken:
            apply_extrinsic(self.storage, log, number, len(extrinsics), waiting.extrinsic)
            extrinsics.append(waiting.extrinsic.raw)
        self.storage.put("Events", value=log.records, pallet="System")
        self.ledger.append(make_block(number, self.head.hash, extrinsics))
        if number % _SWEEP_EVERY == 0:
            self.state.sweep()
        return taken
