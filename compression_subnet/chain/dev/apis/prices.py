"""Prices: of alpha, of a new subnet, and of including an extrinsic."""

from typing import Any, Final

from compression_subnet.chain.dev.execution import WEIGHT
from compression_subnet.chain.dev.extrinsics import call_of
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.state import Storage
from compression_subnet.chain.dev.validity import fee_of

__all__ = ["alpha_price", "alpha_prices", "network_registration_cost", "query_info"]

_RAO_PER_TAO: Final = 10**9
_LENGTH_BYTES: Final = 4


def alpha_price(storage: Storage, at: int, netuid: int) -> int:
    """Return the spot price of a subnet's alpha in rao per alpha: TAO over alpha in its pool."""
    if netuid == subnets.ROOT:
        return _RAO_PER_TAO
    tao = int(storage.get("SubnetTAO", netuid, at=at))
    alpha = int(storage.get("SubnetAlphaIn", netuid, at=at))
    return tao * _RAO_PER_TAO // alpha if alpha else 0


def alpha_prices(storage: Storage, at: int) -> list[dict[str, int]]:
    """Return the price of every subnet's alpha."""
    return [{"netuid": netuid, "price": alpha_price(storage, at, netuid)} for netuid in subnets.subnets(storage, at)]


def network_registration_cost(storage: Storage, at: int) -> int:
    """Return what registering a subnet would cost, in rao; here it never moves from its floor."""
    return int(storage.get("NetworkMinLockCost", at=at))


def query_info(storage: Storage, at: int, data: bytes) -> dict[str, Any]:
    """Return weight and fee of an extrinsic, whose length follows it in ``data``."""
    pallet, call = call_of(data[:-_LENGTH_BYTES], storage.codec)
    return {"weight": WEIGHT, "class": "Normal", "partial_fee": fee_of(pallet, call)}
