"""The runtime's pallets, signed extensions and runtime APIs."""

from typing import Final

from compression_subnet.chain.dev.metadata import (
    Constant,
    Extension,
    Method,
    Pallet,
    Runtime,
    RuntimeApi,
    StorageItem,
    Variant,
    fields,
)
from compression_subnet.chain.dev.metadata.scale import compact, primitive
from compression_subnet.chain.dev.runtime.calls import SUBTENSOR_CALLS, SUBTENSOR_ERRORS, SUBTENSOR_EVENTS
from compression_subnet.chain.dev.runtime.storage import SUBTENSOR_STORAGE
from compression_subnet.chain.dev.runtime.types import TYPES

__all__ = ["BLOCK_HASH_COUNT", "EXISTENTIAL_DEPOSIT", "describe_runtime"]

BLOCK_HASH_COUNT: Final = 2_400
"""Blocks for which hashes, and here all of history, are kept."""

EXISTENTIAL_DEPOSIT: Final = 500
"""Smallest balance of an account, in rao."""

_EXTENSIONS: Final = (
    Extension("CheckNonZeroSender", "()", "()"),
    Extension("CheckSpecVersion", "()", "u32"),
    Extension("CheckTxVersion", "()", "u32"),
    Extension("CheckGenesis", "()", "H256"),
    Extension("CheckMortality", "Era", "H256"),
    Extension("CheckNonce", "Compact<u32>", "()"),
    Extension("CheckWeight", "()", "()"),
    Extension("ChargeTransactionPayment", "Compact<u64>", "()"),
    Extension("SudoTransactionExtension", "()", "()"),
    Extension("CheckShieldedTxValidity", "()", "()"),
    Extension("SubtensorTransactionExtension", "()", "()"),
    Extension("DrandPriority", "()", "()"),
    Extension("CheckMetadataHash", "MetadataHashMode", "Option<[u8;32]>"),
)


def _api(name: str, *methods: tuple[str, str, str]) -> RuntimeApi:
    return RuntimeApi(name, tuple(Method(method, fields(inputs), output) for method, inputs, output in methods))


_APIS: Final = (
    _api(
        "SubnetInfoRuntimeApi",
        ("get_metagraph", "netuid:u16", "Option<Metagraph>"),
        ("get_subnet_hyperparams_v3", "netuid:u16", "Option<Vec<HyperparamEntry>>"),
        ("get_next_epoch_start_block", "netuid:u16", "Option<u64>"),
    ),
    _api(
        "NeuronInfoRuntimeApi",
        ("get_neurons", "netuid:u16", "Vec<NeuronInfo>"),
        ("get_neuron", "netuid:u16 uid:u16", "Option<NeuronInfo>"),
        ("get_neurons_lite", "netuid:u16", "Vec<NeuronInfoLite>"),
        ("get_neuron_lite", "netuid:u16 uid:u16", "Option<NeuronInfoLite>"),
    ),
    _api(
        "SwapRuntimeApi",
        ("current_alpha_price", "netuid:u16", "u64"),
        ("current_alpha_price_all", "", "Vec<SubnetPrice>"),
    ),
    _api("SubnetRegistrationRuntimeApi", ("get_network_registration_cost", "", "u64")),
    _api("TransactionPaymentApi", ("query_info", "uxt:UncheckedExtrinsic len:u32", "RuntimeDispatchInfo")),
)

_SYSTEM: Final = Pallet(
    "System",
    0,
    storage=(
        StorageItem("Account", "AccountInfo", (("Blake2_128Concat", "AccountId32"),), bytes(56)),
        StorageItem("Number", "u32", default=bytes(4)),
        StorageItem("Events", "Vec<EventRecord>", default=compact(0)),
        StorageItem("BlockHash", "H256", (("Twox64Concat", "u32"),), bytes(32)),
    ),
    calls=(Variant(0, "remark", fields("remark:Vec<u8>")),),
    events=(
        Variant(0, "ExtrinsicSuccess", fields("dispatch_info:DispatchEventInfo")),
        Variant(1, "ExtrinsicFailed", fields("dispatch_error:DispatchError dispatch_info:DispatchEventInfo")),
    ),
    errors=(Variant(5, "CallFiltered"),),
    constants=(
        Constant("SS58Prefix", "u16", primitive("u16", 42)),
        Constant("BlockHashCount", "u32", primitive("u32", BLOCK_HASH_COUNT)),
    ),
)

_BALANCES: Final = Pallet(
    "Balances",
    5,
    calls=(Variant(3, "transfer_keep_alive", fields("dest:MultiAddress value:Compact<u64>")),),
    events=(Variant(2, "Transfer", fields("from:AccountId32 to:AccountId32 amount:u64")),),
    errors=(Variant(2, "InsufficientBalance"), Variant(3, "ExistentialDeposit"), Variant(4, "Expendability")),
    constants=(Constant("ExistentialDeposit", "u64", primitive("u64", EXISTENTIAL_DEPOSIT)),),
)

_COMMITMENTS: Final = Pallet(
    "Commitments",
    18,
    storage=(
        StorageItem("CommitmentOf", "Registration", (("Twox64Concat", "u16"), ("Twox64Concat", "AccountId32"))),
        StorageItem(
            "RevealedCommitments", "Vec<(Vec<u8>,u64)>", (("Identity", "u16"), ("Twox64Concat", "AccountId32"))
        ),
    ),
)


def describe_runtime(slot_milliseconds: int) -> Runtime:
    """Return the runtime whose blocks are that far apart (``Aura.SlotDuration``)."""
    pallets = (
        _SYSTEM,
        Pallet(
            "Timestamp",
            2,
            storage=(StorageItem("Now", "u64", default=bytes(8)),),
            calls=(Variant(0, "set", fields("now:Compact<u64>")),),
            constants=(Constant("MinimumPeriod", "u64", primitive("u64", slot_milliseconds // 2)),),
        ),
        Pallet("Aura", 3, constants=(Constant("SlotDuration", "u64", primitive("u64", slot_milliseconds)),)),
        _BALANCES,
        Pallet(
            "TransactionPayment",
            6,
            events=(Variant(0, "TransactionFeePaid", fields("who:AccountId32 actual_fee:u64 tip:u64")),),
        ),
        Pallet(
            "SubtensorModule",
            7,
            storage=SUBTENSOR_STORAGE,
            calls=SUBTENSOR_CALLS,
            events=SUBTENSOR_EVENTS,
            errors=SUBTENSOR_ERRORS,
            constants=(
                Constant("InitialTempo", "u16", primitive("u16", 360)),
                Constant("InitialStartCallDelay", "u64", primitive("u64", 0)),
            ),
        ),
        _COMMITMENTS,
    )
    return Runtime(TYPES, pallets, _EXTENSIONS, _APIS, "UncheckedExtrinsic")
