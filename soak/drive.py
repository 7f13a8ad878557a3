"""From epoch to epoch: the chain's pace, the plan's faults, and whether the validator goes on by itself."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from compression_subnet.validator.records.archive import archive_folder
from soak.assembly import MARGIN_BLOCKS, Assembly, assembled
from soak.final import ARCHIVES, lost_archives, recompute
from soak.ledger import statuses
from soak.meter import InUse
from soak.outcome import MOST_DESCRIPTORS, Outcome, Sample
from soak.plan import Fault, Phase, plan_faults

__all__ = ["run_soak"]

PATIENCE: Final = 90.0
"""Seconds without any fault within which a round must end."""
AFTERMATH: Final = 20.0
"""Seconds after a fault in which the validator may leave because of it; its supervisor starts it again."""
_LOOK: Final = 0.05
_RESTART: Final = 0.5
_TRACEBACK: Final = b"Traceback (most recent call last)"
# Seconds between blocks: while a round runs, while its weights are due, and when there is nothing to wait for.
_SLOW: Final = 0.25
_DUE: Final = 0.15
_QUICK: Final = 0.02


class _Stuck(Exception):
    """The validator does not go on."""


async def run_soak(
    folder: Path,
    seed: int,
    epochs: int,
    first: int,
    show: Callable[[Outcome, str], None],
    *,
    keep_going: bool = False,
) -> Outcome:
    """Run a soak in ``folder``, and return what it came to. It ends early where the validator does not go on.

    Args:
        folder: for the record, the log and the wallets.
        seed: of the plan.
        epochs: of the plan, counted from 0.
        first: the epoch to begin with.
        show: called as it goes on, with what is going on.
        keep_going: whether to go on after a problem, which hides what it was.
    """
    outcome = Outcome(seed, first)
    start = time.monotonic()
    async with assembled(folder, outcome) as parts:
        await parts.supervisor.start()
        drive = _Drive(parts, outcome, folder / "validator.log")
        faults = plan_faults(seed, epochs)
        try:
            for epoch in range(first, epochs):
                here = [fault for fault in faults if fault.epoch == epoch]
                show(outcome, ", ".join(" ".join(filter(None, (f.kind, f.way, f"({f.phase})"))) for f in here))
                await drive.epoch(epoch, here)
                outcome.epochs += 1
                outcome.seconds = time.monotonic() - start
                outcome.starts = parts.supervisor.starts
                if outcome.problems and not keep_going:
                    break
            await drive.finish()
        except _Stuck as stuck:
            outcome.problems.append(f"epoch {first + outcome.epochs}: {stuck}\n{parts.supervisor.tail()}")
    outcome.starts = parts.supervisor.starts
    outcome.seconds = time.monotonic() - start
    return outcome


@dataclass(slots=True)
class _Drive:
    """Drives the parts."""

    parts: Assembly
    outcome: Outcome
    log: Path
    quiet_since: float = field(default_factory=time.monotonic)
    log_read: int = 0
    rounds_at_epoch: tuple[int, int] = (-1, 0)
    """The chain's epoch, and how many rounds had ended when it began."""
    life: tuple[int, int] = (0, 0)
    """How often the validator was started anew, and how many rounds had ended then."""
    descriptors: int = 0
    """Fewest that were open at any look in this epoch."""
    in_use: InUse | None = None
    """Least that was in use at any look in this epoch."""

    async def epoch(self, number: int, faults: Sequence[Fault]) -> None:
        """Run one epoch: until its faults are over, a round has ended since it began, and the chain's epoch too."""
        parts = self.parts
        parts.fleet.epoch = number
        parts.milestones.begin()
        began = parts.network.epoch
        self._begin_life()
        self.quiet_since = time.monotonic()
        self.descriptors, self.in_use = MOST_DESCRIPTORS + 1, None
        try:
            async with asyncio.TaskGroup() as group:
                work = [group.create_task(parts.injector.inject(fault)) for fault in faults]
                while not (all(task.done() for task in work) and self._has_moved() and parts.network.epoch > began):
                    await self._look()
        except* _Stuck as stuck:
            raise stuck.exceptions[0] from None
        await parts.checks.check(closed=False)
        self._read_log()
        held = parts.supervisor.footprint()
        if held is not None:
            in_use = self.in_use or InUse(0, 0)
            self.outcome.samples.append(
                Sample(number, parts.supervisor.starts, held.resident, self.descriptors, in_use.bytes, in_use.blocks)
            )

    async def finish(self) -> None:
        """Stop the validator and recompute the record as a whole, and those that were set aside, as they were."""
        parts = self.parts
        if not await parts.supervisor.stop():
            self.outcome.problems.append("at the end: SIGTERM did not end the validator in time")
        await parts.checks.check(closed=True)
        outcome = self.outcome
        for path in (*parts.checks.copies, parts.record):
            found = await asyncio.to_thread(recompute, path)
            outcome.rounds = dict(Counter(outcome.rounds) + Counter(found.rounds))
            outcome.archived += found.archived
            outcome.problems += [f"at the end: {problem}" for problem in found.problems]
        copied = [archive_folder(path) for path in parts.checks.copies]
        kept = [file for file in parts.record.parent.rglob(ARCHIVES) if file.parent not in copied]
        for folder in copied:
            if lost := lost_archives(folder, kept):
                outcome.problems.append(f"at the end: {', '.join(lost)} are gone, of the record that was set aside")

    async def _look(self) -> None:
        parts = self.parts
        await asyncio.sleep(_LOOK)
        if parts.injector.active:
            self.quiet_since = time.monotonic()
        parts.network.node.block_time = self._pace()
        held = parts.supervisor.footprint()
        if held is not None:
            # A round has a connection to each miner; what is left between rounds is what counts.
            self.descriptors = min(self.descriptors, held.descriptors)
            if held.in_use is not None:
                least = self.in_use or held.in_use
                self.in_use = InUse(min(least.bytes, held.in_use.bytes), min(least.blocks, held.in_use.blocks))
        quiet = time.monotonic() - self.quiet_since
        if parts.supervisor.status is not None and not parts.injector.down:
            self._left(parts.supervisor.status, quiet)
            await asyncio.sleep(_RESTART)
            await parts.injector.restart()
        if quiet > PATIENCE:
            raise _Stuck(f"no round has ended for {quiet:.0f} s, without any fault")

    def _left(self, status: int, quiet: float) -> None:
        exits = self.outcome.exits
        exits[str(status)] = exits.get(str(status), 0) + 1
        if quiet > AFTERMATH:
            raise _Stuck(f"the validator left with status {status}, {quiet:.0f} s after the last fault")

    def _pace(self) -> float:
        network = self.parts.network
        finished = self._finished()
        if self.rounds_at_epoch[0] != network.epoch:
            self.rounds_at_epoch = (network.epoch, finished)
        if finished == self.rounds_at_epoch[1]:
            return _SLOW
        if self.parts.milestones.reached(Phase.SET) or network.blocks_left > MARGIN_BLOCKS:
            return _QUICK
        return _DUE

    def _finished(self) -> int:
        """Return how many rounds have ended, in whatever record there is."""
        return sum(status in ("counted", "void") for status in statuses(self.parts.record).values())

    def _begin_life(self) -> None:
        self.life = (self.parts.injector.deaths, self._finished())

    def _has_moved(self) -> bool:
        """Whether a round has ended since the epoch began, and since the validator was last started."""
        deaths, before = self.life
        if deaths != self.parts.injector.deaths:
            self._begin_life()
            return False
        now = self._finished()
        return now > before or 0 < now < before  # fewer: another record was begun

    def _read_log(self) -> None:
        """Look for bugs: whatever else goes wrong is told in one line."""
        with self.log.open("rb") as file:
            file.seek(self.log_read)
            new = file.read()
        self.log_read += len(new)
        at = new.find(_TRACEBACK)
        if at >= 0:
            shown = new[at : at + 3_000].decode(errors="replace")
            self.outcome.problems.append(f"epoch {self.outcome.first + self.outcome.epochs}: {shown}")
