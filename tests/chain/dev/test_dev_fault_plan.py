"""Which faults are in force, and until when."""

from typing import Any

import pytest

from compression_subnet.chain.dev.errors import PoolRefusal
from compression_subnet.chain.dev.faults import Drop, FaultPlan, Hang, RefuseExtrinsics, RefuseRequests, Slow


def test_each_fault_lasts_until_its_time() -> None:
    now = [0.0]
    plan = FaultPlan(lambda: now[0])
    plan.add(Slow(1.0), 5)
    plan.add(Hang(frozenset({"a"})), 10)
    plan.add(RefuseExtrinsics(6), 10)
    assert plan.for_request("a") == Slow(1.0)
    now[0] = 5.0
    assert plan.for_request("a") == Hang(frozenset({"a"}))
    assert plan.for_request("b") is None
    assert not plan.silent()
    with pytest.raises(PoolRefusal, match="Custom error: 6"):
        plan.admit()
    now[0] = 10.0
    plan.admit()
    assert plan.for_request("a") is None


@pytest.mark.parametrize("fault", [Drop(), Hang(), Slow(0.1), RefuseRequests()])
def test_clearing_ends_every_fault(fault: Any) -> None:
    plan = FaultPlan(lambda: 0.0)
    plan.add(fault, 100)
    assert plan.for_request("anything") == fault
    plan.clear()
    assert plan.for_request("anything") is None
