"""The generated metadata give the bytes that mainnet's gave (chain_golden.json, spec 424)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import bittensor_core
import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.chain.dev.metadata import Method, RuntimeApi, encode_metadata, fields
from compression_subnet.chain.dev.metadata.scale import compact, read_compact
from compression_subnet.chain.dev.runtime import Codec, runtime_codec
from compression_subnet.chain.dev.runtime.codec import SPEC_VERSION, TRANSACTION_VERSION
from compression_subnet.chain.dev.runtime.description import describe_runtime
from compression_subnet.chain.dev.runtime.hyperparameters import HYPERPARAMETERS

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "chain_golden.json").read_text())
CODEC = runtime_codec(12_000)
SDK = bittensor_core.Runtime(CODEC.metadata, SPEC_VERSION, TRANSACTION_VERSION, 42)


def arguments(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: bytes.fromhex(value) if name == "commit" else value for name, value in entry["args"].items()}


@pytest.mark.parametrize("entry", GOLDEN["calls"], ids=lambda entry: entry["call"])
def test_calls_are_encoded_as_on_mainnet(entry: dict[str, Any]) -> None:
    assert CODEC.compose_call(entry["pallet"], entry["call"], arguments(entry)).hex() == entry["hex"]


@pytest.mark.parametrize("entry", GOLDEN["calls"], ids=lambda entry: entry["call"])
def test_calls_are_read_back(entry: dict[str, Any]) -> None:
    pallet, name, decoded = CODEC.decode_call(bytes.fromhex(entry["hex"]))
    assert (pallet, name) == (entry["pallet"], entry["call"])
    expected = {name: value.decode() if isinstance(value, bytes) else value for name, value in arguments(entry).items()}
    assert decoded == expected


@pytest.mark.parametrize("entry", GOLDEN["storage_keys"], ids=lambda entry: entry["item"])
def test_storage_keys_are_those_of_mainnet(entry: dict[str, Any]) -> None:
    assert CODEC.storage_key(entry["pallet"], entry["item"], entry["params"]).hex() == entry["hex"]


def test_signed_extensions_come_in_mainnets_order() -> None:
    assert list(SDK.signed_extension_identifiers()) == GOLDEN["signed_extensions"]


def test_what_is_signed_is_laid_out_as_on_mainnet() -> None:
    payload = GOLDEN["payload"]
    extra, additional = SDK.signature_payload_parts(
        era=payload["era"],
        nonce=payload["nonce"],
        tip=payload["tip"],
        tip_asset_id=None,
        genesis_hash=bytes.fromhex(payload["genesis_hash"][2:]),
        era_block_hash=bytes.fromhex(payload["era_block_hash"][2:]),
        metadata_hash=None,
    )
    versions = SPEC_VERSION.to_bytes(4, "little") + TRANSACTION_VERSION.to_bytes(4, "little")
    assert bytes(extra).hex() == payload["extra_hex"]
    assert bytes(additional) == versions + bytes.fromhex(payload["additional_hex_after_spec_and_tx_version"])


def test_the_sdk_reads_the_metadata_as_version_15() -> None:
    assert SDK.is_v15


def test_the_genesis_hash_changes_with_the_metadata_so_that_no_cache_can_be_stale() -> None:
    slower = runtime_codec(6_000)
    assert slower.metadata != CODEC.metadata
    assert slower.genesis_hash != CODEC.genesis_hash
    assert Codec(CODEC.metadata).genesis_hash == CODEC.genesis_hash


def test_the_slot_duration_is_the_block_time() -> None:
    assert bittensor_core.Runtime(runtime_codec(250).metadata, 1, 1, 42).constant("Aura", "SlotDuration") == 250


@pytest.mark.parametrize("row", HYPERPARAMETERS, ids=lambda row: row.name)
def test_every_hyperparameter_has_its_default_in_storage(row: Any) -> None:
    layout = CODEC.storage_layout("SubtensorModule", row.item)
    assert layout.default is not None
    value = CODEC.decode(layout.value_type, layout.default)
    assert (value["bits"] if row.type == "FixedU128" else value) == row.default


def test_an_undeclared_type_is_named() -> None:
    api = RuntimeApi("Broken", (Method("ask", fields("what:Vec<NoSuchType>"), "u8"),))
    with pytest.raises(ValueError, match="NoSuchType"):
        encode_metadata(replace(describe_runtime(12_000), apis=(api,)))


@given(st.integers(0, 2**130))
def test_compact_numbers_survive_and_agree_with_the_sdk(number: int) -> None:
    encoded = compact(number)
    assert read_compact(encoded + b"rest", 0) == (number, len(encoded))
    if number < 2**128:
        assert encoded == bytes(SDK.encode("Compact", number))


@pytest.mark.parametrize("data", [b"", b"\x01", b"\x02\x00\x00", b"\x03\x00\x00\x00", compact(2**70)[:-1]])
def test_a_compact_number_that_is_cut_short_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="data end"):
        read_compact(data, 0)
