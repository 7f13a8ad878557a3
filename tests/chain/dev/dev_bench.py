"""A dev chain without a process or a socket, and signed extrinsics for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import bittensor_core

from compression_subnet.chain.dev import DevClient
from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.genesis import SubnetSettings, begin
from compression_subnet.chain.dev.launch import open_node, running_node
from compression_subnet.chain.dev.pallets import CallContext, registration, subnets
from compression_subnet.chain.dev.runtime import runtime_codec
from compression_subnet.chain.dev.runtime.codec import SPEC_VERSION, SS58_FORMAT, TRANSACTION_VERSION

SLOT = 12_000
NETUID = 1
ALPHA = 10**9


def key(uri: str) -> Any:
    return bittensor_core.Keypair.create_from_uri(uri)


def address(uri: str) -> str:
    return str(key(uri).ss58_address)


@dataclass
class Bench:
    """A chain in memory, with a clock that advances by one slot a block."""

    chain: Chain
    encoder: Any
    nonces: dict[str, int] = field(default_factory=dict)

    @property
    def storage(self) -> Any:
        return self.chain.storage

    def blocks(self, number: int = 1) -> int:
        for _ in range(number):
            self.chain.new_block()
        return self.chain.head.number

    def set(self, item: str, value: Any, netuid: int = NETUID) -> None:
        self.storage.put(item, netuid, value=value)

    def get(self, item: str, *keys: Any) -> Any:
        return self.storage.get(item, *keys)

    def register(self, uri: str, *, alpha: int = 0) -> int:
        uid = registration.register(
            CallContext(self.storage, self.chain.head.number), NETUID, address(uri), address(uri)
        )
        self.storage.put("TotalHotkeyAlpha", address(uri), NETUID, value=alpha * ALPHA)
        subnets.recompute_permits(self.storage, NETUID)
        return uid

    def sign(self, uri: str, call: str, arguments: dict[str, Any], **changes: Any) -> bytes:
        """Make a signed extrinsic with the SDK's own encoder, not with the code under test."""
        signer = key(changes.pop("signed_by", uri))
        era: Any = changes.pop("era", "00")
        nonce = changes.pop("nonce", None)
        if nonce is None:
            nonce = self.chain.pool.next_nonce(self.storage, address(uri))
        pallet = changes.pop("pallet", "SubtensorModule")
        data = changes.pop("data", None)
        if data is None:
            data = bytes(self.encoder.compose_call(pallet, call, arguments))
        genesis = self.chain.ledger.genesis.hash
        birth = genesis
        if isinstance(era, dict):
            number = bittensor_core.era_birth(era["period"], era["current"])
            birth = self.chain.ledger.by_number(number).hash  # type: ignore[union-attr]
        payload = self.encoder.signature_payload(
            data,
            era=era,
            nonce=nonce,
            tip=changes.get("tip", 0),
            tip_asset_id=None,
            genesis_hash=changes.get("genesis", genesis),
            era_block_hash=birth,
            metadata_hash=None,
        )
        raw, _ = self.encoder.encode_signed_extrinsic(
            data,
            public_key=bytes(bittensor_core.ss58_decode(address(uri))),
            signature=bytes(signer.sign(bytes(payload))),
            signature_version=1,
            era=era,
            nonce=nonce,
            tip=changes.get("tip", 0),
            tip_asset_id=None,
            metadata_hash_enabled=False,
        )
        return bytes(raw)

    def dispatch(self, uri: str, call: str, arguments: dict[str, Any], **changes: Any) -> str:
        """Include a call in a block of its own; return the name of its error, or an empty string."""
        self.chain.submit(self.sign(uri, call, arguments, **changes))
        self.chain.new_block()
        return self.last_error()

    def last_error(self) -> str:
        """Return the name of the error with which an extrinsic of the newest block failed, if one did."""
        for event in self.events("ExtrinsicFailed"):
            module = event["dispatch_error"]["Module"]
            name, _ = self.encoder.module_error(module["index"], int(module["error"][2:4], 16))
            return str(name)
        return ""

    def events(self, name: str) -> list[Any]:
        """Return the attributes of the newest block's events of that name."""
        records = self.storage.get("Events", pallet="System")
        return [record["attributes"] for record in records if record["event_id"] == name]


def make_bench(**settings: Any) -> Bench:
    """Begin a chain whose subnet has the given settings."""
    codec = runtime_codec(SLOT)
    ticks = count(1)
    chain = Chain(codec, now=lambda: 1_800_000_000_000 + next(ticks) * SLOT)
    begin(chain, SubnetSettings(**settings))
    encoder = bittensor_core.Runtime(codec.metadata, SPEC_VERSION, TRANSACTION_VERSION, SS58_FORMAT)
    return Bench(chain, encoder)


@asynccontextmanager
async def local_chain(**settings: Any) -> AsyncIterator[str]:
    """Serve a chain from the test's own event loop, over a real websocket; yields its URL."""
    async with running_node(open_node(0.0, SubnetSettings(**settings)), "127.0.0.1", 0) as (url, _):
        yield url


async def miner(dev: DevClient, uri: str, alpha: int = 0) -> Any:
    """Register a key's address as hotkey and coldkey, with a stake; return the key pair."""
    pair = key(uri)
    await dev.register(1, pair.ss58_address, pair.ss58_address)
    if alpha:
        await dev.set_stake(pair.ss58_address, 1, alpha * ALPHA)
    return pair
