"""A subnet as it was at an earlier block: read only, and by anybody."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from compression_subnet.chain.adapter import open_caller
from compression_subnet.chain.calls import Caller
from compression_subnet.chain.connection import Backoff
from compression_subnet.chain.port import Committed, WeightsSet
from compression_subnet.chain.standing import confirmation
from compression_subnet.errors import ChainError, ChainUnreachable

if TYPE_CHECKING:
    from bittensor import Client

__all__ = ["ChainHistory", "PastValidator", "open_history"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PastValidator:
    """One validator of a subnet, after one block.

    Attributes:
        block: its number.
        uid: the validator's; None where its hotkey was not registered.
        permit: whether it had a validator permit.
        weights: its 16-bit weights by uid, zeros left out; scaled by the chain so that the largest is 65535.
        hotkeys: of the uids that were asked for.
        tempo: of the subnet, in blocks.
        reveal_epochs: after how many epochs weights are revealed, where they are committed.
    """

    block: int
    uid: int | None
    permit: bool
    weights: Mapping[int, int]
    hotkeys: Mapping[int, str]
    tempo: int
    reveal_epochs: int


def open_history(
    network: str, netuid: int, *, deadline: float = 60.0, backoff: Backoff | None = None
) -> "ChainHistory":
    """Return the past of the subnet ``netuid`` at ``network``; it connects when it is first asked something.

    Raises:
        ConfigurationError: ``network`` is not known.
    """
    return ChainHistory(open_caller(network, deadline, backoff), netuid)


class ChainHistory:
    """The past of one subnet. Use it as a context manager, or close it."""

    def __init__(self, caller: Caller, netuid: int):
        self._caller = caller
        self._netuid = netuid

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Release the connection."""
        await self._caller.connection.close()

    async def block(self) -> int:
        """Return the number of the newest block.

        Raises:
            ChainError: the chain cannot be read.
        """
        return int(await self._caller.read(lambda client: client.block()))

    async def validator(self, block: int, hotkey: str, uids: Sequence[int] = ()) -> PastValidator | None:
        """Return the validator ``hotkey`` as of ``block``, with the hotkeys of ``uids``; None where that is gone.

        Raises:
            ChainError: the chain cannot be read.
        """
        return await self._past(lambda client: _validator(client, self._netuid, block, hotkey, uids))

    async def proof(self, block: int, uid: int, hotkey: str) -> WeightsSet | Committed | None:
        """Return the proof in ``block`` that ``hotkey`` set or committed weights there.

        None where it holds none, or where the node no longer has that block.

        Raises:
            ChainError: the chain cannot be read.
        """
        return await self._past(lambda client: confirmation(client, self._netuid, uid, hotkey, block))

    async def _past(self, operation: "Callable[[Client], Awaitable[T]]") -> T | None:
        from compression_subnet.chain.sdk import state_gone  # 1.2 s of bittensor

        try:
            return await self._caller.read(operation)
        except ChainUnreachable:
            raise
        except ChainError as error:
            if state_gone(error):
                return None
            raise


async def _validator(client: "Client", netuid: int, block: int, hotkey: str, uids: Sequence[int]) -> PastValidator:
    from bittensor import storage

    item = storage.SubtensorModule
    view = await client.at(block)
    uid, permits, tempo, reveal_epochs, *names = await asyncio.gather(
        view.query(item.Uids, [netuid, hotkey]),
        view.query(item.ValidatorPermit, [netuid]),
        view.query(item.Tempo, [netuid]),
        view.query(item.RevealPeriodEpochs, [netuid]),
        *(view.query(item.Keys, [netuid, one]) for one in uids),
    )
    row = [] if uid is None else await view.query(item.Weights, [netuid, int(uid)])
    return PastValidator(
        block=block,
        uid=None if uid is None else int(uid),
        permit=uid is not None and int(uid) < len(permits or ()) and bool(permits[int(uid)]),
        weights={int(target): int(weight) for target, weight in row or () if int(weight)},
        hotkeys={one: str(name) for one, name in zip(uids, names, strict=True)},
        tempo=int(tempo or 0),
        reveal_epochs=int(reveal_epochs or 0),
    )
