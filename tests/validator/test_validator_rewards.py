from dataclasses import replace
from fractions import Fraction

import pytest
from test_validator_round import run
from validator_fakes import ScriptedChain, challenge, keep_first

from compression_subnet.scoring import Average, ChallengeScore, WeightRule
from compression_subnet.transport import Failure
from compression_subnet.validator.rewarding.rewards import copies_in, earned_by, epoch_number, updated_averages

RULE = WeightRule(z=0, power=2, min_challenges=1)


def average(score: Fraction, baseline: Fraction = Fraction(0), count: int = 40) -> Average:
    results = [ChallengeScore(level, score, baseline) for level in (20, 40, 60) for _ in range(count)]
    return Average.empty(0).update(0, results, 0.85)


async def test_a_round_moves_those_who_were_scored_and_no_others() -> None:
    result, _ = await run({"all": keep_first(5), "gone": Failure.UNREACHABLE})
    before = {"away": average(Fraction(1, 2)), "deregistered": average(Fraction(1))}
    after = updated_averages(before, result, {"all", "gone", "away"}, epoch=7, forgetting=0.85)
    assert set(after) == {"all", "gone", "away"}
    assert after["away"] == before["away"]
    assert after["all"].standing().levels == {60: 1.0}
    assert after["gone"].standing().levels == {60: 0.0}


async def test_a_new_hotkey_on_an_old_uid_starts_from_nothing() -> None:
    """Averages are keyed by hotkey: the predecessor's score goes with its hotkey."""
    result, _ = await run({"new": Failure.UNREACHABLE})
    after = updated_averages({"old": average(Fraction(1))}, result, {"new"}, epoch=1, forgetting=0.85)
    assert earned_by(after, RULE, ()) == {}


async def test_a_clock_that_went_back_does_not_break_the_averages() -> None:
    result, _ = await run({"all": keep_first(5)})
    late = Average.empty(0).update(9, [ChallengeScore(60, Fraction(1), Fraction(0))], 0.85)
    assert updated_averages({"all": late}, result, {"all"}, epoch=5, forgetting=0.85)["all"].epoch == 9


def test_a_margin_earns_by_its_power() -> None:
    averages = {"a": average(Fraction(3, 4), Fraction(1, 4)), "b": average(Fraction(1, 2), Fraction(1, 4))}
    assert earned_by(averages, RULE, ()) == pytest.approx({"a": 1 / 4, "b": 1 / 16})


def test_nobody_over_the_baseline_nothing_is_earned() -> None:
    assert earned_by({"a": average(Fraction(1, 4), Fraction(1, 4))}, RULE, ()) == {}


async def test_clones_are_found_at_the_lowest_level_alone() -> None:
    miners = {"a": keep_first(1), "b": keep_first(1), "c": lambda text: "The survey began in March 1921."}
    low, _ = await run(dict(miners), level=20, count=10)
    assert copies_in(low.challenges) == [frozenset("ab")]
    high, _ = await run(dict(miners), level=60, count=10)
    assert copies_in(high.challenges) == []


async def test_replies_that_answer_nothing_make_no_clones() -> None:
    result, _ = await run({"a": lambda _: "Nothing.", "b": lambda _: "Nothing."}, level=20, count=12)
    assert copies_in(result.challenges) == []


@pytest.mark.parametrize(("block", "epoch"), [(0, 0), (8, 0), (9, 1), (19, 1), (20, 2)])
async def test_epochs_turn_with_the_chains_formula(block: int, epoch: int) -> None:
    metagraph = await ScriptedChain(["a"], tempo=10).metagraph()
    assert epoch_number(replace(metagraph, block=block)) == epoch


def test_the_fakes_text_has_room_for_its_answers() -> None:
    """The tests above rest on it: all five sentences fit into 60 per cent, the first into 20."""
    from compression_subnet.scoring import check_compliance
    from compression_subnet.text import get_tokenizer

    text = challenge().text
    assert check_compliance(text, keep_first(5)(text), 60, get_tokenizer()).ok
    assert check_compliance(text, keep_first(1)(text), 20, get_tokenizer()).ok
