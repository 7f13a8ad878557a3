"""A subnet on a real chain: the port, implemented on bittensor 11.3."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from loguru import logger

from compression_subnet.chain.calls import Caller
from compression_subnet.chain.connection import Backoff, Connection
from compression_subnet.chain.port import Axon, Metagraph, ServeOutcome, WeightsOutcome
from compression_subnet.chain.reads import RAO_PER_TAO, metagraph_of
from compression_subnet.chain.standing import next_epoch
from compression_subnet.chain.wallets import Hotkey
from compression_subnet.chain.writes import Writer
from compression_subnet.errors import ChainError

if TYPE_CHECKING:
    from bittensor import Client

__all__ = ["BittensorChain", "open_caller", "open_chain"]


async def open_chain(
    network: str,
    netuid: int,
    hotkey: Hotkey,
    *,
    spec_version: int,
    deadline: float = 60.0,
    backoff: Backoff | None = None,
) -> "BittensorChain":
    """Return the chain at ``network``, seen by ``hotkey``; it connects when it is first asked something.

    Args:
        network: ``finney``, ``test``, ``local``, or an address ``ws://…`` or ``wss://…``.
        netuid: the subnet.
        hotkey: signs what is written; a key pair of the SDK's will do.
        spec_version: the version key that goes with weights.
        deadline: seconds within which every call ends. A write waits for its block: allow for several.
        backoff: waits between attempts to connect.

    Raises:
        ConfigurationError: ``network`` is not known.
    """
    return BittensorChain(open_caller(network, deadline, backoff), netuid, hotkey, spec_version)


def open_caller(network: str, deadline: float, backoff: Backoff | None = None) -> Caller:
    """Return what asks the chain at ``network``; it connects when it is first asked something.

    Raises:
        ConfigurationError: ``network`` is not known.
    """
    from compression_subnet.chain import sdk  # 1.2 s of bittensor

    endpoint = sdk.resolve(network)
    connection = Connection(
        dial=lambda: sdk.open_client(network, deadline),
        probe=lambda client: client.block(),
        lost=sdk.transport_failed,
        patience=deadline / 2,
        backoff=backoff or Backoff(),
    )
    return Caller(connection, endpoint, deadline, sdk.transport_failed)


class BittensorChain:
    """One subnet of one chain, seen by one hotkey. Implements ``compression_subnet.chain.port.Chain``.

    Reads are tried again, on another connection if need be, until their deadline. Writes are sent once: whoever
    gets ``Unreachable`` calls again, and is told of the first call where that took effect after all.
    """

    def __init__(self, caller: Caller, netuid: int, hotkey: Hotkey, spec_version: int):
        self._caller = caller
        self._netuid = netuid
        self._writer = Writer(caller, netuid, hotkey, spec_version)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Release the connection; further calls raise ``ChainError``."""
        await self._caller.connection.close()

    async def block(self) -> int:
        """Return the number of the newest block."""
        return int(await self._caller.read(lambda client: client.block()))

    async def timestamp(self) -> float:
        """Return the time of the newest block, in seconds since 1970, by the chain's own clock."""
        return float((await self._caller.read(lambda client: client.timestamp())).timestamp())

    async def stake_threshold(self) -> float:
        """Return the least stake weight, in alpha, with which the chain takes weights, on any subnet."""
        from bittensor import storage

        item = storage.SubtensorModule.StakeThreshold
        rao = await self._caller.read(lambda client: client.query((item.container, item.name)))
        return int(rao or 0) / RAO_PER_TAO

    async def metagraph(self) -> Metagraph:
        """Return the subnet as of the newest block."""
        graph = await self._caller.read(lambda client: client.subnets.metagraph(self._netuid, commitments=False))
        if graph is None:
            raise ChainError(
                f"there is no subnet {self._netuid} on {self._caller.endpoint}; check --netuid and the network"
            )
        return metagraph_of(graph)

    async def next_epoch_block(self) -> int:
        """Return the block at which the subnet's next epoch runs."""
        block = await self._caller.read(lambda client: next_epoch(client, self._netuid))
        if block is None:
            raise ChainError(f"subnet {self._netuid} runs no epochs: its tempo is 0, or it does not exist")
        return block

    async def weights(self) -> Mapping[int, Mapping[int, float]]:
        """Return the weights on chain: setter's uid to receiver's uid to share; each row's shares sum to 1."""
        return await self._caller.read(lambda client: client.weights.weights(netuid=self._netuid))

    async def serve_axon(self, axon: Axon) -> ServeOutcome:
        """Publish the address at which this hotkey answers; nothing is sent where the chain shows it already."""
        return await self._writer.serve_axon(axon)

    async def set_weights(self, weights: Mapping[int, int]) -> WeightsOutcome:
        """Set this hotkey's weights: uid to an integer in [0, 65535], the largest of them 65535.

        After ``Unreachable``, the next call first looks on chain for what became of that one: where it was for
        the same weights and took effect, its proof is returned and nothing is sent.

        Raises:
            InputError: the weights are not in that form.
        """
        return await self._writer.set_weights(weights)

    async def blocks(self) -> AsyncIterator[int]:
        """Yield the number of each new head until cancelled; after a gap, that of the newest.

        Raises:
            ChainError: the chain was closed.
        """
        heads: asyncio.Queue[int | Exception] = asyncio.Queue()
        feed = asyncio.create_task(self._feed(heads), name="chain-heads")
        last: int | None = None
        try:
            while True:
                try:
                    async with asyncio.timeout(self._caller.deadline):
                        head = await heads.get()
                except TimeoutError:
                    # Silence: a chain that stands still, or a dead socket. The probe tells which.
                    self._caller.connection.doubt()
                    continue
                if isinstance(head, Exception):
                    raise head
                if head != last:
                    last = head
                    yield head
        finally:
            feed.cancel()

    async def _feed(self, heads: "asyncio.Queue[int | Exception]") -> None:
        async def follow(client: "Client") -> None:
            async for header in client.blocks():
                heads.put_nowait(int(header.number))

        while True:
            try:
                await self._caller.connection.call(follow)
            except ChainError as error:
                heads.put_nowait(error)
                return
            except Exception as error:
                logger.info("the stream of blocks broke ({}); following it again", error)
            await asyncio.sleep(self._caller.backoff.first)
