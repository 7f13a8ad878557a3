"""The metagraph of a subnet, as ``SubnetInfoRuntimeApi.get_metagraph`` gives it."""

from typing import Any, Final

from compression_subnet.chain.dev.epochs import activity_cutoff
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.state import Storage

__all__ = ["NO_AXON", "metagraph"]

NO_AXON: Final = {
    "block": 0,
    "version": 0,
    "ip": 0,
    "port": 0,
    "ip_type": 0,
    "protocol": 0,
    "placeholder1": 0,
    "placeholder2": 0,
}
"""What the chain reports for a neuron that has published no address."""

# Field of the metagraph -> storage item of the subnet.
_OF_SUBNET: Final = {
    "network_registered_at": "NetworkRegisteredAt",
    "owner_hotkey": "SubnetOwnerHotkey",
    "owner_coldkey": "SubnetOwner",
    "tempo": "Tempo",
    "last_step": "LastMechansimStepBlock",
    "blocks_since_last_step": "BlocksSinceLastStep",
    "alpha_in": "SubnetAlphaIn",
    "alpha_out": "SubnetAlphaOut",
    "tao_in": "SubnetTAO",
    "alpha_out_emission": "SubnetAlphaOutEmission",
    "alpha_in_emission": "SubnetAlphaInEmission",
    "tao_in_emission": "SubnetTaoInEmission",
    "moving_price": "SubnetMovingPrice",
    "rho": "Rho",
    "kappa": "Kappa",
    "min_allowed_weights": "MinAllowedWeights",
    "max_weights_limit": "MaxWeightsLimit",
    "weights_version": "WeightsVersionKey",
    "weights_rate_limit": "WeightsSetRateLimit",
    "max_validators": "MaxAllowedValidators",
    "num_uids": "SubnetworkN",
    "max_uids": "MaxAllowedUids",
    "burn": "Burn",
    "difficulty": "Difficulty",
    "registration_allowed": "NetworkRegistrationAllowed",
    "pow_registration_allowed": "NetworkPowRegistrationAllowed",
    "immunity_period": "ImmunityPeriod",
    "min_difficulty": "MinDifficulty",
    "max_difficulty": "MaxDifficulty",
    "min_burn": "MinBurn",
    "max_burn": "MaxBurn",
    "adjustment_alpha": "AdjustmentAlpha",
    "adjustment_interval": "AdjustmentInterval",
    "target_regs_per_interval": "TargetRegistrationsPerInterval",
    "max_regs_per_block": "MaxRegistrationsPerBlock",
    "serving_rate_limit": "ServingRateLimit",
    "commit_reveal_weights_enabled": "CommitRevealWeightsEnabled",
    "commit_reveal_period": "RevealPeriodEpochs",
    "liquid_alpha_enabled": "LiquidAlphaOn",
    "bonds_moving_avg": "BondsMovingAverage",
    # One element for each uid.
    "active": "Active",
    "validator_permit": "ValidatorPermit",
    "last_update": "LastUpdate",
    "emission": "Emission",
    "dividends": "Dividends",
    "incentives": "Incentive",
    "consensus": "Consensus",
}
# Kept for clients, no longer filled by the live chain (spec 430 and later).
_UNUSED_COLUMNS: Final = ("pruning_score", "trust", "rank")
_UNUSED: Final = (
    "subnet_emission",
    "pending_alpha_emission",
    "pending_root_emission",
    "subnet_volume",
)


def metagraph(storage: Storage, at: int, netuid: int) -> dict[str, Any] | None:
    """Return the subnet after block ``at``, or None where it did not exist."""
    if not subnets.subnet_exists(storage, netuid, at):
        return None
    count = subnets.neuron_count(storage, netuid, at)
    hotkeys = [storage.get("Keys", netuid, uid, at=at) for uid in range(count)]
    stakes = [subnets.stake_weight(storage, netuid, hotkey, at) for hotkey in hotkeys]
    alpha_low, alpha_high = storage.get("AlphaValues", netuid, at=at)
    identity = storage.get("SubnetIdentitiesV3", netuid, at=at)
    report: dict[str, Any] = {name: storage.get(item, netuid, at=at) for name, item in _OF_SUBNET.items()}
    report |= dict.fromkeys(_UNUSED, 0) | {name: [0] * count for name in _UNUSED_COLUMNS}
    report |= {
        "netuid": netuid,
        "name": list(str(identity["subnet_name"] if identity else "dev").encode()),
        "symbol": list(str(storage.get("TokenSymbol", netuid, at=at)).encode()),
        "identity": identity,
        "block": at,
        "activity_cutoff": activity_cutoff(storage, netuid, at),
        "alpha_low": alpha_low,
        "alpha_high": alpha_high,
        "hotkeys": hotkeys,
        "coldkeys": [storage.get("Owner", hotkey, at=at) for hotkey in hotkeys],
        "identities": [None] * count,
        "axons": [storage.get("Axons", netuid, hotkey, at=at) or NO_AXON for hotkey in hotkeys],
        "block_at_registration": [storage.get("BlockAtRegistration", netuid, uid, at=at) for uid in range(count)],
        "total_stake": [weight for weight, _, _ in stakes],
        "alpha_stake": [alpha for _, alpha, _ in stakes],
        "tao_stake": [tao for _, _, tao in stakes],
        "tao_dividends_per_hotkey": [],
        "alpha_dividends_per_hotkey": [],
    }
    return report
