"""The named types of the runtime, laid out as on the live chain."""

from collections.abc import Mapping
from typing import Final

from compression_subnet.chain.dev.metadata import Composite, Field, Variant, Variants, fields

__all__ = ["TYPES"]


def _names(path: str, names: str) -> Variants:
    return Variants(path, tuple(Variant(index, name) for index, name in enumerate(names.split())))


def _wrappers(path: str, *variants: tuple[int, str, str]) -> Variants:
    """An enumeration whose variants each hold what their declaration says."""
    return Variants(path, tuple(Variant(index, name, fields(held)) for index, name, held in variants))


def _texts(names: str) -> tuple[Field, ...]:
    return tuple(Field(name, "Vec<u8>") for name in names.split())


_PRIMITIVES: Final[dict[str, Composite | Variants]] = {
    "AccountId32": Composite("sp_core::crypto::AccountId32", fields("[u8;32]")),
    "H256": Composite("primitive_types::H256", fields("[u8;32]")),
    "FixedI64": Composite("substrate_fixed::FixedI64", fields("bits:i64")),
    "FixedI128": Composite("substrate_fixed::FixedI128", fields("bits:i128")),
    "FixedU128": Composite("substrate_fixed::FixedU128", fields("bits:u128")),
    "Weight": Composite("sp_weights::weight_v2::Weight", fields("ref_time:Compact<u64> proof_size:Compact<u64>")),
}

_EXTRINSIC_PARAMETERS: Final = (
    Field("Address", "MultiAddress"),
    Field("Call", "RuntimeCall"),
    Field("Signature", "MultiSignature"),
    Field("Extension", "()"),
)

_EXTRINSIC: Final[dict[str, Composite | Variants]] = {
    "MultiAddress": _wrappers(
        "sp_runtime::multiaddress::MultiAddress",
        (0, "Id", "AccountId32"),
        (1, "Index", "Compact<()>"),
        (2, "Raw", "Vec<u8>"),
        (3, "Address32", "[u8;32]"),
        (4, "Address20", "[u8;20]"),
    ),
    "MultiSignature": _wrappers(
        "sp_runtime::MultiSignature",
        (0, "Ed25519", "[u8;64]"),
        (1, "Sr25519", "[u8;64]"),
        (2, "Ecdsa", "[u8;65]"),
    ),
    "Era": _wrappers(
        "sp_runtime::generic::era::Era",
        (0, "Immortal", ""),
        *((index, f"Mortal{index}", "u8") for index in range(1, 256)),
    ),
    "MetadataHashMode": _names("frame_metadata_hash_extension::Mode", "Disabled Enabled"),
    "GenericExtrinsic": Composite(
        "sp_runtime::generic::unchecked_extrinsic::UncheckedExtrinsic", fields("Vec<u8>"), _EXTRINSIC_PARAMETERS
    ),
    "UncheckedExtrinsic": Composite(
        "fp_self_contained::unchecked_extrinsic::UncheckedExtrinsic",
        fields("GenericExtrinsic"),
        _EXTRINSIC_PARAMETERS,
    ),
}

_SYSTEM: Final[dict[str, Composite | Variants]] = {
    "DispatchClass": _names("frame_support::dispatch::DispatchClass", "Normal Operational Mandatory"),
    "Pays": _names("frame_support::dispatch::Pays", "Yes No"),
    "DispatchEventInfo": Composite(
        "frame_system::DispatchEventInfo", fields("weight:Weight class:DispatchClass pays_fee:Pays")
    ),
    "ModuleError": Composite("sp_runtime::ModuleError", fields("index:u8 error:[u8;4]")),
    "TokenError": _names(
        "sp_runtime::TokenError",
        "FundsUnavailable OnlyProvider BelowMinimum CannotCreate UnknownAsset Frozen Unsupported CannotCreateHold "
        "NotExpendable Blocked",
    ),
    "DispatchError": _wrappers(
        "sp_runtime::DispatchError",
        (0, "Other", ""),
        (1, "CannotLookup", ""),
        (2, "BadOrigin", ""),
        (3, "Module", "ModuleError"),
        (4, "ConsumerRemaining", ""),
        (5, "NoProviders", ""),
        (6, "TooManyConsumers", ""),
        (7, "Token", "TokenError"),
    ),
    "Phase": _wrappers(
        "frame_system::Phase", (0, "ApplyExtrinsic", "u32"), (1, "Finalization", ""), (2, "Initialization", "")
    ),
    "EventRecord": Composite("frame_system::EventRecord", fields("phase:Phase event:RuntimeEvent topics:Vec<H256>")),
    "AccountData": Composite(
        "pallet_balances::types::AccountData", fields("free:u64 reserved:u64 frozen:u64 flags:u128")
    ),
    "AccountInfo": Composite(
        "frame_system::AccountInfo",
        fields("nonce:u32 consumers:u32 providers:u32 sufficients:u32 data:AccountData"),
    ),
    "RuntimeDispatchInfo": Composite(
        "pallet_transaction_payment::types::RuntimeDispatchInfo",
        fields("weight:Weight class:DispatchClass partial_fee:u64"),
    ),
}

_SUBNET: Final[dict[str, Composite | Variants]] = {
    "AxonInfo": Composite(
        "pallet_subtensor::pallet::AxonInfo",
        fields("block:u64 version:u32 ip:u128 port:u16 ip_type:u8 protocol:u8 placeholder1:u8 placeholder2:u8"),
    ),
    "PrometheusInfo": Composite(
        "pallet_subtensor::pallet::PrometheusInfo", fields("block:u64 version:u32 ip:u128 port:u16 ip_type:u8")
    ),
    "ChainIdentityV2": Composite(
        "pallet_subtensor::pallet::ChainIdentityV2",
        _texts("name url github_repo image discord description additional"),
    ),
    "SubnetIdentityV3": Composite(
        "pallet_subtensor::pallet::SubnetIdentityV3",
        _texts("subnet_name github_repo subnet_contact subnet_url discord description logo_url additional"),
    ),
    "EpochConsensus": _names("pallet_subtensor::pallet::EpochConsensus", "Yuma Null"),
    "HyperparamValue": _wrappers(
        "pallet_subtensor::rpc_info::subnet_info::HyperparamValue",
        (0, "Bool", "bool"),
        (1, "U16", "Compact<u16>"),
        (2, "U32", "Compact<u32>"),
        (3, "U64", "Compact<u64>"),
        (4, "U128", "Compact<u128>"),
        (5, "TaoBalance", "Compact<u64>"),
        (6, "I32F32", "FixedI64"),
        (7, "U64F64", "FixedU128"),
    ),
    "HyperparamEntry": Composite(
        "pallet_subtensor::rpc_info::subnet_info::HyperparamEntry", fields("name:Vec<u8> value:HyperparamValue")
    ),
    "SubnetPrice": Composite("pallet_subtensor_swap_runtime_api::SubnetPrice", fields("netuid:u16 price:u64")),
    "CommitmentInfo": Composite("pallet_commitments::types::CommitmentInfo", fields("fields:Vec<Vec<u8>>")),
    "Registration": Composite(
        "pallet_commitments::types::Registration", fields("deposit:u64 block:u32 info:CommitmentInfo")
    ),
}

_NEURON: Final = (
    "hotkey:AccountId32 coldkey:AccountId32 uid:Compact<u16> netuid:Compact<u16> active:bool axon_info:AxonInfo "
    "prometheus_info:PrometheusInfo stake:Vec<(AccountId32,Compact<u64>)> rank:Compact<u16> "
    "emission:Compact<u64> incentive:Compact<u16> consensus:Compact<u16> trust:Compact<u16> "
    "validator_trust:Compact<u16> dividends:Compact<u16> last_update:Compact<u64> validator_permit:bool "
)
_SPARSE_ROWS: Final = "weights:Vec<(Compact<u16>,Compact<u16>)> bonds:Vec<(Compact<u16>,Compact<u16>)> "
_PRUNING: Final = "pruning_score:Compact<u16>"

_METAGRAPH_SUBNET: Final = (
    "netuid:Compact<u16> name:Vec<Compact<u8>> symbol:Vec<Compact<u8>> identity:Option<SubnetIdentityV3> "
    "network_registered_at:Compact<u64> owner_hotkey:AccountId32 owner_coldkey:AccountId32 block:Compact<u64> "
    "tempo:Compact<u16> last_step:Compact<u64> blocks_since_last_step:Compact<u64> subnet_emission:Compact<u64> "
    "alpha_in:Compact<u64> alpha_out:Compact<u64> tao_in:Compact<u64> alpha_out_emission:Compact<u64> "
    "alpha_in_emission:Compact<u64> tao_in_emission:Compact<u64> pending_alpha_emission:Compact<u64> "
    "pending_root_emission:Compact<u64> subnet_volume:Compact<u128> moving_price:FixedI128 rho:Compact<u16> "
    "kappa:Compact<u16> min_allowed_weights:Compact<u16> max_weights_limit:Compact<u16> "
    "weights_version:Compact<u64> weights_rate_limit:Compact<u64> activity_cutoff:Compact<u64> "
    "max_validators:Compact<u16> num_uids:Compact<u16> max_uids:Compact<u16> burn:Compact<u64> "
    "difficulty:Compact<u64> registration_allowed:bool pow_registration_allowed:bool "
    "immunity_period:Compact<u16> min_difficulty:Compact<u64> max_difficulty:Compact<u64> "
    "min_burn:Compact<u64> max_burn:Compact<u64> adjustment_alpha:Compact<u64> "
    "adjustment_interval:Compact<u16> target_regs_per_interval:Compact<u16> max_regs_per_block:Compact<u16> "
    "serving_rate_limit:Compact<u64> commit_reveal_weights_enabled:bool commit_reveal_period:Compact<u64> "
    "liquid_alpha_enabled:bool alpha_high:Compact<u16> alpha_low:Compact<u16> bonds_moving_avg:Compact<u64> "
)
_METAGRAPH_COLUMNS: Final = (
    "hotkeys:Vec<AccountId32> coldkeys:Vec<AccountId32> identities:Vec<Option<ChainIdentityV2>> "
    "axons:Vec<AxonInfo> active:Vec<bool> validator_permit:Vec<bool> pruning_score:Vec<Compact<u16>> "
    "last_update:Vec<Compact<u64>> emission:Vec<Compact<u64>> dividends:Vec<Compact<u16>> "
    "incentives:Vec<Compact<u16>> consensus:Vec<Compact<u16>> trust:Vec<Compact<u16>> rank:Vec<Compact<u16>> "
    "block_at_registration:Vec<Compact<u64>> alpha_stake:Vec<Compact<u64>> tao_stake:Vec<Compact<u64>> "
    "total_stake:Vec<Compact<u64>> tao_dividends_per_hotkey:Vec<(AccountId32,Compact<u64>)> "
    "alpha_dividends_per_hotkey:Vec<(AccountId32,Compact<u64>)>"
)

_REPORTS: Final[dict[str, Composite | Variants]] = {
    "Metagraph": Composite(
        "pallet_subtensor::rpc_info::metagraph::Metagraph", fields(_METAGRAPH_SUBNET + _METAGRAPH_COLUMNS)
    ),
    "NeuronInfo": Composite(
        "pallet_subtensor::rpc_info::neuron_info::NeuronInfo", fields(_NEURON + _SPARSE_ROWS + _PRUNING)
    ),
    "NeuronInfoLite": Composite("pallet_subtensor::rpc_info::neuron_info::NeuronInfoLite", fields(_NEURON + _PRUNING)),
}

TYPES: Final[Mapping[str, Composite | Variants]] = _PRIMITIVES | _EXTRINSIC | _SYSTEM | _SUBNET | _REPORTS
