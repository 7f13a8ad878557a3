"""A plan, and what a soak came to, as tables."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from rich.table import Table

from soak.outcome import Outcome
from soak.plan import Fault

__all__ = ["as_json", "outcome_table", "plan_table"]


def plan_table(faults: Iterable[Fault], first: int) -> Table:
    """Return the faults of a plan from an epoch on."""
    table = Table("epoch", "phase", "after", "fault", "seconds", "amount", title="What is going to happen")
    for fault in faults:
        if fault.epoch >= first:
            seconds, amount = (str(value) if value else "" for value in (fault.seconds, fault.amount))
            kind = f"{fault.kind}: {fault.way}" if fault.way else str(fault.kind)
            table.add_row(str(fault.epoch), fault.phase, str(fault.after), kind, seconds, amount)
    return table


def outcome_table(outcome: Outcome) -> Table:
    """Return what a soak came to."""
    table = Table("what", "how much", title=f"Soak of seed {outcome.seed}")
    table.add_row("epochs", str(outcome.epochs))
    table.add_row("wall clock", f"{outcome.seconds:.0f} s")
    table.add_row("starts of the validator", str(outcome.starts))
    table.add_row("exits by itself", _counts(outcome.exits))
    table.add_row("faults", _counts(outcome.faults))
    table.add_row("rounds rescored, equal", f"{_counts(outcome.rounds)}; {outcome.archived} of them from archives")
    table.add_row("vectors compared", f"{outcome.vectors}, of which {outcome.unrecorded} are not in the record")
    table.add_row("records set aside", str(outcome.set_aside))
    for growth in outcome.growth:
        table.add_row(
            f"growth of process {growth.life}, {growth.epochs} epochs",
            f"{growth.bytes_an_epoch / 1024:+.1f} KiB resident, {growth.in_use_an_epoch / 1024:+.1f} KiB and "
            f"{growth.blocks_an_epoch:+.0f} objects in use, {growth.descriptors_an_epoch:+.3f} descriptors an epoch, "
            f"at most {growth.most_descriptors} open: {'flat' if growth.flat else 'NOT flat'}",
        )
    table.add_row("problems", str(len(outcome.problems)))
    return table


def as_json(outcome: Outcome) -> dict[str, Any]:
    """Return all of it, for a file."""
    growth = [asdict(one) | {"flat": one.flat} for one in outcome.growth]
    return asdict(outcome) | {"growth": growth}


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
