"""The subnet's hyperparameters: one table for storage, for the report that btcli reads, and for setting them.

Defaults and the values of a new subnet are the public pallet's (spec 424 to 446). A few of them matter to nothing
that the dev chain does; they are kept because btcli reads them.
"""

from dataclasses import dataclass
from typing import Final

__all__ = ["HYPERPARAMETERS", "Hyperparameter", "hyperparameter"]

_ONE: Final = 2**64


@dataclass(frozen=True, slots=True)
class Hyperparameter:
    """A setting of each subnet, in a storage map from netuid to value."""

    name: str
    """As the SDK names it."""
    item: str
    """Storage item of SubtensorModule that holds it."""
    type: str
    default: int
    """What an absent entry means; bits for fixed-point types, 0 or 1 for a boolean."""
    initial: int | None = None
    """What a new subnet gets, where that differs from the default."""
    tag: str = ""
    """Variant of HyperparamValue that reports it, where the type does not decide."""
    hasher: str = "Identity"

    @property
    def report_tag(self) -> str:
        """Variant of ``HyperparamValue`` in which the runtime API gives it."""
        return self.tag or {"FixedU128": "U64F64"}.get(self.type, self.type.capitalize())


HYPERPARAMETERS: Final = tuple(
    Hyperparameter(*row)
    for row in (
        ("rho", "Rho", "u16", 10),
        ("kappa", "Kappa", "u16", 32_767),
        ("immunity_period", "ImmunityPeriod", "u16", 4_096, 5_000),
        ("min_allowed_weights", "MinAllowedWeights", "u16", 1_024, 1),
        ("max_weights_limit", "MaxWeightsLimit", "u16", 65_535),
        ("tempo", "Tempo", "u16", 360),
        ("min_difficulty", "MinDifficulty", "u64", 10_000_000),
        ("max_difficulty", "MaxDifficulty", "u64", _ONE // 4),
        ("difficulty", "Difficulty", "u64", 10_000_000),
        ("weights_version", "WeightsVersionKey", "u64", 0),
        ("weights_rate_limit", "WeightsSetRateLimit", "u64", 100),
        ("adjustment_interval", "AdjustmentInterval", "u16", 100, 360),
        ("activity_cutoff_factor", "ActivityCutoffFactorMilli", "u32", 13_889),
        ("registration_allowed", "NetworkRegistrationAllowed", "bool", 0, 1),
        ("network_pow_registration_allowed", "NetworkPowRegistrationAllowed", "bool", 0),
        ("target_regs_per_interval", "TargetRegistrationsPerInterval", "u16", 2, 1),
        ("min_burn", "MinBurn", "u64", 500_000, None, "TaoBalance"),
        ("max_burn", "MaxBurn", "u64", 100_000_000_000, None, "TaoBalance"),
        ("bonds_moving_avg", "BondsMovingAverage", "u64", 900_000),
        ("max_regs_per_block", "MaxRegistrationsPerBlock", "u16", 1),
        ("serving_rate_limit", "ServingRateLimit", "u64", 50),
        ("max_validators", "MaxAllowedValidators", "u16", 128, 64),
        ("adjustment_alpha", "AdjustmentAlpha", "u64", 0, 17_893_341_751_498_265_066),
        ("commit_reveal_period", "RevealPeriodEpochs", "u64", 1, None, "", "Twox64Concat"),
        ("commit_reveal_weights_enabled", "CommitRevealWeightsEnabled", "bool", 1),
        ("liquid_alpha_enabled", "LiquidAlphaOn", "bool", 0),
        ("bonds_penalty", "BondsPenalty", "u16", 65_535),
        ("alpha_sigmoid_steepness", "AlphaSigmoidSteepness", "i16", 1_000, None, "I32F32"),
        ("min_childkey_take", "MinChildkeyTakePerSubnet", "u16", 0),
        ("owner_immune_neuron_limit", "ImmuneOwnerUidsLimit", "u16", 1),
        ("max_allowed_uids", "MaxAllowedUids", "u16", 256),
        ("burn_increase_mult", "BurnIncreaseMult", "FixedU128", _ONE + _ONE * 26 // 100),
        ("burn_half_life", "BurnHalfLife", "u16", 360),
        ("collateral_lock_share", "CollateralLockShare", "u16", 0),
        ("collateral_drain_ratio", "CollateralDrainRatio", "FixedU128", _ONE),
        ("yuma3_enabled", "Yuma3On", "bool", 0, 1),
        ("subnet_emission_enabled", "SubnetEmissionEnabled", "bool", 1),
        ("bonds_reset_enabled", "BondsResetOn", "bool", 0),
        ("transfers_enabled", "TransferToggle", "bool", 1),
        ("owner_cut_enabled", "OwnerCutEnabled", "bool", 1),
        ("owner_cut_auto_lock_enabled", "OwnerCutAutoLockEnabled", "bool", 0),
    )
)


def hyperparameter(name: str) -> Hyperparameter:
    """Return the hyperparameter that the SDK, or the chain's storage, knows by ``name``.

    Raises:
        KeyError: there is none; the message lists the names.
    """
    for row in HYPERPARAMETERS:
        if name in (row.name, row.item):
            return row
    known = ", ".join(row.name for row in HYPERPARAMETERS)
    raise KeyError(f"no hyperparameter is named {name!r}; known: {known}")
