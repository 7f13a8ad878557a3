"""The hyperparameters of a subnet, as ``SubnetInfoRuntimeApi.get_subnet_hyperparams_v3`` gives them."""

from typing import Any

from compression_subnet.chain.dev.epochs import activity_cutoff
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.runtime.hyperparameters import HYPERPARAMETERS, Hyperparameter
from compression_subnet.chain.dev.state import Storage

__all__ = ["hyperparameters"]

_I32F32_SHIFT = 32


def hyperparameters(storage: Storage, at: int, netuid: int) -> list[dict[str, Any]] | None:
    """Return each hyperparameter's name and tagged value, or None where the subnet does not exist."""
    if not subnets.subnet_exists(storage, netuid, at):
        return None
    alpha_low, alpha_high = storage.get("AlphaValues", netuid, at=at)
    yuma3 = bool(storage.get("Yuma3On", netuid, at=at))
    entries = [_entry(row.name, row.report_tag, _value(storage, row, netuid, at)) for row in HYPERPARAMETERS]
    entries += [
        _entry("activity_cutoff", "U16", min(activity_cutoff(storage, netuid, at), 2**16 - 1)),
        _entry("alpha_low", "U16", alpha_low),
        _entry("alpha_high", "U16", alpha_high),
        _entry("yuma_version", "U16", 3 if yuma3 else 2),
        _entry("subnet_is_active", "Bool", bool(storage.get("SubtokenEnabled", netuid, at=at))),
        _entry("user_liquidity_enabled", "Bool", False),
    ]
    return entries


def _entry(name: str, tag: str, value: Any) -> dict[str, Any]:
    return {"name": list(name.encode()), "value": {tag: value}}


def _value(storage: Storage, row: Hyperparameter, netuid: int, at: int) -> Any:
    value = storage.get(row.item, netuid, at=at)
    return {"bits": int(value) << _I32F32_SHIFT} if row.report_tag == "I32F32" else value
