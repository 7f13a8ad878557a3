"""A node's methods that take extrinsics."""

from collections.abc import Callable

from compression_subnet.chain.dev.blocks import Block
from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.rpc.session import Method, Session, hex_bytes, hex_text

__all__ = ["author_methods"]

_UPDATE = "author_extrinsicUpdate"


def author_methods(chain: Chain, admit: Callable[[], None]) -> dict[str, Method]:
    """Return the methods that fill the pool.

    Args:
        chain: the chain whose pool it is.
        admit: called before each extrinsic is looked at; raises ``RpcFailure`` where a fault refuses it.
    """

    def next_index(session: Session, address: str) -> int:
        return chain.pool.next_nonce(chain.storage, address)

    def submit(session: Session, extrinsic: str) -> str:
        admit()
        return hex_text(chain.submit(hex_bytes(extrinsic)).hash)

    def submit_and_watch(session: Session, extrinsic: str) -> str:
        admit()

        def included(block: Block) -> None:
            session.notify(_UPDATE, name, {"inBlock": hex_text(block.hash)})
            session.notify(_UPDATE, name, {"finalized": hex_text(block.hash)})

        name = session.subscribe(lambda: None)
        try:
            chain.submit(hex_bytes(extrinsic), included)
        except BaseException:
            session.unsubscribe(name)
            raise
        session.after_reply.append(lambda: session.notify(_UPDATE, name, "ready"))
        return name

    def unwatch(session: Session, name: str) -> bool:
        return session.unsubscribe(name)

    return {
        "account_nextIndex": next_index,
        "system_accountNextIndex": next_index,
        "author_submitExtrinsic": submit,
        "author_submitAndWatchExtrinsic": submit_and_watch,
        "author_unwatchExtrinsic": unwatch,
    }
