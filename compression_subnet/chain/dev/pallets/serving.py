"""Publishing an axon's address."""

from typing import Final

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.pallets.context import CallContext
from compression_subnet.chain.dev.state import Storage

__all__ = ["check_serving", "serve_axon"]

_LOOPBACK_V4: Final = 0x7F00_0001
_LOOPBACK_V6: Final = 1
_LARGEST_V4: Final = 2**32 - 1
_LARGEST_V6: Final = 2**128 - 1


def serve_axon(
    context: CallContext,
    signer: str,
    /,
    *,
    netuid: int,
    version: int,
    ip: int,
    port: int,
    ip_type: int,
    protocol: int,
    placeholder1: int,
    placeholder2: int,
) -> None:
    """Store where a registered hotkey can be reached (SubtensorModule.serve_axon)."""
    if not subnets.subnet_exists(context.storage, netuid):
        raise DispatchFailure("SubnetNotExists")
    check_serving(context.storage, context.block, signer, netuid, ip, port, ip_type)
    axon = {
        "block": context.block,
        "version": version,
        "ip": ip,
        "port": port,
        "ip_type": ip_type,
        "protocol": protocol,
        "placeholder1": placeholder1,
        "placeholder2": placeholder2,
    }
    context.storage.put("Axons", netuid, signer, value=axon)
    context.emit("SubtensorModule", "AxonServed", (netuid, signer))


def check_serving(storage: Storage, block: int, hotkey: str, netuid: int, ip: int, port: int, ip_type: int) -> None:
    """Check an axon's address as both the pool and the pallet do.

    Private ranges and 127.0.0.2 pass, as on the live chain; 127.0.0.1 does not.

    Raises:
        DispatchFailure: named as the pallet names it.
    """
    if subnets.uid_of(storage, netuid, hotkey) is None:
        raise DispatchFailure("HotKeyNotRegisteredInNetwork")
    if ip_type not in (4, 6):
        raise DispatchFailure("InvalidIpType")
    if ip_type == 4 and (ip >= _LARGEST_V4 or ip == _LOOPBACK_V4):
        raise DispatchFailure("InvalidIpAddress")
    if ip_type == 6 and ip in (_LARGEST_V6, _LOOPBACK_V6):
        raise DispatchFailure("InvalidIpAddress")
    previous = storage.get("Axons", netuid, hotkey)
    limit = int(storage.get("ServingRateLimit", netuid))
    if limit and previous is not None and previous["block"] and block - previous["block"] < limit:
        raise DispatchFailure("ServingRateLimitExceeded")
    if port == 0:
        raise DispatchFailure("InvalidPort")
