"""What an examination asks the chain, once, for all checks."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from compression_subnet.chain import Metagraph, Neuron
from compression_subnet.errors import ChainError

__all__ = ["ExaminedChain", "Facts", "gather_facts"]


class ExaminedChain(Protocol):
    """What an examination needs of a chain; ``BittensorChain`` gives it."""

    async def block(self) -> int:
        """Return the number of the newest block."""

    async def timestamp(self) -> float:
        """Return the time of the newest block, in seconds since 1970."""

    async def metagraph(self) -> Metagraph:
        """Return the subnet as of the newest block."""

    async def next_epoch_block(self) -> int:
        """Return the block at which the subnet's next epoch runs."""

    async def stake_threshold(self) -> float:
        """Return the least stake weight, in alpha, with which the chain takes weights."""

    def blocks(self) -> AsyncIterator[int]:
        """Yield the newest block's number, then each new one's."""

    async def close(self) -> None:
        """Release the connection."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The chain's side of an examination. A None is something that the chain did not tell."""

    hotkey: str | None
    """SS58 address, None where no wallet could be read."""
    metagraph: Metagraph | None = None
    block: int | None = None
    seconds: float | None = None
    """How long the first answer took."""
    age: float | None = None
    """Seconds by this machine's clock from a new block's time to its arrival here."""
    next_epoch: int | None = None
    stake_threshold: float | None = None
    error: str = ""
    """Why what is missing is missing."""

    @property
    def neuron(self) -> Neuron | None:
        """The examined hotkey's neuron, None where it is not known to be registered."""
        return self.metagraph.by_hotkey(self.hotkey) if self.metagraph and self.hotkey else None


async def gather_facts(chain: ExaminedChain, hotkey: str | None, now: Callable[[], float], patience: float) -> Facts:
    """Ask ``chain`` for everything that the checks want; never raises for what it does not answer.

    Args:
        chain: where to ask.
        hotkey: SS58 address of the examined hotkey.
        now: this machine's clock, in seconds since 1970.
        patience: seconds to wait for a new block, whose age tells the clocks apart.
    """
    started = now()
    try:
        block = await chain.block()
    except ChainError as error:
        return Facts(hotkey, error=str(error))
    seconds = now() - started
    results = await asyncio.gather(
        chain.metagraph(),
        chain.next_epoch_block(),
        chain.stake_threshold(),
        _age_of_new_block(chain, now, patience),
        return_exceptions=True,
    )
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, ChainError):
            raise result
    metagraph, next_epoch, threshold, age = (None if isinstance(r, BaseException) else r for r in results)
    return Facts(
        hotkey=hotkey,
        metagraph=metagraph if isinstance(metagraph, Metagraph) else None,
        block=block,
        seconds=seconds,
        age=age if isinstance(age, float) else None,
        next_epoch=next_epoch if isinstance(next_epoch, int) else None,
        stake_threshold=threshold if isinstance(threshold, float) else None,
        error="; ".join(dict.fromkeys(str(r) for r in results if isinstance(r, ChainError))),
    )


async def _age_of_new_block(chain: ExaminedChain, now: Callable[[], float], patience: float) -> float | None:
    """Return how old a block is when it comes in, None where none came in time.

    The first number that the stream yields is that of a block which is already there, of any age.
    """
    blocks = chain.blocks()
    try:
        async with asyncio.timeout(patience):
            await anext(blocks)
            await anext(blocks)
            arrived = now()
            return arrived - await chain.timestamp()
    except (TimeoutError, StopAsyncIteration):
        return None
    finally:
        close = getattr(blocks, "aclose", None)
        if close is not None:
            await close()
