"""Yuma consensus: from validators' weights and stake to incentives and dividends. Pure; numpy alone.

The algorithm is the public pallet's (``epoch/run_epoch/epoch_mechanism.rs``, spec 424 to 446) in floating point,
where the chain has fixed point of 32 bits: results agree to about 1e-6. Rows are validators, columns are those whom
they weigh; every matrix is [n, n], every vector [n].
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["EpochResult", "Matrix", "Vector", "YumaSettings", "stake_weighted_median", "top_stakes", "yuma"]

Vector = npt.NDArray[np.float64]
Matrix = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_KAPPA: Final = 32_767 / 65_535


@dataclass(frozen=True, slots=True)
class YumaSettings:
    """A subnet's settings of consensus, as fractions; the defaults are a new subnet's."""

    kappa: float = _KAPPA
    """Share of stake that must back a weight for it to count."""
    bonds_moving_average: float = 0.9
    """Share of the old bonds that an epoch keeps."""
    bonds_penalty: float = 1.0
    """How much of a weight above consensus is left out of the bonds."""
    yuma3: bool = True
    """Bonds for each pair of validator and miner alone (version 3), or relative to stake (version 2)."""
    max_validators: int = 64
    """How many may hold a permit."""
    liquid_alpha: bool = False
    """Whether bonds move faster the further they are from consensus (version 3 only)."""
    alpha_low: float = 45_875 / 65_535
    alpha_high: float = 58_982 / 65_535
    alpha_steepness: float = 10.0


@dataclass(frozen=True, slots=True)
class EpochResult:
    """What an epoch finds. Incentive and dividends each sum to 1, or are all 0."""

    incentive: Vector
    dividends: Vector
    consensus: Vector
    """The weight that stake of at least kappa backs, for each column."""
    validator_trust: Vector
    """Share of a validator's weights that lies within consensus."""
    trust: Vector
    """Share of what a column was given that lies within consensus."""
    bonds: Matrix
    """To be handed to the next epoch."""
    emission: Vector
    """Share of the subnet's emission; by stake where nobody was given anything."""
    permits: Mask
    """Who may validate from now on."""
    stake: Vector
    """Normalised stake of those above the threshold."""


def yuma(
    stake: Vector,
    weights: Matrix,
    bonds: Matrix,
    *,
    permits: Mask | None = None,
    active: Mask | None = None,
    ignored: Mask | None = None,
    forgotten: Mask | None = None,
    owner: int | None = None,
    settings: YumaSettings | None = None,
) -> EpochResult:
    """Run one epoch.

    Args:
        stake: stake weight of each neuron, 0 for one below the threshold; in any unit.
        weights: row by row, in any scale; a validator's weight on itself is left out, the owner's is not.
        bonds: as the last epoch returned them.
        permits: who may validate in this epoch; all, where not given.
        active: who has set weights recently enough; all, where not given.
        ignored: weights to leave out [n, n], such as those set before their target registered.
        forgotten: columns whose bonds start anew, such as those registered since the last epoch.
        owner: uid of the subnet's owner, who is always permitted.
        settings: the subnet's settings.

    Raises:
        ValueError: shapes disagree, or a stake, weight or bond is negative or not finite.
    """
    _check(stake, weights, bonds)
    settings = settings or YumaSettings()
    count = len(stake)
    permitted = np.ones(count, dtype=np.bool_) if permits is None else permits.copy()
    if owner is not None:
        permitted[owner] = True
    normal_stake = _share(stake)
    voting = permitted if active is None else permitted & active
    voters = _share(np.where(voting, normal_stake, 0.0))

    kept = np.repeat(permitted[:, None], count, axis=1)
    kept &= ~np.eye(count, dtype=np.bool_) | (np.arange(count) == (-1 if owner is None else owner))[:, None]
    if ignored is not None:
        kept &= ~ignored
    rows = _row_shares(np.where(kept, weights, 0.0))
    consensus = stake_weighted_median(rows, voters, settings.kappa)
    clipped = np.minimum(rows, consensus)
    ranks = voters @ clipped
    incentive = _share(ranks)

    old_bonds = bonds if forgotten is None else np.where(forgotten[None, :], 0.0, bonds)
    for_bonds = rows + settings.bonds_penalty * (clipped - rows)
    step = _bonds_version_3 if settings.yuma3 else _bonds_version_2
    new_bonds, dividends = step(for_bonds, old_bonds, consensus, incentive, voters, settings)

    new_permits = top_stakes(normal_stake, settings.max_validators)
    if owner is not None:
        new_permits[owner] = True
    earned = _share(incentive + dividends)
    return EpochResult(
        incentive=incentive,
        dividends=dividends,
        consensus=consensus,
        validator_trust=clipped.sum(axis=1),
        trust=_ratio(ranks, voters @ rows),
        bonds=np.where(new_permits[:, None], new_bonds, 0.0),
        emission=earned if earned.any() else voters if voters.any() else normal_stake,
        permits=new_permits,
        stake=normal_stake,
    )


def stake_weighted_median(rows: Matrix, voters: Vector, kappa: float) -> Vector:
    """Return, for each column, the largest weight that voters with at least ``kappa`` of the stake give it.

    Args:
        rows: normalised weights.
        voters: normalised stake; those without any have no say.
        kappa: the majority, a fraction.
    """
    voting = voters > 0.0
    if not voting.any():
        return np.zeros(rows.shape[1])
    weights, shares = rows[voting], voters[voting]
    order = np.argsort(weights, axis=0, kind="stable")
    ordered = np.take_along_axis(weights, order, axis=0)
    cumulative = np.cumsum(shares[order], axis=0)
    # The smallest weight such that the stake of those who gave no more exceeds the minority.
    minority = cumulative[-1] - kappa
    position = np.minimum((cumulative <= minority).sum(axis=0), len(shares) - 1)
    median: Vector = ordered[position, np.arange(rows.shape[1])]
    return median


def top_stakes(stake: Vector, count: int) -> Mask:
    """Say who is among the ``count`` largest stakes; nobody without stake is, and ties go to the lower uid."""
    order = np.argsort(-stake, kind="stable")[:count]
    chosen = np.zeros(len(stake), dtype=np.bool_)
    chosen[order] = True
    return chosen & (stake > 0.0)


def _bonds_version_3(
    weights: Matrix, bonds: Matrix, consensus: Vector, incentive: Vector, voters: Vector, settings: YumaSettings
) -> tuple[Matrix, Vector]:
    """Each bond follows its own weight; dividends then are bonds times stake."""
    alpha: Matrix | float = 1.0 - settings.bonds_moving_average
    if settings.liquid_alpha and consensus.any():
        alpha = _liquid_alpha(weights, bonds, consensus, settings)
        bonds = np.where(weights > 0.0, bonds, 0.0)  # as on the chain: what is not weighed any more is dropped at once
    new_bonds = np.clip(alpha * weights + (1.0 - alpha) * bonds, 0.0, 1.0)
    held = (_column_shares(new_bonds) * incentive).sum(axis=1)
    return new_bonds, _share(held * voters)


def _bonds_version_2(
    weights: Matrix, bonds: Matrix, consensus: Vector, incentive: Vector, voters: Vector, settings: YumaSettings
) -> tuple[Matrix, Vector]:
    """Bonds are bought with stake and are shares of a column; stored so that each column's largest is 1."""
    alpha = 1.0 - settings.bonds_moving_average
    bought = _column_shares(weights * voters[:, None])
    mixed = _column_shares(alpha * bought + (1.0 - alpha) * _column_shares(bonds))
    dividends = _share(mixed @ incentive)
    return _ratio(mixed, np.broadcast_to(mixed.max(axis=0, initial=0.0), mixed.shape)), dividends


def _liquid_alpha(weights: Matrix, bonds: Matrix, consensus: Vector, settings: YumaSettings) -> Matrix:
    buying = np.clip(weights - consensus, 0.0, 1.0)
    selling = np.clip(bonds - weights, 0.0, 1.0)
    distance = np.where(weights >= bonds, buying, selling)
    sigmoid = 1.0 / (1.0 + np.exp(-settings.alpha_steepness * (distance - 0.5)))
    return np.asarray(settings.alpha_low + sigmoid * (settings.alpha_high - settings.alpha_low), dtype=np.float64)


def _share(vector: Vector) -> Vector:
    total = vector.sum()
    return vector / total if total > 0.0 else np.zeros_like(vector)


def _row_shares(matrix: Matrix) -> Matrix:
    return _ratio(matrix, np.broadcast_to(matrix.sum(axis=1, keepdims=True), matrix.shape))


def _column_shares(matrix: Matrix) -> Matrix:
    return _ratio(matrix, np.broadcast_to(matrix.sum(axis=0, keepdims=True), matrix.shape))


def _ratio(part: Matrix, whole: Matrix) -> Matrix:
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0)


def _check(stake: Vector, weights: Matrix, bonds: Matrix) -> None:
    square = (len(stake), len(stake))
    for name, values, shape in (("stake", stake, square[:1]), ("weights", weights, square), ("bonds", bonds, square)):
        if values.shape != shape:
            raise ValueError(f"{name}: the shape is {values.shape}, not {shape}")
        if not (np.isfinite(values).all() and (values >= 0.0).all()):
            raise ValueError(f"{name}: a value is negative or not finite")
