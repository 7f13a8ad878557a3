"""A scenario played through: draws, averages, weights, and the consensus of the dev chain, epoch after epoch."""

import math
from collections.abc import Sequence

import numpy as np

from compression_subnet.chain.dev.yuma import EpochResult, Matrix, Vector, yuma
from compression_subnet.incentives.answers import MEASURED
from compression_subnet.incentives.population import Hotkey, population
from compression_subnet.incentives.results import (
    MINER_ALPHA_PER_EPOCH,
    KindSummary,
    ScenarioResult,
    Terms,
    ValidatorSummary,
)
from compression_subnet.incentives.scenarios import ALONE, FIELD, Scenario
from compression_subnet.incentives.validators import VALIDATORS, Judge, ValidatorKind
from compression_subnet.scoring import aggregate

__all__ = ["simulate"]


def simulate(scenario: Scenario, terms: Terms, validators: Sequence[ValidatorKind] = VALIDATORS) -> ScenarioResult:
    """Play a scenario through.

    Every validator that asks draws challenges of its own; one that copies sets what consensus paid ``terms.reveal``
    epochs ago. Stakes do not change.
    """
    hotkeys = population(scenario, terms.miners)
    rng = np.random.default_rng(terms.seed)
    judges = {
        v: Judge(hotkeys, kind.effort, terms, one)
        for v, (kind, one) in enumerate(zip(validators, rng.spawn(len(validators)), strict=True))
        if kind.effort
    }
    epochs = _epochs(hotkeys, judges, terms, validators)
    first = judges[max(judges, key=lambda v: validators[v].stake)]
    weights = np.array([_shares(row) for row in (one[0] for one in epochs)])
    incentive = np.array([result.incentive[len(validators) :] for _, result in epochs])
    return ScenarioResult(
        name=scenario.name,
        title=scenario.title,
        terms=terms,
        kinds=_kinds(hotkeys, first, weights, incentive),
        validators=_validators([result for _, result in epochs], validators),
        baseline=aggregate(dict(MEASURED["truncation"])),
    )


def _epochs(
    hotkeys: Sequence[Hotkey], judges: dict[int, Judge], terms: Terms, validators: Sequence[ValidatorKind]
) -> list[tuple[Vector, EpochResult]]:
    """Return, for each epoch, the weights of the validator with most stake, and what consensus made of all."""
    count = len(validators)
    first = max(judges, key=lambda v: validators[v].stake)
    stake = np.array([v.stake for v in validators] + [0.0] * len(hotkeys))
    bonds: Matrix = np.zeros((len(stake), len(stake)))
    found: list[tuple[Vector, EpochResult]] = []
    for epoch in range(terms.epochs):
        registered = [i for i, hotkey in enumerate(hotkeys) if hotkey.kind.arrives <= epoch / terms.epochs]
        weights: Matrix = np.zeros_like(bonds)
        for v in range(count):
            if v in judges:
                weights[v, count:] = judges[v].weights(epoch, registered)
            elif len(found) >= terms.reveal:
                weights[v] = found[-terms.reveal][1].incentive
        result = yuma(stake, weights, bonds)
        bonds = result.bonds
        found.append((weights[first, count:], result))
    return found


def _kinds(hotkeys: Sequence[Hotkey], judge: Judge, weights: Matrix, incentive: Matrix) -> tuple[KindSummary, ...]:
    last = slice(-max(1, len(weights) // 4), None)
    standings = judge.standings()
    members: dict[str, list[int]] = {}
    for i, hotkey in enumerate(hotkeys):
        members.setdefault(hotkey.kind.name, []).append(i)
    alone = float(incentive[last][:, members[ALONE]].mean())
    found = []
    for name, numbers in members.items():
        share = float(incentive[last][:, numbers].sum(axis=1).mean())
        known = [standings[i] for i in numbers if i in standings]
        found.append(
            KindSummary(
                name=name,
                hotkeys=len(numbers),
                score=math.fsum(s.score for s in known) / len(known) if known else 0.0,
                stderr=math.sqrt(math.fsum(s.stderr**2 for s in known) / len(known)) if known else math.inf,
                weight=float(weights[last][:, numbers].sum(axis=1).mean()),
                incentive=share,
                emission=share * MINER_ALPHA_PER_EPOCH,
                to_one=share / alone if alone else None,
                arrives=math.ceil(hotkeys[numbers[0]].kind.arrives * len(weights)),
                series=tuple(incentive[:, numbers].sum(axis=1).tolist()),
                best=tuple(incentive[:, numbers].max(axis=1).tolist()),
            )
        )
    # What is compared comes first, then what it is compared with.
    return tuple(sorted(found, key=lambda kind: (ALONE, FIELD).index(kind.name) if kind.name in (ALONE, FIELD) else -1))


def _validators(results: Sequence[EpochResult], validators: Sequence[ValidatorKind]) -> tuple[ValidatorSummary, ...]:
    dividends = np.array([result.dividends[: len(validators)] for result in results])
    trust = np.array([result.validator_trust[: len(validators)] for result in results])
    total = dividends.sum()
    return tuple(
        ValidatorSummary(
            kind.name, kind.stake, float(dividends[:, v].sum() / total) if total else 0.0, float(trust[:, v].mean())
        )
        for v, kind in enumerate(validators)
    )


def _shares(row: Vector) -> Vector:
    total = row.sum()
    return row / total if total else row
