"""Running the extrinsics of a block and writing down what happened."""

from typing import Any, Final

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.extrinsics import Extrinsic
from compression_subnet.chain.dev.pallets import CALLS, FREE_CALLS, CallContext, Event, accounts
from compression_subnet.chain.dev.state import Storage
from compression_subnet.chain.dev.validity import fee_of

__all__ = ["WEIGHT", "EventLog", "apply_extrinsic"]

WEIGHT: Final = {"ref_time": 1_000_000, "proof_size": 0}
"""Computational weight of every call. The dev chain has no limit to fill, so one will do."""


class EventLog:
    """The events of the block being built, as ``System.Events`` holds them."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def add(self, extrinsic_index: int | None, event: Event) -> None:
        """Record an event of an extrinsic, or of the block's start where there is no index."""
        phase = "Initialization" if extrinsic_index is None else {"ApplyExtrinsic": extrinsic_index}
        self.records.append({"phase": phase, "event": {event.pallet: {event.name: event.attributes}}, "topics": []})

    def add_inherent(self) -> None:
        """Record that the timestamp was set, as the block's first extrinsic."""
        info = {"weight": WEIGHT, "class": "Mandatory", "pays_fee": "Yes"}
        self.add(0, Event("System", "ExtrinsicSuccess", {"dispatch_info": info}))


def apply_extrinsic(storage: Storage, log: EventLog, block: int, index: int, extrinsic: Extrinsic) -> None:
    """Run one extrinsic: nonce and fee are spent in any case, the rest only where the call succeeds."""
    signer, name = extrinsic.signer, (extrinsic.pallet, extrinsic.call)
    accounts.use_nonce(storage, signer)
    fee = fee_of(*name) + extrinsic.tip
    if fee:
        accounts.charge(storage, signer, min(fee, accounts.balance(storage, signer)))
    context = CallContext(storage, block)
    info = {"weight": WEIGHT, "class": "Normal", "pays_fee": "No" if name in FREE_CALLS else "Yes"}
    try:
        with storage.state.transaction():
            CALLS[name](context, signer, **extrinsic.arguments)
    except DispatchFailure as failure:
        attributes = {"dispatch_error": _dispatch_error(storage, str(failure)), "dispatch_info": info}
        outcome = Event("System", "ExtrinsicFailed", attributes)
    else:
        for event in context.events:
            log.add(index, event)
        outcome = Event("System", "ExtrinsicSuccess", {"dispatch_info": info})
    paid = {"who": signer, "actual_fee": fee, "tip": extrinsic.tip}
    log.add(index, Event("TransactionPayment", "TransactionFeePaid", paid))
    log.add(index, outcome)


def _dispatch_error(storage: Storage, name: str) -> Any:
    pallet, number = storage.codec.error_number(name)
    return {"Module": {"index": pallet, "error": [number, 0, 0, 0]}}
