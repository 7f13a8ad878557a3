"""Extrinsics that wait for a block."""

from collections.abc import Callable
from dataclasses import dataclass

from compression_subnet.chain.dev.blocks import Block
from compression_subnet.chain.dev.errors import PoolRefusal
from compression_subnet.chain.dev.extrinsics import Extrinsic
from compression_subnet.chain.dev.pallets import accounts
from compression_subnet.chain.dev.state import Storage

__all__ = ["Pool", "Waiting"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """An extrinsic of the pool and whom to tell of the block that includes it."""

    extrinsic: Extrinsic
    included: Callable[[Block], None]


class Pool:
    """Holds extrinsics by signer and nonce."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], Waiting] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, extrinsic: Extrinsic, included: Callable[[Block], None]) -> None:
        """Take an extrinsic that has been found valid.

        Raises:
            PoolRefusal: the pool holds it, or another of the same signer and nonce with no smaller tip.
        """
        place = (extrinsic.signer, extrinsic.nonce)
        held = self._waiting.get(place)
        if held is not None and held.extrinsic.hash == extrinsic.hash:
            raise PoolRefusal("", 1013, "Transaction is already imported")
        if held is not None and held.extrinsic.tip >= extrinsic.tip:
            detail = f"({extrinsic.tip} vs {held.extrinsic.tip})"
            raise PoolRefusal(
                "The transaction has too low priority to replace another transaction already in the pool.",
                1014,
                f"Priority is too low: {detail}",
            )
        self._waiting[place] = Waiting(extrinsic, included)

    def next_nonce(self, storage: Storage, signer: str) -> int:
        """Return the nonce that the signer's next extrinsic should carry, after those that wait."""
        nonce = accounts.nonce(storage, signer)
        while (signer, nonce) in self._waiting:
            nonce += 1
        return nonce

    def has_ready(self, storage: Storage) -> bool:
        """Say whether the next block would include anything."""
        signers = {signer for signer, _ in self._waiting}
        return any((signer, accounts.nonce(storage, signer)) in self._waiting for signer in signers)

    def take(self, storage: Storage, block: int) -> list[Waiting]:
        """Remove and return all that can go into block ``block``, each signer's in the order of nonces."""
        expired = [
            place
            for place, held in self._waiting.items()
            if held.extrinsic.nonce < accounts.nonce(storage, place[0])
            or (held.extrinsic.expires is not None and block >= held.extrinsic.expires)
        ]
        for place in expired:
            del self._waiting[place]
        ready: list[Waiting] = []
        for signer in dict.fromkeys(signer for signer, _ in self._waiting):
            nonce = accounts.nonce(storage, signer)
            while (signer, nonce) in self._waiting:
                ready.append(self._waiting.pop((signer, nonce)))
                nonce += 1
        return ready
