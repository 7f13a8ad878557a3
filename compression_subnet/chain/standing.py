"""Where a hotkey stands with the chain's rate limits, read at one block before anything is sent."""

import asyncio
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any, Final

from compression_subnet.chain.outcomes import event_of, reveal_round
from compression_subnet.chain.port import Axon, Committed, WeightsSet

if TYPE_CHECKING:
    from bittensor import Client

__all__ = [
    "WEIGHTS_EVENTS",
    "AxonStanding",
    "WeightsStanding",
    "axon_standing",
    "confirmation",
    "next_epoch",
    "weights_standing",
]

WEIGHTS_EVENTS: Final = ("WeightsSet", "TimelockedWeightsCommitted")
_U16_MAX: Final = 65535


@dataclass(frozen=True, slots=True)
class WeightsStanding:
    """What decides whether weights may be set now. Blocks, unless a line says otherwise."""

    block: int
    uid: int | None
    """None where the hotkey is not registered."""
    last_update: int
    """0 where the hotkey never set weights; its registration counts as an update."""
    rate_limit: int
    largest_share: float
    """The largest share that one uid may have, in [0, 1]; the SDK would clip what is larger."""

    @property
    def next_block(self) -> int:
        """First block at which the chain takes weights again."""
        return self.last_update + self.rate_limit if self.last_update else self.block


@dataclass(frozen=True, slots=True)
class AxonStanding:
    """What decides whether an axon's address may be published now."""

    block: int
    block_hash: str
    published: Axon | None
    published_at: int
    """Block of the last publication, 0 where there was none."""
    rate_limit: int

    @property
    def next_block(self) -> int:
        """First block at which the chain takes an address again."""
        return self.published_at + self.rate_limit if self.published_at else self.block


async def weights_standing(client: "Client", netuid: int, hotkey: str) -> WeightsStanding:
    """Read the standing of ``hotkey``, all of it at one block."""
    from bittensor import storage

    item = storage.SubtensorModule
    view = await client.at()
    uid, updates, rate_limit, limit = await asyncio.gather(
        view.query(item.Uids, [netuid, hotkey]),
        view.query(item.LastUpdate, [netuid]),
        view.query(item.WeightsSetRateLimit, [netuid]),
        view.query(item.MaxWeightsLimit, [netuid]),
    )
    updates = list(updates or ())
    return WeightsStanding(
        block=int(view.block),
        uid=None if uid is None else int(uid),
        last_update=int(updates[int(uid)]) if uid is not None and int(uid) < len(updates) else 0,
        rate_limit=int(rate_limit or 0),
        largest_share=1.0 if limit is None else int(limit) / _U16_MAX,
    )


async def axon_standing(client: "Client", netuid: int, hotkey: str) -> AxonStanding:
    """Read what ``hotkey`` has published, and when, at one block."""
    from bittensor import storage

    item = storage.SubtensorModule
    view = await client.at()
    info, rate_limit, header = await asyncio.gather(
        view.query(item.Axons, [netuid, hotkey]),
        view.query(item.ServingRateLimit, [netuid]),
        client.block_info(view.block),
    )
    return AxonStanding(
        block=int(view.block),
        block_hash=str(header.hash) if header is not None else "",
        published=_axon(info),
        published_at=int(info["block"]) if isinstance(info, dict) else 0,
        rate_limit=int(rate_limit or 0),
    )


async def confirmation(
    client: "Client", netuid: int, uid: int, hotkey: str, block: int
) -> WeightsSet | Committed | None:
    """Return the proof in ``block`` that ``hotkey`` set or committed weights there; None where it holds none."""
    from bittensor import storage

    info = await client.block_info(block)
    if info is None or not info.hash:
        return None
    view = await client.at(block)
    for record in await view.query(storage.System.Events, []) or ():
        name, facts = event_of(record)
        if name == "WeightsSet" and facts == (netuid, uid):
            return WeightsSet(block, str(info.hash))
        drand = reveal_round(facts)
        if name == "TimelockedWeightsCommitted" and facts[:2] == (hotkey, netuid) and drand is not None:
            return Committed(block, str(info.hash), drand)
    return None


async def next_epoch(client: "Client", netuid: int) -> int | None:
    """Return the block of the subnet's next epoch, None where it runs none.

    Asked of the runtime, which knows of epochs that the owner triggers; a runtime older than that call is read by
    the rule that it had: the last epoch plus the tempo.
    """
    from bittensor import ChainError, storage

    try:
        block = await client.epochs.next_epoch_start_block(netuid=netuid)
        return None if block is None else int(block)
    except ChainError as error:
        if "is not found" not in str(error):
            raise
    view = await client.at()
    last, tempo = await asyncio.gather(
        view.query(storage.SubtensorModule.LastEpochBlock, [netuid]),
        view.query(storage.SubtensorModule.Tempo, [netuid]),
    )
    return int(last or 0) + int(tempo) if tempo else None


def _axon(info: Any) -> Axon | None:
    if not isinstance(info, dict) or not int(info.get("ip") or 0) or not int(info.get("port") or 0):
        return None
    kind = IPv6Address if int(info.get("ip_type") or 4) == 6 else IPv4Address
    return Axon(str(kind(int(info["ip"]))), int(info["port"]))
