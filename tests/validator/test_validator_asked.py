"""A round that does not ask everybody everything: whoever is not asked has no row, no zero, and no part in the cost."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from test_validator_service import Bench, bench
from test_validator_spending import WORST, spending
from validator_fakes import ContainmentJudge, ScriptedDendrite, challenge, keep_first

from compression_subnet.chain.port import Axon
from compression_subnet.errors import ConfigurationError
from compression_subnet.scoring import LEVELS, Reason
from compression_subnet.scoring.controls import Void
from compression_subnet.setting_groups import ValidatorNeuronSettings
from compression_subnet.settings import ValidatorSettings, load_settings
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Failure, Target
from compression_subnet.validator.rewarding.rewards import copies_in, updated_averages
from compression_subnet.validator.rounds.coverage import Coverage
from compression_subnet.validator.rounds.results import Assignment, RoundResult
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.rounds.spending import Spending

__all__ = ["bench"]

FLAGS = [
    "--netuid",
    "1",
    "--neuron.miners-per-challenge",
    "7",
    "--neuron.quarter-hopeless",
    "--neuron.burn-share",
    "0.2",
]
MINERS = {"all": keep_first(5), "two": keep_first(2), "dark": Failure.UNREACHABLE}


async def run(
    asked: list[set[str] | None], *, level: int = 60, most: Spending | None = None, miners: object = MINERS
) -> RoundResult:
    round_ = Round(
        ScriptedDendrite(miners),  # type: ignore[arg-type]
        ContainmentJudge(),
        get_tokenizer(),
        random.Random(0),
        RoundSettings(deadline=1, concurrency=4, parallel=1),
        spending=most,
    )
    targets = [Target(hotkey, Axon("127.0.0.2", 1)) for hotkey in miners]  # type: ignore[attr-defined]
    assignments = [
        Assignment(replace(challenge(), id=f"c{i}"), level, None if who is None else frozenset(who))
        for i, who in enumerate(asked)
    ]
    return await round_.run(assignments, targets, lambda _: None)


async def test_only_those_whom_a_challenge_is_for_have_a_row() -> None:
    result = await run([{"all", "dark"}, {"two"}, None])
    rows = {r.assignment.challenge.id: [m.hotkey for m in r.miners] for r in result.challenges}
    assert rows == {"c0": ["all", "dark"], "c1": ["two"], "c2": ["all", "two", "dark"]}


async def test_whoever_is_not_asked_keeps_its_average_as_it_is() -> None:
    before = updated_averages({}, await run([None, None]), MINERS.keys(), 1, 0.85)
    after = updated_averages(before, await run([{"all"}, {"all"}]), MINERS.keys(), 2, 0.85)
    assert after["two"] == before["two"]
    assert after["dark"] == before["dark"]
    assert after["all"].scores[60].count == 4


async def test_a_miner_without_a_usable_address_misses_what_it_would_have_been_asked_and_no_more() -> None:
    result = await run([{"dark", "all"}, {"all"}, {"all"}])
    reasons = [m.compliance.reason for r in result.challenges for m in r.miners if m.hotkey == "dark"]
    assert reasons == [Reason.MISSING]
    assert updated_averages({}, result, MINERS.keys(), 1, 0.85)["dark"].scores[60].count == 1


async def test_margins_are_over_the_challenges_that_the_hotkey_itself_was_asked() -> None:
    result = await run([{"all"}, {"two"}, {"two"}])
    averages = updated_averages({}, result, MINERS.keys(), 1, 0.85)
    baseline = result.challenges[0].controls.baseline.score
    assert averages["two"].margins[60].num == pytest.approx(2 * (Fraction(2, 5) - baseline))
    assert averages["two"].margins[60].den == 2
    assert averages["all"].margins[60].den == 1


async def test_copies_are_looked_for_among_common_challenges_alone() -> None:
    miners = {"a": keep_first(1), "b": keep_first(1)}
    both: list[set[str] | None] = [{"a", "b"}] * 10
    apart: list[set[str] | None] = [{"a"}, {"b"}] * 5
    assert copies_in((await run(both + apart, level=20, miners=miners)).challenges) == [frozenset("ab")]
    assert copies_in((await run(both[:9] + apart, level=20, miners=miners)).challenges) == []


async def test_a_round_is_void_only_where_nobody_at_all_replied() -> None:
    assert (await run([{"dark"}, {"all"}])).void is None
    assert (await run([{"dark"}, {"dark"}])).void is Void.NO_REPLY


async def test_the_worst_case_is_of_those_who_are_asked() -> None:
    one = spending(None).worst_case(Assignment(challenge(), 60), 1)
    result = await run([{"all"}], most=spending(one))
    assert len(result.challenges) == 1
    with pytest.raises(ConfigurationError, match=r"for 3 miners may cost"):
        await run([None], most=spending(one))
    assert one < WORST


async def test_the_service_asks_by_coverage(bench: Bench) -> None:
    bench.settings = replace(bench.settings, coverage=Coverage(miners_per_challenge=1))
    await bench.validator().step()
    asked: dict[int, list[str]] = {level: [] for level in LEVELS}
    for one in bench.store.read.challenges(1):
        (hotkey,) = one.outcomes
        asked[one.level].append(hotkey)
    for hotkeys in asked.values():
        assert abs(hotkeys.count("good") - hotkeys.count("bad")) <= 1
        assert {"good", "bad"} == set(hotkeys)


def test_flags_bound_who_is_asked_and_by_default_all_are() -> None:
    neuron = load_settings(ValidatorSettings, FLAGS, "validator").neuron
    assert (neuron.miners_per_challenge, neuron.quarter_hopeless, neuron.burn_share) == (7, True, 0.2)
    own = ValidatorNeuronSettings()
    assert Coverage(own.miners_per_challenge, own.quarter_hopeless, own.min_challenges) == Coverage()


@pytest.mark.parametrize(
    "flag", ["--neuron.miners-per-challenge=0", "--neuron.burn-share=1.5", "--neuron.burn-share=nan"]
)
def test_flags_that_cannot_be_meant_are_refused(flag: str) -> None:
    with pytest.raises(ConfigurationError, match=flag.split("=")[0][9:].replace("-", "_")):
        load_settings(ValidatorSettings, ["--netuid", "1", flag], "validator")
