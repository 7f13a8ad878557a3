"""What the transaction pool takes and refuses, and how extrinsics get into blocks."""

from typing import Any

import bittensor_core
import pytest
from dev_bench import ALPHA, NETUID, SLOT, Bench, address, make_bench
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.chain.dev.errors import PoolRefusal
from compression_subnet.chain.dev.extrinsics import mortal_era
from compression_subnet.chain.dev.pallets import accounts
from compression_subnet.chain.dev.pallets.weights import commit_bytes
from compression_subnet.chain.dev.runtime import runtime_codec

AXON = {
    "netuid": NETUID,
    "version": 1,
    "ip": 0x7F000002,
    "port": 8091,
    "ip_type": 4,
    "protocol": 4,
    "placeholder1": 0,
    "placeholder2": 0,
}
WEIGHTS = {"netuid": NETUID, "mecid": 0, "dests": [0], "weights": [1], "version_key": 0}
SEALED = {"netuid": NETUID, "mecid": 0, "commit": b"sealed", "reveal_round": 9, "commit_reveal_version": 4}


def refusal(bench: Bench, uri: str, call: str, arguments: dict[str, Any], **changes: Any) -> tuple[int, str]:
    with pytest.raises(PoolRefusal) as caught:
        bench.chain.submit(bench.sign(uri, call, arguments, **changes))
    return caught.value.code, str(caught.value.data)


def test_free_calls_leave_the_balance_alone_and_others_do_not(bench: Bench) -> None:
    bench.storage.put("ServingRateLimit", NETUID, value=0)
    before = accounts.balance(bench.storage, address("//Alice"))
    assert bench.dispatch("//Alice", "set_mechanism_weights", WEIGHTS) == ""
    assert bench.dispatch("//Alice", "serve_axon", AXON) == ""
    assert accounts.balance(bench.storage, address("//Alice")) == before
    assert bench.dispatch("//Alice", "remark", {"remark": b"hello"}, pallet="System") == ""
    assert accounts.balance(bench.storage, address("//Alice")) == before - accounts.FEE


def test_a_hotkey_without_any_balance_may_make_free_calls(bench: Bench) -> None:
    bench.register("//poor")
    assert bench.dispatch("//poor", "serve_axon", AXON) == ""
    assert refusal(bench, "//poor", "remark", {"remark": b""}, pallet="System") == (
        1010,
        "Inability to pay some fees (e.g. account balance too low)",
    )


@pytest.mark.parametrize(
    ("changes", "number"),
    [
        ({"ip": 0x7F000001}, 11),
        ({"ip": 2**32 - 1}, 11),
        ({"ip": 1, "ip_type": 6}, 11),
        ({"ip": 2**128 - 1, "ip_type": 6}, 11),
        ({"port": 0}, 13),
        ({"ip_type": 5}, 255),
    ],
)
def test_an_unusable_address_is_refused_by_number(bench: Bench, changes: dict[str, int], number: int) -> None:
    assert refusal(bench, "//Alice", "serve_axon", AXON | changes) == (1010, f"Custom error: {number}")


@pytest.mark.parametrize("ip", [0, 0x7F000002, 0x0A000001, 0xC0A80001, 0x08080808])
def test_private_and_other_loopback_addresses_are_accepted(bench: Bench, ip: int) -> None:
    assert bench.dispatch("//Alice", "serve_axon", AXON | {"ip": ip}) == ""
    assert bench.get("Axons", NETUID, address("//Alice"))["ip"] == ip


def test_serving_is_for_the_registered_and_not_too_often(bench: Bench) -> None:
    assert refusal(bench, "//Bob", "serve_axon", AXON) == (1010, "Custom error: 10")
    assert bench.dispatch("//Alice", "serve_axon", AXON) == ""
    assert refusal(bench, "//Alice", "serve_axon", AXON) == (1010, "Custom error: 12")
    bench.blocks(49)
    assert bench.dispatch("//Alice", "serve_axon", AXON) == ""


def test_weights_are_guarded_by_stake_and_rate_before_a_block(bench: Bench) -> None:
    bench.storage.put("StakeThreshold", value=ALPHA)
    assert refusal(bench, "//Alice", "set_mechanism_weights", WEIGHTS) == (1010, "Custom error: 1")
    bench.storage.put("StakeThreshold", value=0)
    bench.set("WeightsSetRateLimit", 10)
    assert bench.dispatch("//Alice", "set_mechanism_weights", WEIGHTS) == ""
    assert refusal(bench, "//Alice", "set_mechanism_weights", WEIGHTS) == (1010, "Custom error: 6")
    bench.blocks(9)
    assert bench.dispatch("//Alice", "set_mechanism_weights", WEIGHTS) == ""


def test_what_the_pool_does_not_check_fails_in_its_block_and_changes_nothing(bench: Bench) -> None:
    assert bench.dispatch("//Bob", "set_mechanism_weights", WEIGHTS) == "HotKeyNotRegisteredInSubNet"
    assert accounts.nonce(bench.storage, address("//Bob")) == 1
    assert list(bench.storage.entries("Weights", NETUID)) == []


def test_plain_weights_and_commitments_exclude_each_other(bench: Bench) -> None:
    assert bench.dispatch("//Alice", "commit_timelocked_mechanism_weights", SEALED) == "CommitRevealDisabled"
    bench.set("CommitRevealWeightsEnabled", True)
    assert bench.dispatch("//Alice", "set_mechanism_weights", WEIGHTS) == "CommitRevealEnabled"
    assert bench.dispatch("//Alice", "commit_timelocked_mechanism_weights", SEALED) == ""


def test_commitments_have_a_version_a_rate_a_number_and_a_length() -> None:
    bench = make_bench(commit_reveal=True, weights_rate_limit=0)
    name = "commit_timelocked_mechanism_weights"
    assert bench.dispatch("//Alice", name, SEALED | {"commit_reveal_version": 3}) == "IncorrectCommitRevealVersion"
    assert bench.dispatch("//Bob", name, SEALED) == "HotKeyNotRegisteredInSubNet"
    assert bench.dispatch("//Alice", name, SEALED | {"mecid": 1}) == "MechanismDoesNotExist"
    for _ in range(10):
        assert bench.dispatch("//Alice", name, SEALED | {"commit": b"x" * 5_000}) == ""
    assert bench.dispatch("//Alice", name, SEALED) == "TooManyUnrevealedCommits"
    bench.set("WeightsSetRateLimit", 100)
    assert bench.dispatch("//Alice", name, SEALED) == "CommittingWeightsTooFast"
    assert refusal(bench, "//Alice", name, SEALED | {"commit": b"x" * 5_001})[0] == 1002
    held = bench.get("TimelockedWeightCommits", NETUID, 0)
    assert [(hotkey, drand) for hotkey, _, _, drand in held] == [(address("//Alice"), 9)] * 10


def test_a_commitment_is_stored_byte_for_byte() -> None:
    bench = make_bench(commit_reveal=True, weights_rate_limit=0)
    sealed = (b"text", bytes(range(256)), b"\xff\x00", b"")
    for commit in sealed:
        assert bench.dispatch("//Alice", "commit_timelocked_mechanism_weights", SEALED | {"commit": commit}) == ""
    codec = bench.chain.codec
    layout = codec.storage_layout("SubtensorModule", "TimelockedWeightCommits")
    expected = [(address("//Alice"), block, commit, 9) for block, commit in enumerate(sealed, start=2)]
    raw = bench.chain.state.get(codec.storage_key("SubtensorModule", "TimelockedWeightCommits", [NETUID, 0]))
    assert raw == codec.encode(layout.value_type, expected)


@given(st.binary(max_size=40) | st.text(alphabet="0x1269abcdefé", max_size=12).map(str.encode))
def test_any_bytes_survive_the_codec(data: bytes) -> None:
    codec = runtime_codec(SLOT)
    layout = codec.storage_layout("SubtensorModule", "TokenSymbol")
    assert commit_bytes(codec.decode(layout.value_type, codec.encode(layout.value_type, list(data)))) == data


@pytest.mark.parametrize("data", [b"", b"\xff\x01", b"\x07\x77\x01", b"\x00\x00\x04xtrailing"])
def test_a_signed_call_that_is_none_of_the_runtimes_is_refused(bench: Bench, data: bytes) -> None:
    with pytest.raises(PoolRefusal) as caught:
        bench.chain.submit(bench.sign("//Alice", "", {}, data=data))
    assert caught.value.code == 1002


def test_a_signature_that_is_not_the_signers_is_refused(bench: Bench) -> None:
    assert refusal(bench, "//Alice", "set_mechanism_weights", WEIGHTS, signed_by="//Bob") == (
        1010,
        "Transaction has a bad signature",
    )
    assert refusal(bench, "//Alice", "set_mechanism_weights", WEIGHTS, genesis=bytes(32))[1].endswith("bad signature")


def test_every_bit_of_an_extrinsic_is_signed(bench: Bench) -> None:
    raw = bench.sign("//Alice", "set_mechanism_weights", WEIGHTS, tip=5)
    for position in range(2, len(raw)):
        with pytest.raises(PoolRefusal):
            bench.chain.submit(raw[:position] + bytes([raw[position] ^ 1]) + raw[position + 1 :])
    bench.chain.submit(raw)


@pytest.mark.parametrize("raw", [b"", b"\x00", b"\x04\x04", b"\xff" * 40, bytes([200]) + b"\x84" * 50])
def test_noise_is_refused_as_unreadable(bench: Bench, raw: bytes) -> None:
    with pytest.raises(PoolRefusal) as caught:
        bench.chain.submit(raw)
    assert caught.value.code == 1002


def test_a_mechanism_far_out_of_range_does_not_exist(bench: Bench) -> None:
    far = WEIGHTS | {"mecid": 255}
    assert bench.dispatch("//Alice", "set_mechanism_weights", far) == "MechanismDoesNotExist"


def test_nonces_order_what_a_signer_sends(bench: Bench) -> None:
    later = bench.sign("//Alice", "remark", {"remark": b"second"}, pallet="System", nonce=1)
    sooner = bench.sign("//Alice", "remark", {"remark": b"first"}, pallet="System", nonce=0)
    bench.chain.submit(later)
    assert not bench.chain.pool.has_ready(bench.storage)
    bench.blocks()
    assert len(bench.chain.head.extrinsics) == 1
    bench.chain.submit(sooner)
    bench.blocks()
    assert list(bench.chain.head.extrinsics[1:]) == [sooner, later]
    assert (
        refusal(bench, "//Alice", "remark", {"remark": b""}, pallet="System", nonce=1)[1] == "Transaction is outdated"
    )


def test_the_same_place_is_taken_over_by_a_larger_tip_alone(bench: Bench) -> None:
    first = bench.sign("//Alice", "remark", {"remark": b"first"}, pallet="System", tip=5)
    bench.chain.submit(first)
    with pytest.raises(PoolRefusal) as caught:
        bench.chain.submit(first)
    assert caught.value.code == 1013
    assert refusal(bench, "//Alice", "remark", {"remark": b"no"}, pallet="System", tip=5, nonce=0)[0] == 1014
    richer = bench.sign("//Alice", "remark", {"remark": b"yes"}, pallet="System", tip=6, nonce=0)
    bench.chain.submit(richer)
    bench.blocks()
    assert list(bench.chain.head.extrinsics[1:]) == [richer]


def test_a_mortal_extrinsic_dies_in_the_pool(bench: Bench) -> None:
    era = {"period": 8, "current": bench.chain.head.number}
    mortal = bench.sign("//Alice", "remark", {"remark": b""}, pallet="System", nonce=1, era=era)
    bench.chain.submit(mortal)
    bench.blocks(8)
    assert len(bench.chain.pool) == 0
    assert refusal(bench, "//Alice", "remark", {"remark": b""}, pallet="System", era=era)[1].endswith("bad signature")


@pytest.mark.parametrize("period", [4, 128, 4_096, 65_536])
@pytest.mark.parametrize("block", [0, 1, 77, 1_000, 70_000])
def test_eras_begin_where_the_sdk_says(bench: Bench, period: int, block: int) -> None:
    encoded = bytes(bench.encoder.encode_era({"period": period, "current": block}))
    birth, read = mortal_era(int.from_bytes(encoded, "little"), block)
    assert (birth, read) == (bittensor_core.era_birth(period, block), period)


def test_a_call_of_no_pallet_is_not_expected(bench: Bench) -> None:
    assert refusal(bench, "//Alice", "set", {"now": 1}, pallet="Timestamp")[1] == "Transaction call is not expected"


def test_balances_move_and_accounts_are_kept_alive(bench: Bench) -> None:
    target = {"Id": address("//new")}
    send = {"dest": target, "value": 1_000}
    assert bench.dispatch("//Alice", "transfer_keep_alive", send, pallet="Balances") == ""
    assert accounts.balance(bench.storage, address("//new")) == 1_000
    everything = {"dest": target, "value": 10**15}
    assert bench.dispatch("//Alice", "transfer_keep_alive", everything, pallet="Balances") == "InsufficientBalance"
    dust = {"dest": {"Id": address("//other")}, "value": 1}
    assert bench.dispatch("//Alice", "transfer_keep_alive", dust, pallet="Balances") == "ExistentialDeposit"
