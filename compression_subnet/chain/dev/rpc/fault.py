"""``dev_fault``: from its parameters to a fault in force, or to a change of the chain. ``faults`` lists the kinds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import bittensor_core  # type: ignore[import-untyped]

from compression_subnet.chain.dev.chain import Chain
from compression_subnet.chain.dev.faults import Drop, FaultPlan, Hang, RefuseExtrinsics, RefuseRequests, Slow
from compression_subnet.chain.dev.pallets import subnets
from compression_subnet.chain.dev.rpc.dev import existing_subnet, register
from compression_subnet.chain.dev.rpc.session import Method, Session, invalid_parameters
from compression_subnet.chain.dev.runtime.codec import SS58_FORMAT, blake2_256

__all__ = ["fault_methods"]

_BAD_REQUEST: Final = 255


@dataclass(frozen=True, slots=True)
class _Faults:
    """Each kind is a method of that name; its parameters are the kind's arguments."""

    chain: Chain
    plan: FaultPlan
    cut: Callable[[], None]

    def drop(self, seconds: float = 0.0) -> None:
        self.plan.add(Drop(), seconds)
        self.cut()

    def hang(self, seconds: float, methods: list[str] | None = None) -> None:
        self.plan.add(Hang(frozenset(methods or ())), seconds)

    def slow(self, seconds: float, delay: float) -> None:
        self.plan.add(Slow(delay), seconds)

    def refuse(
        self,
        seconds: float,
        methods: list[str] | None = None,
        code: int = -32000,
        message: str = "refused by a fault",
    ) -> None:
        self.plan.add(RefuseRequests(frozenset(methods or ()), code, message), seconds)

    def pool(self, seconds: float, number: int = _BAD_REQUEST) -> None:
        self.plan.add(RefuseExtrinsics(number), seconds)

    def jump(self, blocks: int) -> None:
        if blocks < 1:
            raise invalid_parameters(f"the number of blocks must be positive, not {blocks}")
        for _ in range(blocks - 1):
            self.chain.new_block(quiet=True)
        self.chain.new_block()

    def swap_hotkey(self, netuid: int, uid: int, hotkey: str) -> None:
        if uid >= subnets.neuron_count(self.chain.storage, existing_subnet(self.chain, netuid)):
            raise invalid_parameters(f"netuid {netuid} has no uid {uid}")
        if subnets.uid_of(self.chain.storage, netuid, hotkey) is not None:
            raise invalid_parameters(f"{hotkey} is registered on netuid {netuid} already")
        subnets.swap_hotkey(self.chain.storage, netuid, uid, hotkey)

    def shrink(self, netuid: int, count: int) -> None:
        held = subnets.neuron_count(self.chain.storage, existing_subnet(self.chain, netuid))
        if not 0 < count <= held:
            raise invalid_parameters(f"netuid {netuid} has {held} neurons; {count} cannot be removed")
        for _ in range(count):
            subnets.drop_last_neuron(self.chain.storage, netuid)

    def grow(self, netuid: int, count: int) -> None:
        held = subnets.neuron_count(self.chain.storage, existing_subnet(self.chain, netuid))
        for number in range(held, held + count):
            seed = f"grown {netuid} {number} {self.chain.head.number}".encode()
            address = str(bittensor_core.ss58_encode(blake2_256(seed), SS58_FORMAT))
            register(self.chain, netuid, address, address)

    def clear(self) -> None:
        self.plan.clear()


_KINDS: Final = ("drop", "hang", "slow", "refuse", "pool", "jump", "swap_hotkey", "shrink", "grow", "clear")


def fault_methods(chain: Chain, plan: FaultPlan, cut: Callable[[], None]) -> dict[str, Method]:
    """Return ``dev_fault``.

    Args:
        chain: the chain that some kinds change.
        plan: where the other kinds are put in force.
        cut: cuts every connection off that has asked for anything but development methods.
    """
    faults = _Faults(chain, plan, cut)

    def fault(session: Session, kind: str, arguments: Mapping[str, Any] | None = None) -> bool:
        if kind not in _KINDS:
            raise invalid_parameters(f"no fault is named {kind!r}; there are {', '.join(_KINDS)}")
        getattr(faults, kind)(**(arguments or {}))
        return True

    return {"dev_fault": fault}
