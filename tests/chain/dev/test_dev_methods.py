"""What the documentation lists is what there is."""

import re

from dev_bench import make_bench

from compression_subnet.chain.dev import faults
from compression_subnet.chain.dev.faults import FaultPlan
from compression_subnet.chain.dev.node import DEV_PREFIX, Node
from compression_subnet.chain.dev.rpc import dev
from compression_subnet.chain.dev.rpc import fault as fault_methods
from compression_subnet.chain.dev.runtime import runtime_codec


def documented(text: str | None) -> set[str]:
    """First column of a docstring's table."""
    rows = re.findall(r"^\| (\w+) \|", text or "", flags=re.MULTILINE)
    return set(rows) - {"method", "kind"}


def test_every_development_method_is_documented_and_none_is_missing() -> None:
    node = Node(make_bench().chain, 0.0, clock=lambda: 0.0)
    assert {name for name in node.dispatcher.methods if name.startswith(DEV_PREFIX)} == documented(dev.__doc__)


def test_every_fault_is_documented_and_none_is_missing() -> None:
    assert set(fault_methods._KINDS) == documented(faults.__doc__)
    assert all(hasattr(fault_methods._Faults, kind) for kind in fault_methods._KINDS)
    assert FaultPlan(lambda: 0.0).for_request("anything") is None


def test_every_runtime_api_of_the_metadata_is_answered() -> None:
    from compression_subnet.chain.dev.apis.table import _METHODS

    declared = {f"{api}_{method}" for api, methods in runtime_codec(12_000)._apis.items() for method in methods}
    assert declared == set(_METHODS)


def test_every_call_of_the_metadata_is_carried_out() -> None:
    from compression_subnet.chain.dev.pallets import CALLS
    from compression_subnet.chain.dev.runtime.description import describe_runtime

    declared = {(pallet.name, call.name) for pallet in describe_runtime(12_000).pallets for call in pallet.calls}
    assert declared - {("Timestamp", "set")} == set(CALLS)
