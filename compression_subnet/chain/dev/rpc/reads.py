"""A node's methods that read: ``chain_*``, ``state_*`` and ``system_*``, as far as clients use them."""

from functools import lru_cache, partial
from typing import Any, Final

from compression_subnet.chain.dev.apis import call_runtime_api
from compression_subnet.chain.dev.blocks import Block
from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.metadata.scale import opaque, optional
from compression_subnet.chain.dev.rpc.session import Method, Session, hex_bytes, hex_text, invalid_parameters
from compression_subnet.chain.dev.runtime.codec import SPEC_VERSION, SS58_FORMAT, TRANSACTION_VERSION

__all__ = ["chain_methods", "state_methods", "system_methods"]

_METADATA_AT_VERSION: Final = "Metadata_metadata_at_version"
_METADATA_VERSION: Final = (15).to_bytes(4, "little")
_LARGEST_PAGE: Final = 1_000
_KEPT_ANSWERS: Final = 64


def chain_methods(chain: Chain) -> dict[str, Method]:
    """Return the methods that read blocks."""

    def find(block_hash: str | None) -> Block | None:
        return chain.head if block_hash is None else chain.ledger.by_hash(hex_bytes(block_hash))

    def get_block_hash(session: Session, number: Any = None) -> Any:
        if isinstance(number, list):
            return [get_block_hash(session, each) for each in number]
        if number is None:
            return hex_text(chain.head.hash)
        block = chain.ledger.by_number(int(number, 16) if isinstance(number, str) else int(number))
        return None if block is None else hex_text(block.hash)

    def get_head(session: Session) -> str:
        return hex_text(chain.head.hash)

    def get_header(session: Session, block_hash: str | None = None) -> Any:
        block = find(block_hash)
        return None if block is None else block.header()

    def get_block(session: Session, block_hash: str | None = None) -> Any:
        block = find(block_hash)
        if block is None:
            return None
        extrinsics = [hex_text(extrinsic) for extrinsic in block.extrinsics]
        return {"block": {"header": block.header(), "extrinsics": extrinsics}, "justifications": None}

    def subscribe(session: Session, *, event: str) -> str:
        def publish(block: Block) -> None:
            session.notify(event, name, block.header())

        name = session.subscribe(lambda: chain.listeners.remove(publish))
        chain.listeners.append(publish)
        session.after_reply.append(lambda: publish(chain.head))
        return name

    def unsubscribe(session: Session, name: str) -> bool:
        return session.unsubscribe(name)

    new_heads = partial(subscribe, event="chain_newHead")
    finalized_heads = partial(subscribe, event="chain_finalizedHead")
    return {
        "chain_getBlockHash": get_block_hash,
        "chain_getHead": get_head,
        "chain_getFinalizedHead": get_head,  # a block is final as soon as it is built
        "chain_getHeader": get_header,
        "chain_getBlock": get_block,
        "chain_subscribeNewHeads": new_heads,
        "chain_subscribeFinalizedHeads": finalized_heads,
        "chain_unsubscribeNewHeads": unsubscribe,
        "chain_unsubscribeFinalizedHeads": unsubscribe,
    }


def state_methods(chain: Chain) -> dict[str, Method]:
    """Return the methods that read the state, at any block that is kept."""

    def at(block_hash: str | None) -> int:
        return chain.number_at(None if block_hash is None else hex_bytes(block_hash))

    def get_storage(session: Session, key: str, block_hash: str | None = None) -> str | None:
        value = chain.state.get(hex_bytes(key), at(block_hash))
        return None if value is None else hex_text(value)

    def query_storage_at(session: Session, keys: list[str], block_hash: str | None = None) -> Any:
        number = at(block_hash)
        block = chain.ledger.by_number(number) or chain.head
        changes = [[key, get_storage(session, key, block_hash)] for key in keys]
        return [{"block": hex_text(block.hash), "changes": changes}]

    def get_keys_paged(
        session: Session, prefix: str, count: int, start: str | None = None, block_hash: str | None = None
    ) -> list[str]:
        if not 0 < count <= _LARGEST_PAGE:
            raise invalid_parameters(f"a page has 1 to {_LARGEST_PAGE} keys, not {count}")
        after = hex_bytes(start) if start else b""
        found = chain.state.keys(hex_bytes(prefix), at(block_hash), after)
        return [hex_text(key) for _, key in zip(range(count), found, strict=False)]

    @lru_cache(_KEPT_ANSWERS)
    def answer(name: str, arguments: bytes, number: int, version: int) -> str:
        # Every neuron of a subnet asks for the same metagraph in each block: it is computed once.
        return hex_text(call_runtime_api(chain.storage, number, name, arguments))

    def call(session: Session, name: str, data: str = "0x", block_hash: str | None = None) -> str:
        arguments = hex_bytes(data)
        if name == _METADATA_AT_VERSION:
            known = arguments == _METADATA_VERSION
            return hex_text(optional(opaque(chain.codec.metadata) if known else None))
        return answer(name, arguments, at(block_hash), chain.state.version)

    def get_runtime_version(session: Session, block_hash: str | None = None) -> dict[str, Any]:
        if block_hash is not None and chain.ledger.by_hash(hex_bytes(block_hash)) is None:
            chain.number_at(hex_bytes(block_hash))  # says what is wrong with it
        return {
            "specName": "node-subtensor",
            "implName": "node-subtensor",
            "authoringVersion": 1,
            "specVersion": SPEC_VERSION,
            "implVersion": 1,
            "transactionVersion": TRANSACTION_VERSION,
            "stateVersion": 1,
            "apis": [],
        }

    def subscribe_runtime_version(session: Session) -> str:
        name = session.subscribe(lambda: None)  # the runtime never changes: it is told once
        version = get_runtime_version(session)
        session.after_reply.append(lambda: session.notify("state_runtimeVersion", name, version))
        return name

    def unsubscribe_runtime_version(session: Session, name: str) -> bool:
        return session.unsubscribe(name)

    def get_metadata(session: Session, block_hash: str | None = None) -> str:
        return hex_text(chain.codec.metadata)

    return {
        "state_getStorage": get_storage,
        "state_getStorageAt": get_storage,
        "state_queryStorageAt": query_storage_at,
        "state_getKeysPaged": get_keys_paged,
        "state_call": call,
        "state_getRuntimeVersion": get_runtime_version,
        "chain_getRuntimeVersion": get_runtime_version,
        "state_subscribeRuntimeVersion": subscribe_runtime_version,
        "state_unsubscribeRuntimeVersion": unsubscribe_runtime_version,
        "state_getMetadata": get_metadata,
    }


def system_methods(version: str) -> dict[str, Method]:
    """Return the methods that describe the node."""
    answers: dict[str, Any] = {
        "system_chain": "Bittensor Dev Chain",
        "system_name": "compression-subnet dev chain",
        "system_version": version,
        "system_properties": {"ss58Format": SS58_FORMAT, "tokenDecimals": 9, "tokenSymbol": "TAO"},
        "system_health": {"peers": 0, "isSyncing": False, "shouldHavePeers": False},
    }

    def answer(session: Session, *, result: Any) -> Any:
        return result

    return {name: partial(answer, result=result) for name, result in answers.items()}
