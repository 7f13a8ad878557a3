"""Neurons one by one, as ``NeuronInfoRuntimeApi`` gives them."""

from typing import Any, Final

from compression_subnet.chain.dev.apis.metagraph import NO_AXON
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.state import Storage

__all__ = ["neuron", "neuron_lite", "neurons", "neurons_lite"]

_NO_PROMETHEUS: Final = {"block": 0, "version": 0, "ip": 0, "port": 0, "ip_type": 0}
_COLUMNS: Final = {
    "active": "Active",
    "emission": "Emission",
    "incentive": "Incentive",
    "consensus": "Consensus",
    "validator_trust": "ValidatorTrust",
    "dividends": "Dividends",
    "last_update": "LastUpdate",
    "validator_permit": "ValidatorPermit",
}
_UNUSED: Final = ("rank", "trust", "pruning_score")


def neurons_lite(storage: Storage, at: int, netuid: int) -> list[dict[str, Any]]:
    """Return every neuron without its weights and bonds; none where the subnet does not exist."""
    columns = {name: storage.get(item, netuid, at=at) for name, item in _COLUMNS.items()}
    count = subnets.neuron_count(storage, netuid, at)
    return [_neuron(storage, at, netuid, uid, columns) for uid in range(count)]


def neurons(storage: Storage, at: int, netuid: int) -> list[dict[str, Any]]:
    """Return every neuron with its weights and bonds; none where the subnet does not exist."""
    return [row | _sparse_rows(storage, at, netuid, row["uid"]) for row in neurons_lite(storage, at, netuid)]


def neuron_lite(storage: Storage, at: int, netuid: int, uid: int) -> dict[str, Any] | None:
    """Return one neuron without its weights and bonds, or None where there is no such uid."""
    rows = neurons_lite(storage, at, netuid)
    return rows[uid] if uid < len(rows) else None


def neuron(storage: Storage, at: int, netuid: int, uid: int) -> dict[str, Any] | None:
    """Return one neuron with its weights and bonds, or None where there is no such uid."""
    row = neuron_lite(storage, at, netuid, uid)
    return None if row is None else row | _sparse_rows(storage, at, netuid, uid)


def _neuron(storage: Storage, at: int, netuid: int, uid: int, columns: dict[str, Any]) -> dict[str, Any]:
    hotkey = storage.get("Keys", netuid, uid, at=at)
    coldkey = storage.get("Owner", hotkey, at=at)
    return {
        "hotkey": hotkey,
        "coldkey": coldkey,
        "uid": uid,
        "netuid": netuid,
        "axon_info": storage.get("Axons", netuid, hotkey, at=at) or NO_AXON,
        "prometheus_info": _NO_PROMETHEUS,
        "stake": [(coldkey, subnets.stake_weight(storage, netuid, hotkey, at)[0])],
        **{name: column[uid] for name, column in columns.items()},
        **dict.fromkeys(_UNUSED, 0),
    }


def _sparse_rows(storage: Storage, at: int, netuid: int, uid: int) -> dict[str, Any]:
    return {
        "weights": storage.get("Weights", netuid, uid, at=at),
        "bonds": storage.get("Bonds", netuid, uid, at=at),
    }
