"""Storage items of SubtensorModule that the SDK, btcli and the dev chain's own pallets read or write."""

from typing import Final

from compression_subnet.chain.dev.metadata import StorageItem
from compression_subnet.chain.dev.metadata.scale import compact, opaque, primitive
from compression_subnet.chain.dev.runtime.hyperparameters import HYPERPARAMETERS, Hyperparameter

__all__ = ["SUBTENSOR_STORAGE"]

_ACCOUNT: Final = "AccountId32"
_NO_ACCOUNT: Final = bytes(32)
_EMPTY: Final = compact(0)
_SUBNET: Final = (("Identity", "u16"),)
_UID: Final = (*_SUBNET, ("Identity", "u16"))
_HOTKEY_OF_SUBNET: Final = (*_SUBNET, ("Blake2_128Concat", _ACCOUNT))
_HOTKEY: Final = (("Blake2_128Concat", _ACCOUNT),)
_HOTKEY_THEN_SUBNET: Final = (*_HOTKEY, *_SUBNET)
_COMMITS: Final = (("Twox64Concat", "u16"), ("Twox64Concat", "u64"))


def _hyperparameter(row: Hyperparameter) -> StorageItem:
    width = "u128" if row.type == "FixedU128" else row.type
    return StorageItem(row.item, row.type, ((row.hasher, "u16"),), primitive(width, row.default))


def _number(name: str, type_name: str, default: int = 0, keys: tuple[tuple[str, str], ...] = ()) -> StorageItem:
    return StorageItem(name, type_name, keys, primitive(type_name, default))


def _per_subnet(name: str, type_name: str, default: int = 0) -> StorageItem:
    return _number(name, type_name, default, _SUBNET)


def _vector(name: str, element: str) -> StorageItem:
    """A vector with one element for each uid of a subnet."""
    return StorageItem(name, f"Vec<{element}>", _SUBNET, _EMPTY)


_GLOBAL: Final = (
    _number("TaoWeight", "u64", 971_718_665_099_567_868),
    _number("StakeThreshold", "u64"),
    _number("CommitRevealWeightsVersion", "u16", 4),
    _number("TotalNetworks", "u16"),
    _number("NetworkRateLimit", "u64", 7_200),
    _number("NetworkMinLockCost", "u64", 1_000_000_000_000),
    _number("NetworkLastLockCost", "u64", 1_000_000_000_000),
    _number("NetworkImmunityPeriod", "u64", 1_296_000),
    _number("MaxMechanismCount", "u8", 2),
)

_OF_SUBNET: Final = (
    _per_subnet("NetworksAdded", "bool"),
    _per_subnet("SubnetworkN", "u16"),
    _per_subnet("Burn", "u64", 100_000_000),
    _per_subnet("NetworkRegisteredAt", "u64"),
    _per_subnet("LastEpochBlock", "u64"),
    _per_subnet("PendingEpochAt", "u64"),
    _per_subnet("SubnetEpochIndex", "u64"),
    _per_subnet("BlocksSinceLastStep", "u64"),
    _per_subnet("LastMechansimStepBlock", "u64"),  # the chain's own spelling
    _per_subnet("SubtokenEnabled", "bool"),
    _per_subnet("SubnetTAO", "u64"),
    _per_subnet("SubnetAlphaIn", "u64"),
    _per_subnet("SubnetAlphaOut", "u64"),
    _per_subnet("SubnetTaoInEmission", "u64"),
    _per_subnet("SubnetAlphaInEmission", "u64"),
    _per_subnet("SubnetAlphaOutEmission", "u64"),
    _per_subnet("MinNonImmuneUids", "u16", 10),
    _number("MechanismCountCurrent", "u8", 1, (("Twox64Concat", "u16"),)),
    StorageItem("SubnetEpochConsensus", "EpochConsensus", _SUBNET, bytes(1)),
    StorageItem("AlphaValues", "(u16,u16)", _SUBNET, primitive("u16", 45_875) + primitive("u16", 58_982)),
    StorageItem("SubnetMovingPrice", "FixedI128", _SUBNET, bytes(16)),
    StorageItem("SubnetEmaTaoFlow", "(u64,FixedI128)", _SUBNET),
    StorageItem("TokenSymbol", "Vec<u8>", _SUBNET, opaque("\U0001d70f".encode())),
    StorageItem("SubnetIdentitiesV3", "SubnetIdentityV3", (("Blake2_128Concat", "u16"),)),
    StorageItem("SubnetOwner", _ACCOUNT, _SUBNET, _NO_ACCOUNT),
    StorageItem("SubnetOwnerHotkey", _ACCOUNT, _SUBNET, _NO_ACCOUNT),
)

_OF_NEURON: Final = (
    StorageItem("Uids", "u16", _HOTKEY_OF_SUBNET),
    StorageItem("Keys", _ACCOUNT, _UID, _NO_ACCOUNT),
    StorageItem("IsNetworkMember", "bool", _HOTKEY_THEN_SUBNET, bytes(1)),
    StorageItem("Owner", _ACCOUNT, _HOTKEY, _NO_ACCOUNT),
    StorageItem("OwnedHotkeys", f"Vec<{_ACCOUNT}>", _HOTKEY, _EMPTY),
    StorageItem("Axons", "AxonInfo", _HOTKEY_OF_SUBNET),
    StorageItem("IdentitiesV2", "ChainIdentityV2", _HOTKEY),
    StorageItem("TotalHotkeyAlpha", "u64", _HOTKEY_THEN_SUBNET, bytes(8)),
    StorageItem("BlockAtRegistration", "u64", _UID, bytes(8)),
    StorageItem("Weights", "Vec<(u16,u16)>", _UID, _EMPTY),
    StorageItem("Bonds", "Vec<(u16,u16)>", _UID, _EMPTY),
    StorageItem("TimelockedWeightCommits", f"Vec<({_ACCOUNT},u64,Vec<u8>,u64)>", _COMMITS, _EMPTY),
    _vector("StakeWeight", "u16"),
    _vector("Active", "bool"),
    _vector("Consensus", "u16"),
    _vector("Incentive", "u16"),
    _vector("Dividends", "u16"),
    _vector("Emission", "u64"),
    _vector("LastUpdate", "u64"),
    _vector("ValidatorTrust", "u16"),
    _vector("ValidatorPermit", "bool"),
)

SUBTENSOR_STORAGE: Final = (*map(_hyperparameter, HYPERPARAMETERS), *_GLOBAL, *_OF_SUBNET, *_OF_NEURON)
