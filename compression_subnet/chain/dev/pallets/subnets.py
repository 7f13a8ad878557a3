"""Subnets and their neurons: what is stored for each, and stake, permits and age."""

from typing import Any, Final

from compression_subnet.chain.dev.runtime.hyperparameters import HYPERPARAMETERS
from compression_subnet.chain.dev.state import Storage

__all__ = [
    "ROOT",
    "add_subnet",
    "append_neuron",
    "drop_last_neuron",
    "neuron_count",
    "owner_uid",
    "recompute_permits",
    "replace_neuron",
    "stake_weight",
    "storage_index",
    "subnet_exists",
    "subnets",
    "swap_hotkey",
    "uid_of",
]

ROOT: Final = 0
"""Netuid of the root network, whose stake is TAO."""

_INDEX_STRIDE: Final = 4_096
_LARGEST_INDEX: Final = 2**16 - 1
_TAO_WEIGHT_SCALE: Final = 2**64
# One element for each uid; what a new neuron starts with.
_VECTORS: Final = {
    "StakeWeight": 0,
    "Active": True,
    "Consensus": 0,
    "Incentive": 0,
    "Dividends": 0,
    "Emission": 0,
    "LastUpdate": 0,
    "ValidatorTrust": 0,
    "ValidatorPermit": False,
}


def storage_index(netuid: int, mechanism: int = 0) -> int:
    """Return the index under which a mechanism's weights and updates are stored."""
    return min(mechanism * _INDEX_STRIDE + netuid, _LARGEST_INDEX)


def subnets(storage: Storage, at: int | None = None) -> list[int]:
    """Return the netuids that exist, in order."""
    return sorted(keys[0] for keys, added in storage.entries("NetworksAdded", at=at) if added)


def subnet_exists(storage: Storage, netuid: int, at: int | None = None) -> bool:
    """Say whether the subnet exists."""
    return bool(storage.get("NetworksAdded", netuid, at=at))


def neuron_count(storage: Storage, netuid: int, at: int | None = None) -> int:
    """Return how many uids the subnet has."""
    return int(storage.get("SubnetworkN", netuid, at=at))


def uid_of(storage: Storage, netuid: int, hotkey: str, at: int | None = None) -> int | None:
    """Return the uid of a hotkey, or None where it is not registered."""
    uid = storage.get("Uids", netuid, hotkey, at=at)
    return None if uid is None else int(uid)


def owner_uid(storage: Storage, netuid: int) -> int | None:
    """Return the uid of the subnet owner's hotkey, or None where it is not registered."""
    return uid_of(storage, netuid, storage.get("SubnetOwnerHotkey", netuid))


def stake_weight(storage: Storage, netuid: int, hotkey: str, at: int | None = None) -> tuple[int, int, int]:
    """Return stake weight, alpha on the subnet and TAO on root of a hotkey, in rao.

    The weight is alpha plus ``TaoWeight`` of the TAO, as Yuma consensus and the stake threshold count it.
    """
    alpha = int(storage.get("TotalHotkeyAlpha", hotkey, netuid, at=at))
    tao = int(storage.get("TotalHotkeyAlpha", hotkey, ROOT, at=at))
    tao_weight = int(storage.get("TaoWeight", at=at))
    return alpha + tao * tao_weight // _TAO_WEIGHT_SCALE, alpha, tao


def add_subnet(storage: Storage, netuid: int, owner_coldkey: str, owner_hotkey: str, block: int) -> None:
    """Create a subnet with a new subnet's settings; its owner's hotkey becomes uid 0, as on the live chain."""
    storage.put("NetworksAdded", netuid, value=True)
    storage.put("NetworkRegisteredAt", netuid, value=block)
    storage.put("SubnetOwner", netuid, value=owner_coldkey)
    storage.put("SubnetOwnerHotkey", netuid, value=owner_hotkey)
    storage.put("LastEpochBlock", netuid, value=block)
    storage.put("SubtokenEnabled", netuid, value=True)
    storage.put("TotalNetworks", value=len(subnets(storage)))
    for row in HYPERPARAMETERS:
        value: Any = row.default if row.initial is None else row.initial
        if row.type == "FixedU128":
            value = {"bits": value}
        storage.put(row.item, netuid, value=bool(value) if row.type == "bool" else value)
    append_neuron(storage, netuid, owner_hotkey, owner_coldkey, block)
    recompute_permits(storage, netuid)


def append_neuron(storage: Storage, netuid: int, hotkey: str, coldkey: str, block: int) -> int:
    """Give a hotkey the next uid."""
    uid = neuron_count(storage, netuid)
    storage.put("SubnetworkN", netuid, value=uid + 1)
    for item, initial in _VECTORS.items():
        storage.put(item, netuid, value=[*storage.get(item, netuid), initial])
    _occupy(storage, netuid, uid, hotkey, coldkey, block)
    return uid


def replace_neuron(storage: Storage, netuid: int, uid: int, hotkey: str, coldkey: str, block: int) -> None:
    """Give a uid to another hotkey and forget what its former holder did there."""
    _vacate(storage, netuid, uid)
    for item, initial in _VECTORS.items():
        storage.put_element(item, netuid, uid, initial)
    _occupy(storage, netuid, uid, hotkey, coldkey, block)


def swap_hotkey(storage: Storage, netuid: int, uid: int, hotkey: str) -> None:
    """Let another hotkey of the same coldkey hold a uid: it takes over address, stake and standing."""
    former = storage.get("Keys", netuid, uid)
    axon = storage.get("Axons", netuid, former)
    storage.remove("Uids", netuid, former)
    storage.remove("IsNetworkMember", former, netuid)
    storage.remove("Axons", netuid, former)
    storage.put("Keys", netuid, uid, value=hotkey)
    storage.put("Uids", netuid, hotkey, value=uid)
    storage.put("IsNetworkMember", hotkey, netuid, value=True)
    storage.put("Owner", hotkey, value=storage.get("Owner", former))
    storage.put("TotalHotkeyAlpha", hotkey, netuid, value=storage.get("TotalHotkeyAlpha", former, netuid))
    storage.remove("TotalHotkeyAlpha", former, netuid)
    if axon is not None:
        storage.put("Axons", netuid, hotkey, value=axon)
    if storage.get("SubnetOwnerHotkey", netuid) == former:
        storage.put("SubnetOwnerHotkey", netuid, value=hotkey)


def drop_last_neuron(storage: Storage, netuid: int) -> None:
    """Remove the highest uid and every weight and bond on it."""
    uid = neuron_count(storage, netuid) - 1
    _vacate(storage, netuid, uid)
    storage.remove("Keys", netuid, uid)
    storage.remove("BlockAtRegistration", netuid, uid)
    storage.put("SubnetworkN", netuid, value=uid)
    for item in _VECTORS:
        storage.put(item, netuid, value=list(storage.get(item, netuid))[:uid])
    for item in ("Weights", "Bonds"):
        for (_, setter), row in list(storage.entries(item, netuid)):
            storage.put(item, netuid, setter, value=[pair for pair in row if pair[0] != uid])


def recompute_permits(storage: Storage, netuid: int) -> None:
    """Permit the neurons with the most stake weight, as many as may validate, and the owner's always.

    Those below the stake threshold have none. Losing the permit loses the bonds.
    """
    count = neuron_count(storage, netuid)
    threshold = int(storage.get("StakeThreshold"))
    stakes = [stake_weight(storage, netuid, storage.get("Keys", netuid, uid))[0] for uid in range(count)]
    holders = [uid for uid in range(count) if stakes[uid] > 0 and stakes[uid] >= threshold]
    holders.sort(key=lambda uid: (-stakes[uid], uid))
    permitted = set(holders[: int(storage.get("MaxAllowedValidators", netuid))]) | {owner_uid(storage, netuid)}
    for uid, held in enumerate(storage.get("ValidatorPermit", netuid)):
        if held and uid not in permitted:
            storage.remove("Bonds", netuid, uid)
    storage.put("ValidatorPermit", netuid, value=[uid in permitted for uid in range(count)])


def _occupy(storage: Storage, netuid: int, uid: int, hotkey: str, coldkey: str, block: int) -> None:
    storage.put("Keys", netuid, uid, value=hotkey)
    storage.put("Uids", netuid, hotkey, value=uid)
    storage.put("IsNetworkMember", hotkey, netuid, value=True)
    storage.put("BlockAtRegistration", netuid, uid, value=block)
    storage.put_element("LastUpdate", netuid, uid, block)
    storage.put("Owner", hotkey, value=coldkey)
    owned = list(storage.get("OwnedHotkeys", coldkey))
    if hotkey not in owned:
        storage.put("OwnedHotkeys", coldkey, value=[*owned, hotkey])


def _vacate(storage: Storage, netuid: int, uid: int) -> None:
    hotkey = storage.get("Keys", netuid, uid)
    storage.remove("Uids", netuid, hotkey)
    storage.remove("IsNetworkMember", hotkey, netuid)
    storage.remove("Axons", netuid, hotkey)
    storage.remove("Weights", netuid, uid)
    storage.remove("Bonds", netuid, uid)
