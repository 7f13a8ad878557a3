"""Blocks: headers, hashes and the recent part of the chain."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compression_subnet.chain.dev.metadata.scale import compact
from compression_subnet.chain.dev.runtime.codec import blake2_256

__all__ = ["Block", "BlockListener", "Ledger", "make_block"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block. Hashes are 32 bytes; extrinsics are as they travel, with their length before them."""

    number: int
    hash: bytes
    parent: bytes
    state_root: bytes
    extrinsics_root: bytes
    extrinsics: tuple[bytes, ...]

    def header(self) -> dict[str, object]:
        """Return the header as the JSON-RPC interface shows it."""
        return {
            "parentHash": f"0x{self.parent.hex()}",
            "number": hex(self.number),
            "stateRoot": f"0x{self.state_root.hex()}",
            "extrinsicsRoot": f"0x{self.extrinsics_root.hex()}",
            "digest": {"logs": []},
        }


BlockListener = Callable[[Block], None]


def make_block(number: int, parent: bytes, extrinsics: Sequence[bytes]) -> Block:
    """Make the block of ``extrinsics`` on top of ``parent``.

    The hash is a real one of the header. The roots only need to differ with what they stand for: no client of the
    dev chain asks for proofs.
    """
    state_root = blake2_256(b"state" + parent)
    extrinsics_root = blake2_256(b"".join(extrinsics))
    header = parent + compact(number) + state_root + extrinsics_root + compact(0)
    return Block(number, blake2_256(header), parent, state_root, extrinsics_root, tuple(extrinsics))


class Ledger:
    """The genesis block and the last ``history`` blocks."""

    def __init__(self, genesis: Block, history: int):
        self._history = history
        self.genesis = genesis
        self.head = genesis
        self._by_number = {genesis.number: genesis}
        self._by_hash = {genesis.hash: genesis}

    def append(self, block: Block) -> None:
        """Make ``block`` the head and forget the one that is now too old."""
        self.head = block
        self._by_number[block.number] = block
        self._by_hash[block.hash] = block
        old = self._by_number.get(block.number - self._history)
        if old is not None and old is not self.genesis:
            del self._by_number[old.number]
            del self._by_hash[old.hash]

    def by_number(self, number: int) -> Block | None:
        """Return the block of that number, or None where it is unknown or forgotten."""
        return self._by_number.get(number)

    def by_hash(self, block_hash: bytes) -> Block | None:
        """Return the block of that hash, or None where it is unknown or forgotten."""
        return self._by_hash.get(block_hash)

    def recent(self) -> list[Block]:
        """Return the blocks that are kept, the genesis first."""
        return [self._by_number[number] for number in sorted(self._by_number)]
