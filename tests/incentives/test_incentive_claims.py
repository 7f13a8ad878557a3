"""What docs/incentives.md says of the settings, asserted on the real scoring and the real consensus."""

from dataclasses import replace

import pytest

from compression_subnet.incentives.results import KindSummary, ScenarioResult, Terms
from compression_subnet.incentives.scenarios import ALONE, FIELD, SCENARIOS
from compression_subnet.incentives.simulate import simulate
from compression_subnet.scoring import Standing, WeightRule, earned_weights, quantise, shares
from compression_subnet.setting_groups import ValidatorNeuronSettings

OWN = ValidatorNeuronSettings()
TERMS = Terms(
    epochs=36,
    miners=12,
    challenges=OWN.challenges,
    z=OWN.z,
    power=OWN.power,
    min_challenges=OWN.min_challenges,
    forgetting=OWN.forgetting,
    reveal=1,
    seed=1,
)


@pytest.fixture(scope="module")
def results() -> dict[str, ScenarioResult]:
    return {name: simulate(scenario, TERMS) for name, scenario in SCENARIOS.items()}


def kind(results: dict[str, ScenarioResult], scenario: str, name: str) -> KindSummary:
    return results[scenario].by_name[name]


def test_clones_together_earn_what_one_earns(results: dict[str, ScenarioResult]) -> None:
    found = kind(results, "clones", "8 clones")
    assert found.hotkeys == 8
    assert found.to_one == pytest.approx(1.0, abs=0.2)  # two miners of equal skill differ by as much


@pytest.mark.parametrize("count", [2, 8, 100])
def test_of_equal_scores_clones_together_earn_exactly_one_miners_weight(count: int) -> None:
    standing = Standing({20: 0.5, 40: 0.5, 60: 0.5}, 0.5, 0.01, 0.2, 0.01, 60)
    clones = [f"clone {i}" for i in range(count)]
    earned = earned_weights(dict.fromkeys([*clones, "one"], standing), WeightRule(), [frozenset(clones)])
    assert sum(earned[clone] for clone in clones) == pytest.approx(earned["one"], rel=1e-12)
    numbers = {name: i for i, name in enumerate(earned)}
    on_chain = shares(quantise({numbers[name]: weight for name, weight in earned.items()}))
    assert sum(on_chain[numbers[c]] for c in clones) == pytest.approx(on_chain[numbers["one"]], rel=count / 65535)


def test_sybils_that_the_copy_rule_does_not_see_earn_by_their_number(results: dict[str, ScenarioResult]) -> None:
    """A limit of the mechanism, which the docs state: this is what they get away with."""
    found = kind(results, "sybils", "8 sybils")
    assert found.to_one == pytest.approx(8.0, rel=0.2)


def test_a_better_miner_leads_within_five_epochs(results: dict[str, ScenarioResult]) -> None:
    better = kind(results, "better", "better")
    field = kind(results, "better", FIELD)
    assert better.series[better.arrives - 1] == 0
    after = better.leads_after(field)
    assert after is not None and after <= 5
    assert better.best[-1] > field.best[-1]


def test_going_dark_loses_everything_within_six_epochs(results: dict[str, ScenarioResult]) -> None:
    dark = kind(results, "entrenched", "goes dark")
    silent = TERMS.epochs // 3
    assert dark.series[silent - 1] > kind(results, "entrenched", ALONE).series[silent - 1]
    assert dark.incentive == 0
    assert max(dark.series[silent + 6 :]) == 0


def test_whoever_decays_ends_where_its_skill_belongs(results: dict[str, ScenarioResult]) -> None:
    decays = kind(results, "entrenched", "decays")
    assert decays.series[TERMS.epochs // 3] > 2 * kind(results, "entrenched", ALONE).series[TERMS.epochs // 3]
    assert decays.to_one is not None and decays.to_one < 1.5


def test_a_copier_of_the_reference_does_not_outearn_it_and_halves_what_it_gets(
    results: dict[str, ScenarioResult],
) -> None:
    reference, copier = (kind(results, "copier", name) for name in ("reference", "copier"))
    assert copier.incentive == pytest.approx(reference.incentive)
    assert copier.to_one == pytest.approx(0.5, abs=0.15)


def test_an_edited_copy_passes_for_a_miner_of_its_own(results: dict[str, ScenarioResult]) -> None:
    """The same limit as with sybils: it is paid by its score, more than those that the rule joins."""
    edited = kind(results, "copier", "edited copy")
    assert edited.incentive > kind(results, "copier", "copier").incentive
    assert edited.to_one is not None and edited.to_one < 1.1


def test_noise_and_truncation_earn_nothing(results: dict[str, ScenarioResult]) -> None:
    assert kind(results, "noise", "8 at random").incentive == 0
    assert kind(results, "noise", "truncation").incentive == 0


def test_without_the_allowance_for_chance_noise_is_paid() -> None:
    few = replace(TERMS, challenges=18, min_challenges=4, z=0.0)
    assert max(simulate(SCENARIOS["noise"], few).by_name["8 at random"].series) > 0


def test_validators_that_do_less_are_paid_less(results: dict[str, ScenarioResult]) -> None:
    for result in results.values():
        large, small, copier, lazy = (v.return_on_stake for v in result.validators)
        assert min(large, small) > copier > lazy


def test_shares_add_up(results: dict[str, ScenarioResult]) -> None:
    for result in results.values():
        assert sum(k.incentive for k in result.kinds) == pytest.approx(1.0)
        assert sum(v.dividends for v in result.validators) == pytest.approx(1.0)
        assert [k.name for k in result.kinds][-2:] == [ALONE, FIELD]


def test_the_same_seed_gives_the_same_and_another_does_not() -> None:
    short = replace(TERMS, epochs=5)
    again = simulate(SCENARIOS["clones"], short)
    assert again == simulate(SCENARIOS["clones"], short)
    assert again.kinds != simulate(SCENARIOS["clones"], replace(short, seed=2)).kinds
