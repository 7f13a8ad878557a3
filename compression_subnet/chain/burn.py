"""Where weight goes that no miner has earned."""

from compression_subnet.chain.port import Metagraph

__all__ = ["burn_uid"]


def burn_uid(metagraph: Metagraph) -> int | None:
    """Return the uid of the subnet owner's hotkey in ``metagraph``, or None where it holds none.

    What the owner's hotkey would be paid as a miner, the chain burns or recycles instead. The uid belongs to that
    hotkey only as long as it is registered, so look it up each time, and send nothing where it is None: the uid
    that the owner once had may be a miner's by now.
    """
    owner = metagraph.by_hotkey(metagraph.owner_hotkey) if metagraph.owner_hotkey else None
    return None if owner is None else owner.uid
