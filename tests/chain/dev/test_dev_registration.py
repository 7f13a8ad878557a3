"""Registration: price, prerequisites, and who gives way in a full subnet."""

import pytest
from dev_bench import NETUID, Bench, address

from compression_subnet.chain.dev.pallets import accounts, registration, subnets


def buy(bench: Bench, coldkey: str, hotkey: str, netuid: int = NETUID) -> str:
    return bench.dispatch(coldkey, "burned_register", {"netuid": netuid, "hotkey": address(hotkey)})


def test_a_new_subnet_registers_its_owners_hotkey_as_uid_0(bench: Bench) -> None:
    assert bench.get("Keys", NETUID, 0) == address("//Alice") == bench.get("SubnetOwnerHotkey", NETUID)
    assert bench.get("ValidatorPermit", NETUID) == [True]


def test_registration_costs_the_price_which_rises_and_then_decays(bench: Bench) -> None:
    price = int(bench.get("Burn", NETUID))
    before = accounts.balance(bench.storage, address("//Bob"))
    assert buy(bench, "//Bob", "//m0") == ""
    decayed = before - accounts.balance(bench.storage, address("//Bob")) - accounts.FEE
    assert price * 0.99 < decayed <= price
    raised = int(bench.get("Burn", NETUID))
    assert raised == pytest.approx(decayed * 1.26, rel=1e-6)
    bench.blocks(360)
    assert int(bench.get("Burn", NETUID)) == pytest.approx(raised / 2, rel=1e-3)


def test_registration_is_refused_by_the_pallets_names(bench: Bench) -> None:
    assert buy(bench, "//Bob", "//m0", netuid=0) == "RegistrationNotPermittedOnRootSubnet"
    assert buy(bench, "//Bob", "//m0", netuid=7) == "SubnetNotExists"
    assert buy(bench, "//Bob", "//Alice") == "HotKeyAlreadyRegisteredInSubNet"
    assert buy(bench, "//Bob", "//m0") == ""
    accounts.endow(bench.storage, address("//Charlie"), accounts.FEE + 1_000)
    assert buy(bench, "//Charlie", "//m1") == "NotEnoughBalanceToStake"
    bench.set("NetworkRegistrationAllowed", False)
    assert buy(bench, "//Bob", "//m1") == "SubNetRegistrationDisabled"


def test_a_hotkey_belongs_to_one_coldkey(bench: Bench) -> None:
    bench.storage.put("Owner", address("//m0"), value=address("//Bob"))
    assert buy(bench, "//Charlie", "//m0") == "NonAssociatedColdKey"
    assert buy(bench, "//Bob", "//m0") == ""


def fill(bench: Bench, count: int) -> None:
    for number in range(count):
        bench.register(f"//m{number}")
        bench.blocks()
    bench.set("MaxAllowedUids", count + 1)
    bench.set("MinNonImmuneUids", 0)


def test_the_least_emission_gives_way_and_takes_its_traces_with_it(bench: Bench) -> None:
    fill(bench, 4)
    bench.set("ImmunityPeriod", 0)
    bench.set("Emission", [0, 9, 3, 5, 7])
    bench.storage.put("Weights", NETUID, 2, value=[(1, 5)])
    bench.set("Incentive", [0, 1, 2, 3, 4])
    assert buy(bench, "//Bob", "//new") == ""
    assert bench.get("Keys", NETUID, 2) == address("//new")
    assert bench.get("Uids", NETUID, address("//m1")) is None
    assert bench.get("Weights", NETUID, 2) == []
    assert bench.get("Incentive", NETUID) == [0, 1, 0, 3, 4]
    assert bench.get("BlockAtRegistration", NETUID, 2) == bench.chain.head.number


def test_of_equals_the_oldest_gives_way_and_never_the_owner(bench: Bench) -> None:
    fill(bench, 3)
    bench.set("ImmunityPeriod", 0)
    assert registration.neuron_to_prune(bench.storage, NETUID, bench.chain.head.number) == 1


def test_the_immune_are_spared_while_others_are_left(bench: Bench) -> None:
    fill(bench, 3)
    now = bench.chain.head.number
    # Registered at blocks 1, 2 and 3: with this period the last alone is immune.
    bench.set("ImmunityPeriod", now - 2)
    bench.set("Emission", [0, 9, 8, 1])
    assert registration.neuron_to_prune(bench.storage, NETUID, now) == 2
    bench.set("MinNonImmuneUids", 2)
    assert registration.neuron_to_prune(bench.storage, NETUID, now) == 3


def test_where_only_the_owner_is_left_nobody_can_register(bench: Bench) -> None:
    bench.set("MaxAllowedUids", 1)
    assert buy(bench, "//Bob", "//new") == "NoNeuronIdAvailable"


def test_permits_go_to_the_largest_stakes_above_the_threshold_and_to_the_owner(bench: Bench) -> None:
    for number, alpha in enumerate([5, 50, 500, 5_000]):
        bench.register(f"//m{number}", alpha=alpha)
    bench.set("MaxAllowedValidators", 2)
    subnets.recompute_permits(bench.storage, NETUID)
    assert bench.get("ValidatorPermit", NETUID) == [True, False, False, True, True]
    bench.storage.put("StakeThreshold", value=1_000 * 10**9)
    subnets.recompute_permits(bench.storage, NETUID)
    assert bench.get("ValidatorPermit", NETUID) == [True, False, False, False, True]


def test_a_swapped_hotkey_keeps_uid_stake_and_address(bench: Bench) -> None:
    uid = bench.register("//m0", alpha=7)
    axon = {
        "block": 1,
        "version": 1,
        "ip": 1,
        "port": 1,
        "ip_type": 4,
        "protocol": 4,
        "placeholder1": 0,
        "placeholder2": 0,
    }
    bench.storage.put("Axons", NETUID, address("//m0"), value=axon)
    subnets.swap_hotkey(bench.storage, NETUID, uid, address("//m1"))
    assert bench.get("Uids", NETUID, address("//m0")) is None
    assert bench.get("Uids", NETUID, address("//m1")) == uid
    assert bench.get("Axons", NETUID, address("//m1")) == axon
    assert subnets.stake_weight(bench.storage, NETUID, address("//m1"))[1] == 7 * 10**9
