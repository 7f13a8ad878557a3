"""Setting weights: the pallet's checks in their order, and what is stored."""

from collections.abc import Callable
from typing import Any

import pytest
from dev_bench import ALPHA, NETUID, Bench, address, make_bench

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.pallets import CALLS, CallContext

VALIDATOR = "//Bob"


def call(bench: Bench, uri: str, **arguments: Any) -> CallContext:
    context = CallContext(bench.storage, bench.chain.head.number)
    CALLS["SubtensorModule", "set_mechanism_weights"](context, address(uri), **arguments)
    return context


def test_each_check_comes_in_the_pallets_order_and_under_its_name() -> None:
    # Everything is wrong at first; each step puts one thing right and meets the next check.
    bench = make_bench(commit_reveal=True, weights_rate_limit=100)
    for number in range(3):
        bench.register(f"//m{number}")
    bench.blocks(2)
    bench.storage.put("StakeThreshold", value=5 * ALPHA)
    bench.set("WeightsVersionKey", 1_000)
    bench.set("MinAllowedWeights", 3)
    bench.set("MaxWeightsLimit", 40_000)
    # 0 is Alice, 1 to 3 the miners; 4 will be the validator.
    arguments: dict[str, Any] = {
        "netuid": NETUID,
        "mecid": 1,
        "dests": [1, 1, 9, 9, 9, 9],
        "weights": [1, 1],
        "version_key": 999,
    }

    def permit(held: bool) -> None:
        bench.storage.put_element("ValidatorPermit", NETUID, 4, held)

    steps: list[tuple[str, Callable[[], Any]]] = [
        ("CommitRevealEnabled", lambda: bench.set("CommitRevealWeightsEnabled", False)),
        ("WeightVecNotEqualSize", lambda: arguments.update(weights=[1] * 6)),
        ("MechanismDoesNotExist", lambda: arguments.update(mecid=0)),
        ("UidsLengthExceedUidsInSubNet", lambda: arguments.update(dests=[1, 1, 9], weights=[1] * 3)),
        ("HotKeyNotRegisteredInSubNet", lambda: (bench.register(VALIDATOR), permit(False))),
        (
            "NotEnoughStakeToSetWeights",
            lambda: bench.storage.put("TotalHotkeyAlpha", address(VALIDATOR), NETUID, value=5 * ALPHA),
        ),
        ("IncorrectWeightVersionKey", lambda: arguments.update(version_key=1_000)),
        ("SettingWeightsTooFast", lambda: bench.set("WeightsSetRateLimit", 0)),
        ("NeuronNoValidatorPermit", lambda: permit(True)),
        ("DuplicateUids", lambda: arguments.update(dests=[1, 2, 9])),
        ("UidVecContainInvalidOne", lambda: arguments.update(dests=[1, 2], weights=[3, 1])),
        ("WeightVecLengthIsLow", lambda: bench.set("MinAllowedWeights", 2)),
        ("MaxWeightExceeded", lambda: arguments.update(weights=[1, 1])),
    ]
    for expected, put_right in steps:
        with pytest.raises(DispatchFailure) as caught:
            call(bench, VALIDATOR, **arguments)
        assert str(caught.value) == expected
        put_right()
    call(bench, VALIDATOR, **arguments)
    assert bench.get("Weights", NETUID, 4) == [(1, 65_535), (2, 65_535)]


def test_the_root_network_takes_no_weights(bench: Bench) -> None:
    bench.set("CommitRevealWeightsEnabled", False, netuid=0)
    with pytest.raises(DispatchFailure, match="CanNotSetRootNetworkWeights"):
        call(bench, "//Alice", netuid=0, mecid=0, dests=[0], weights=[1], version_key=0)


def test_rows_are_scaled_so_that_their_largest_is_65535(bench: Bench) -> None:
    bench.register("//m0")
    context = call(bench, "//Alice", netuid=NETUID, mecid=0, dests=[0, 1], weights=[1, 3], version_key=0)
    assert bench.get("Weights", NETUID, 0) == [(0, 21_845), (1, 65_535)]
    assert bench.get("LastUpdate", NETUID)[0] == bench.chain.head.number
    assert [(event.name, event.attributes) for event in context.events] == [("WeightsSet", (NETUID, 0))]


def test_weights_on_oneself_alone_need_neither_permit_nor_number(bench: Bench) -> None:
    uid = bench.register("//m0")
    bench.set("MinAllowedWeights", 2)
    call(bench, "//m0", netuid=NETUID, mecid=0, dests=[uid], weights=[7], version_key=0)
    assert bench.get("Weights", NETUID, uid) == [(uid, 65_535)]


def test_the_owner_needs_no_permit(bench: Bench) -> None:
    bench.register("//m0")
    bench.set("ValidatorPermit", [False, False])
    call(bench, "//Alice", netuid=NETUID, mecid=0, dests=[1], weights=[1], version_key=0)
    assert bench.get("Weights", NETUID, 0) == [(1, 65_535)]


@pytest.mark.parametrize(
    ("network", "given_key", "accepted"), [(0, 0, True), (5, 4, False), (5, 5, True), (5, 6, True)]
)
def test_the_version_key_must_not_be_below_the_networks(network: int, given_key: int, accepted: bool) -> None:
    bench = make_bench(commit_reveal=False, weights_rate_limit=0)
    bench.set("WeightsVersionKey", network)
    arguments = {"netuid": NETUID, "mecid": 0, "dests": [0], "weights": [1], "version_key": given_key}
    if accepted:
        call(bench, "//Alice", **arguments)
    else:
        with pytest.raises(DispatchFailure, match="IncorrectWeightVersionKey"):
            call(bench, "//Alice", **arguments)


def test_root_stake_counts_by_the_tao_weight(bench: Bench) -> None:
    bench.storage.put("StakeThreshold", value=1 * ALPHA)
    uid = bench.register("//m0")
    arguments = {"netuid": NETUID, "mecid": 0, "dests": [uid], "weights": [1], "version_key": 0}
    bench.storage.put("TotalHotkeyAlpha", address("//m0"), 0, value=ALPHA)
    with pytest.raises(DispatchFailure, match="NotEnoughStakeToSetWeights"):
        call(bench, "//m0", **arguments)
    bench.storage.put("TaoWeight", value=2**64 - 1)
    bench.storage.put("TotalHotkeyAlpha", address("//m0"), 0, value=ALPHA + 1)
    call(bench, "//m0", **arguments)


def test_a_second_mechanism_keeps_weights_and_updates_of_its_own(bench: Bench) -> None:
    bench.set("MechanismCountCurrent", 2)
    call(bench, "//Alice", netuid=NETUID, mecid=1, dests=[0], weights=[1], version_key=0)
    assert bench.get("Weights", 4_096 + NETUID, 0) == [(0, 65_535)]
    assert bench.get("Weights", NETUID, 0) == []
    assert bench.get("LastUpdate", 4_096 + NETUID) == [bench.chain.head.number]
