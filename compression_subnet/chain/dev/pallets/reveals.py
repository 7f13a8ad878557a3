"""What becomes of time-locked commitments.

The live chain opens a commitment with a drand pulse, which a chain without internet cannot have. Here the plain
weights arrive through ``dev_revealWeights``, a side channel for development only, and are applied when the live
chain would have applied them: at the start of the reveal epoch, before that epoch's consensus.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from compression_subnet.chain.dev.errors import DispatchFailure
from compression_subnet.chain.dev.pallets import subnets, weights
from compression_subnet.chain.dev.pallets.context import CallContext
from compression_subnet.chain.dev.state import Storage

__all__ = ["NO_COMMIT", "apply_reveals", "earliest_commits", "offer_reveal"]

NO_COMMIT: Final = np.iinfo(np.int64).max
"""Stands for the block of a commitment that does not exist."""

_NOTE: Final = "reveals"


def offer_reveal(
    storage: Storage,
    netuid: int,
    mechanism: int,
    hotkey: str,
    uids: Sequence[int],
    values: Sequence[int],
    version_key: int,
) -> int:
    """Keep the plain weights behind a hotkey's newest commitment; return the epoch in which they will count.

    Raises:
        ValueError: the hotkey has no commitment that waits.
    """
    index = subnets.storage_index(netuid, mechanism)
    epochs = [
        epoch
        for (_, epoch), commits in storage.entries("TimelockedWeightCommits", index)
        if any(held[0] == hotkey for held in commits)
    ]
    if not epochs:
        raise ValueError(f"{hotkey} has no commitment on netuid {netuid} that waits to be revealed")
    epoch = int(max(epochs))
    notes: dict[str, Any] = storage.get_note(_NOTE) or {}
    notes[_place(index, epoch, hotkey)] = {"uids": list(uids), "values": list(values), "version_key": version_key}
    storage.put_note(_NOTE, notes)
    return epoch + int(storage.get("RevealPeriodEpochs", netuid))


def apply_reveals(context: CallContext, netuid: int, epoch: int) -> None:
    """Apply what is to be revealed in ``epoch``, and drop the commitments whose time has passed."""
    storage = context.storage
    reveal_epoch = epoch - int(storage.get("RevealPeriodEpochs", netuid))
    for mechanism in range(int(storage.get("MechanismCountCurrent", netuid))):
        index = subnets.storage_index(netuid, mechanism)
        for (_, committed), commits in list(storage.entries("TimelockedWeightCommits", index)):
            if committed < reveal_epoch:
                _forget(storage, index, committed, commits)
            elif committed == reveal_epoch:
                _reveal(context, netuid, mechanism, committed, commits)


def earliest_commits(storage: Storage, netuid: int, count: int) -> npt.NDArray[np.int64]:
    """Return for each uid the block of its earliest commitment that is not revealed; ``NO_COMMIT`` without one."""
    blocks = np.full(count, NO_COMMIT, dtype=np.int64)
    for _, commits in storage.entries("TimelockedWeightCommits", subnets.storage_index(netuid)):
        for hotkey, block, *_ in commits:
            uid = subnets.uid_of(storage, netuid, hotkey)
            if uid is not None:
                blocks[uid] = min(blocks[uid], int(block))
    return blocks


def _reveal(context: CallContext, netuid: int, mechanism: int, epoch: int, commits: Sequence[Any]) -> None:
    storage = context.storage
    index = subnets.storage_index(netuid, mechanism)
    notes: dict[str, Any] = storage.get_note(_NOTE) or {}
    waiting = []
    for hotkey, block, sealed, drand in commits:
        row = notes.get(_place(index, epoch, hotkey))
        if row is None:
            waiting.append((hotkey, block, weights.commit_bytes(sealed), drand))
            continue
        try:
            with storage.state.transaction():
                weights.store_weights(
                    context, hotkey, netuid, mechanism, row["uids"], row["values"], row["version_key"]
                )
        except DispatchFailure:
            continue  # as on the live chain: a reveal that fails its checks is dropped without a trace
        context.emit("SubtensorModule", "TimelockedWeightsRevealed", (index, hotkey))
    if len(waiting) == len(commits):
        return
    _forget(storage, index, epoch, commits)
    if waiting:
        storage.put("TimelockedWeightCommits", index, epoch, value=waiting)


def _forget(storage: Storage, index: int, epoch: int, commits: Sequence[Any]) -> None:
    storage.remove("TimelockedWeightCommits", index, epoch)
    notes: dict[str, Any] = storage.get_note(_NOTE) or {}
    places = {_place(index, epoch, held[0]) for held in commits}
    if places & notes.keys():
        storage.put_note(_NOTE, {place: row for place, row in notes.items() if place not in places})


def _place(index: int, epoch: int, hotkey: str) -> str:
    return f"{index}/{epoch}/{hotkey}"
