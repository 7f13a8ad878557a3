"""When a subnet's epoch runs, and what it changes.

Sources: ``coinbase/run_coinbase/drain_pending_emissions.rs``, ``coinbase/reveal_commits.rs`` and
``epoch/run_epoch`` of the public pallet. The dev chain pays nobody: emission is recorded, stakes stay as they were
set, so that tests and demonstrations know them.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.chain.dev.pallets import reveals, subnets
from compression_subnet.chain.dev.pallets.context import CallContext
from compression_subnet.chain.dev.state import Storage
from compression_subnet.chain.dev.yuma import EpochResult, Matrix, Vector, YumaSettings, yuma

__all__ = ["activity_cutoff", "next_epoch_block", "run_due_epochs"]

_SCALE: Final = 65_535
_ROUNDING: Final = 1e-9
_EMISSION_PER_BLOCK: Final = 820_000_000
"""Rao of alpha for miners and validators in each block: one alpha less the owner's cut of 18 %."""


def next_epoch_block(storage: Storage, netuid: int, at: int | None = None) -> int | None:
    """Return the block at which the subnet's next epoch runs; None where its tempo is 0."""
    tempo = int(storage.get("Tempo", netuid, at=at))
    if tempo == 0:
        return None
    planned = int(storage.get("LastEpochBlock", netuid, at=at)) + tempo
    pending = int(storage.get("PendingEpochAt", netuid, at=at))
    return min(planned, pending) if pending else planned


def activity_cutoff(storage: Storage, netuid: int, at: int | None = None) -> int:
    """Return after how many blocks without weights a validator counts as inactive."""
    factor = int(storage.get("ActivityCutoffFactorMilli", netuid, at=at))
    return max(factor * int(storage.get("Tempo", netuid, at=at)) // 1_000, 1)


def run_due_epochs(context: CallContext) -> None:
    """At a block's start, reveal what is due in each subnet, then run its epoch if that is due."""
    storage, block = context.storage, context.block
    for netuid in subnets.subnets(storage):
        if netuid == subnets.ROOT:
            continue
        due = next_epoch_block(storage, netuid)
        tempo = int(storage.get("Tempo", netuid))
        since = min(int(storage.get("BlocksSinceLastStep", netuid)) + 1, tempo + 1)
        runs = due is not None and (block >= due or since > tempo)
        epoch = int(storage.get("SubnetEpochIndex", netuid)) + runs
        reveals.apply_reveals(context, netuid, epoch)
        storage.put("BlocksSinceLastStep", netuid, value=0 if runs else since)
        if runs:
            _run_epoch(storage, netuid, block)
            storage.put("LastEpochBlock", netuid, value=block)
            storage.put("LastMechansimStepBlock", netuid, value=block)
            storage.put("PendingEpochAt", netuid, value=0)
            storage.put("SubnetEpochIndex", netuid, value=epoch)


def _run_epoch(storage: Storage, netuid: int, block: int) -> None:
    count = subnets.neuron_count(storage, netuid)
    owner = subnets.owner_uid(storage, netuid)
    updated = np.array(storage.get("LastUpdate", netuid), dtype=np.int64)
    registered = np.array([storage.get("BlockAtRegistration", netuid, uid) for uid in range(count)], dtype=np.int64)
    active = updated + activity_cutoff(storage, netuid) >= block
    ignored = updated[:, None] <= registered[None, :]
    if storage.get("CommitRevealWeightsEnabled", netuid):
        committed = reveals.earliest_commits(storage, netuid, count)
        ignored |= committed[:, None] < registered[None, :]
    last_step = int(storage.get("LastMechansimStepBlock", netuid))
    last_epoch = last_step + 1 if last_step else max(block - int(storage.get("Tempo", netuid)), 0)
    result = yuma(
        _stake(storage, netuid, count, owner),
        _matrix(storage, "Weights", netuid, count),
        _matrix(storage, "Bonds", netuid, count) / _SCALE,
        permits=np.array(storage.get("ValidatorPermit", netuid), dtype=np.bool_),
        active=active,
        ignored=ignored,
        forgotten=registered >= last_epoch,
        owner=owner,
        settings=_settings(storage, netuid),
    )
    storage.put("Active", netuid, value=active.tolist())
    _store(storage, netuid, result, _EMISSION_PER_BLOCK * max(block - last_step, 1))


def _stake(storage: Storage, netuid: int, count: int, owner: int | None) -> Vector:
    threshold = int(storage.get("StakeThreshold"))
    stake = np.zeros(count)
    for uid in range(count):
        weight = subnets.stake_weight(storage, netuid, storage.get("Keys", netuid, uid))[0]
        if weight >= threshold or uid == owner:
            stake[uid] = weight
    return stake


def _matrix(storage: Storage, item: str, netuid: int, count: int) -> Matrix:
    matrix = np.zeros((count, count))
    for uid in range(count):
        for other, value in storage.get(item, netuid, uid):
            if other < count:
                matrix[uid, other] = value
    return matrix


def _settings(storage: Storage, netuid: int) -> YumaSettings:
    alpha_low, alpha_high = storage.get("AlphaValues", netuid)
    return YumaSettings(
        kappa=storage.get("Kappa", netuid) / _SCALE,
        bonds_moving_average=storage.get("BondsMovingAverage", netuid) / 1_000_000,
        bonds_penalty=storage.get("BondsPenalty", netuid) / _SCALE,
        yuma3=bool(storage.get("Yuma3On", netuid)),
        max_validators=int(storage.get("MaxAllowedValidators", netuid)),
        liquid_alpha=bool(storage.get("LiquidAlphaOn", netuid)),
        alpha_low=alpha_low / _SCALE,
        alpha_high=alpha_high / _SCALE,
        alpha_steepness=storage.get("AlphaSigmoidSteepness", netuid) / 100,
    )


def _store(storage: Storage, netuid: int, result: EpochResult, emission: int) -> None:
    shares = {
        "StakeWeight": result.stake,
        "Consensus": result.consensus,
        "Incentive": result.incentive,
        "Dividends": result.dividends,
        "ValidatorTrust": result.validator_trust,
    }
    for item, values in shares.items():
        storage.put(item, netuid, value=_fractions(values))
    storage.put("Emission", netuid, value=[int(share * emission + _ROUNDING) for share in result.emission.tolist()])
    held = storage.get("ValidatorPermit", netuid)
    storage.put("ValidatorPermit", netuid, value=result.permits.tolist())
    for uid, permitted in enumerate(result.permits.tolist()):
        if permitted:
            row = _fractions(result.bonds[uid])
            storage.put("Bonds", netuid, uid, value=[pair for pair in enumerate(row) if pair[1]])
        elif held[uid]:
            storage.remove("Bonds", netuid, uid)


def _fractions(values: npt.NDArray[np.float64]) -> list[int]:
    """Return fractions as the chain stores them: of 65535, rounded down."""
    scaled = np.floor(np.clip(values, 0.0, 1.0) * _SCALE + _ROUNDING)
    return [int(value) for value in scaled.tolist()]
