from collections import Counter

import pytest

from soak.damage import DAMAGES
from soak.judge import OUTAGES
from soak.plan import BUSY, STRETCH, Kind, plan_faults

SEEDS = range(5)
DEATHS = {Kind.KILL, Kind.DAMAGE, Kind.STOP}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_seed_gives_the_same_plan_and_a_longer_one_begins_with_it(seed: int) -> None:
    plan = plan_faults(seed, 100)
    assert plan == plan_faults(seed, 100)
    assert tuple(fault for fault in plan_faults(seed, 200) if fault.epoch < 100) == plan


def test_other_seeds_give_other_plans() -> None:
    assert len({plan_faults(seed, 50) for seed in SEEDS}) == len(SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_long_plan_has_every_kind_of_fault_every_damage_and_every_outage(seed: int) -> None:
    assert {fault.kind for fault in plan_faults(seed, 200)} == set(Kind)
    assert {fault.way for fault in plan_faults(seed, 1_000) if fault.way} == {*DAMAGES, *OUTAGES}


@pytest.mark.parametrize("seed", SEEDS)
def test_processes_die_often_and_live_long_in_turn(seed: int) -> None:
    deaths = Counter(fault.epoch for fault in plan_faults(seed, 200) if fault.kind in DEATHS)
    assert sum(deaths.values()) >= 20
    assert all(epoch % STRETCH < BUSY for epoch in deaths)
