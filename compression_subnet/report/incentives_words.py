"""What simulated scenarios show, in words and figures: for the table and the page alike."""

from collections.abc import Sequence

from compression_subnet.incentives.results import KindSummary, ScenarioResult, Terms, ValidatorSummary
from compression_subnet.incentives.scenarios import ALONE, FIELD

__all__ = [
    "ABOUT",
    "command",
    "findings",
    "kind_cells",
    "settings_shown",
    "times",
    "validator_cells",
    "validators_note",
]

ABOUT = (
    "Weight, paid and alpha: of all hotkeys of a kind together, over the last quarter of the run; alpha is an epoch's, "
    "where a subnet's miners get 41 % of 1 a block. Score: of one hotkey at the end, with its standard error."
)


def settings_shown(terms: Terms) -> str:
    """Return the sentence that names the settings."""
    hidden = f"weights can be read after {terms.reveal} epoch{'s' if terms.reveal > 1 else ''}"
    return (
        f"{terms.epochs} epochs, {terms.miners} honest miners beside the one; {terms.challenges} challenges a round, "
        f"z {terms.z:g}, power {terms.power}, forgetting {terms.forgetting:g}, {hidden}; seed {terms.seed}."
    )


def kind_cells(kind: KindSummary) -> list[str]:
    """Return what the tables show of a kind, after its name: hotkeys, score, weight, paid, alpha, to one."""
    return [
        str(kind.hotkeys),
        f"{kind.score:.3f} ± {kind.stderr:.3f}",
        f"{kind.weight:.2%}",
        f"{kind.incentive:.2%}",
        f"{kind.emission:.2f}",
        times(kind.to_one),
    ]


def validator_cells(validator: ValidatorSummary) -> list[str]:
    """Return what the tables show of a validator, after its name: stake, dividends, return, trust."""
    return [
        f"{validator.stake:.0%}",
        f"{validator.dividends:.1%}",
        f"{validator.return_on_stake:.2f}",
        f"{validator.trust:.2f}",
    ]


def times(ratio: float | None) -> str:
    """Return a ratio to the one honest miner."""
    return "–" if ratio is None else f"{ratio:.2f} ×"


def findings(result: ScenarioResult) -> list[str]:
    """Return what became of each of the scenario's own kinds, a sentence each."""
    field = result.by_name.get(FIELD)
    said = []
    for kind in result.kinds:
        if kind.name in (ALONE, FIELD):
            continue
        each = "together " if kind.hotkeys > 1 else ""
        if kind.incentive == 0:
            paid = f"{each}paid nothing"
        elif kind.to_one is None:
            paid = f"{each}paid {kind.incentive:.2%}"
        else:
            paid = f"{each}paid {kind.to_one:.2f} times what the one honest miner is"
        sentence = f"{kind.name}: {paid}"
        if kind.arrives and field is not None:
            ahead = kind.leads_after(field)
            sentence += (
                "; never ahead of all of the field"
                if ahead is None
                else f"; ahead of all of the field in epoch {ahead + 1} of its registration"
            )
        elif kind.incentive < (before := kind.series[len(kind.series) // 4]) / 2:
            sentence += f"; a quarter into the run it got {before:.2%}"
            if not kind.incentive:
                paid_last = max(epoch for epoch, share in enumerate(kind.series) if share)
                sentence += f", and the last in epoch {paid_last} of {len(kind.series)}"
        said.append(f"{sentence}.")
    return said


def validators_note(results: Sequence[ScenarioResult]) -> str:
    """Return the sentence on what the tables of validators show."""
    reveal = results[0].terms.reveal
    return (
        "Validators over the whole run: dividends, and dividends for each unit of stake (1 is what all get together). "
        f"One sets the incentive of {reveal} epoch{'s' if reveal > 1 else ''} ago and asks nobody."
    )


def command(results: Sequence[ScenarioResult]) -> str:
    """Return the command that gives these results again."""
    terms = results[0].terms
    return (
        f"compression-subnet incentives simulate --scenario {' '.join(result.name for result in results)} "
        f"--epochs {terms.epochs} --miners {terms.miners} --challenges {terms.challenges} --z {terms.z:g} "
        f"--power {terms.power} --forgetting {terms.forgetting:g} --reveal {terms.reveal} --seed {terms.seed}"
    )
