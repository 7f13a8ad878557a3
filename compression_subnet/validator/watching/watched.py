"""Chain and judge with somebody looking over their shoulder: every answer, and every failure, is told."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from compression_subnet.chain.port import Axon, Chain, Metagraph, ServeOutcome, Unreachable, WeightsOutcome
from compression_subnet.errors import ChainError
from compression_subnet.judge.types import Answer, Answerer
from compression_subnet.validator.watching.operations import Operations

__all__ = ["WatchedAnswerer", "WatchedChain"]

T = TypeVar("T")


class WatchedChain:
    """A ``Chain`` that tells ``operations`` what came of each call to the one that it stands before."""

    def __init__(self, chain: Chain, operations: Operations):
        self._chain = chain
        self._operations = operations

    async def block(self) -> int:
        """Return the number of the newest block."""
        block = await self._told("block", self._chain.block())
        self._operations.chain_is_at(block)
        return block

    async def metagraph(self) -> Metagraph:
        """Return the subnet as of the newest block."""
        return await self._told("metagraph", self._chain.metagraph())

    async def next_epoch_block(self) -> int:
        """Return the block at which the subnet's next epoch runs."""
        return await self._told("next_epoch_block", self._chain.next_epoch_block())

    async def weights(self) -> Mapping[int, Mapping[int, float]]:
        """Return the weights on chain."""
        return await self._told("weights", self._chain.weights())

    async def serve_axon(self, axon: Axon) -> ServeOutcome:
        """Publish an address."""
        return await self._told("serve_axon", self._chain.serve_axon(axon))

    async def set_weights(self, weights: Mapping[int, int]) -> WeightsOutcome:
        """Set this hotkey's weights."""
        return await self._told("set_weights", self._chain.set_weights(weights))

    def blocks(self) -> AsyncIterator[int]:
        """Yield new blocks' numbers."""
        return self._chain.blocks()

    async def close(self) -> None:
        """Release the connection."""
        await self._chain.close()

    async def _told(self, call: str, answer: Awaitable[T]) -> T:
        try:
            found = await answer
        except ChainError as error:
            self._operations.chain_failed(call, error)
            raise
        if isinstance(found, Unreachable):
            self._operations.chain_failed(call, ChainError(found.detail))
        else:
            self._operations.chain_answered(found)
        return found


class WatchedAnswerer:
    """An ``Answerer`` that tells what the one behind it answered."""

    def __init__(self, answerer: Answerer, told: Callable[[Sequence[Answer]], None]):
        self._answerer = answerer
        self._told = told

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return one answer a question, in their order."""
        answers = await self._answerer.answer(text, questions)
        self._told(answers)
        return answers
