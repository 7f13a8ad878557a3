"""Who is asked what: evenly, new ones first, by a secret order, and nobody is forgotten."""

import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compression_subnet.challenge import assign_levels
from compression_subnet.scoring import LEVELS, Average, ChallengeScore
from compression_subnet.validator.rounds.coverage import Coverage, common_challenges, is_hopeless, plan

HALF = Fraction(1, 2)


@cache
def known(challenges: int, margin: Fraction = Fraction(0)) -> Average:
    """The average of a hotkey after so many challenges a level, around this margin over the baseline."""
    results = [
        ChallengeScore(level, HALF + margin + Fraction((-1) ** i, 8), HALF)
        for level in LEVELS
        for i in range(challenges)
    ]
    return Average.empty(0).update(0, results, 1.0)


FAR_UNDER = known(60, Fraction(-1, 4))

rounds = st.builds(lambda n, seed: assign_levels(n, random.Random(seed)), st.integers(3, 60), st.integers(0, 2**32))
sizes = st.none() | st.integers(1, 40)
seeds = st.integers(0, 2**32)


def names(count: int) -> list[str]:
    return [f"h{i}" for i in range(count)]


def times(levels: list[int], asked: list[frozenset[str]], level: int) -> Counter[str]:
    return Counter(h for at, who in zip(levels, asked, strict=True) if at == level for h in who)


@given(rounds, st.integers(1, 40), sizes, seeds)
def test_every_hotkey_is_asked_at_each_level_as_often_as_every_other_within_one(
    levels: list[int], count: int, most: int | None, seed: int
) -> None:
    hotkeys = names(count)
    asked = plan(levels, hotkeys, {}, random.Random(seed), Coverage(most))
    for level in set(levels):
        per_hotkey = times(levels, asked, level)
        found = [per_hotkey[h] for h in hotkeys]
        assert max(found) - min(found) <= 1
        assert min(found) >= 1, "everybody is asked at every level that there is"


@given(rounds, st.integers(1, 40), sizes, seeds, st.integers(0, 60))
def test_a_round_that_is_cut_short_has_asked_evenly_until_then(
    levels: list[int], count: int, most: int | None, seed: int, cut: int
) -> None:
    hotkeys = names(count)
    asked = plan(levels, hotkeys, {}, random.Random(seed), Coverage(most))
    for level in LEVELS:
        per_hotkey = times(levels[:cut], asked[:cut], level)
        found = [per_hotkey[h] for h in hotkeys]
        assert max(found) - min(found) <= 1


@given(rounds, st.integers(1, 40), st.integers(1, 40), seeds)
def test_no_challenge_asks_more_than_its_bound_unless_somebody_would_be_left_out(
    levels: list[int], count: int, most: int, seed: int
) -> None:
    asked = plan(levels, names(count), {}, random.Random(seed), Coverage(most))
    for level in set(levels):
        needed = -(-count // levels.count(level))
        found = {len(who) for at, who in zip(levels, asked, strict=True) if at == level}
        assert found == {min(count, max(most, needed))}


@given(rounds, st.integers(1, 40), seeds, st.booleans())
def test_without_a_bound_everybody_is_asked_everything(levels: list[int], count: int, seed: int, quarter: bool) -> None:
    hotkeys = names(count)
    averages = {hotkey: known(60) for hotkey in hotkeys}
    asked = plan(levels, hotkeys, averages, random.Random(seed), Coverage(None, quarter))
    assert asked == [frozenset(hotkeys)] * len(levels)


@given(rounds, st.integers(2, 30), st.integers(1, 29), sizes, seeds)
def test_new_hotkeys_are_asked_before_all_others_at_each_level(
    levels: list[int], count: int, new: int, most: int | None, seed: int
) -> None:
    hotkeys = names(count)
    averages = {hotkey: known(45) for hotkey in hotkeys[new:]}
    asked = plan(levels, hotkeys, averages, random.Random(seed), Coverage(most))
    fresh = set(hotkeys[:new])
    for level in LEVELS:
        waiting = set(fresh)
        for at, who in zip(levels, asked, strict=True):
            if at == level and waiting:
                assert who <= waiting or waiting <= who
                waiting -= who


def test_whoever_a_cut_round_left_out_comes_first_in_the_next() -> None:
    hotkeys = names(20)
    averages = {hotkey: known(40 if i % 2 else 39) for i, hotkey in enumerate(hotkeys)}
    first = plan([20, 40, 60], hotkeys, averages, random.Random(1), Coverage(None))[0]
    assert first == frozenset(hotkeys)
    asked = plan([20] * 4, hotkeys, averages, random.Random(1), Coverage(10))
    assert asked[0] == frozenset(hotkeys[::2])
    assert asked[1] == frozenset(hotkeys[1::2])


@given(rounds, st.permutations(names(12)), sizes, seeds)
def test_a_permutation_of_hotkeys_changes_nothing_but_labels(
    levels: list[int], shuffled: list[str], most: int | None, seed: int
) -> None:
    hotkeys = names(12)
    label = dict(zip(hotkeys, shuffled, strict=True))
    averages = {hotkey: known(i) for i, hotkey in enumerate(hotkeys[:6])}
    before = plan(levels, hotkeys, averages, random.Random(seed), Coverage(most))
    after = plan(levels, shuffled, {label[h]: a for h, a in averages.items()}, random.Random(seed), Coverage(most))
    assert after == [frozenset(label[h] for h in who) for who in before]


@given(rounds, st.integers(1, 20), st.integers(1, 20), sizes, seeds)
def test_hotkeys_far_under_the_baseline_are_asked_exactly_their_quarter(
    levels: list[int], good: int, bad: int, most: int | None, seed: int
) -> None:
    hotkeys = names(good + bad)
    averages = {hotkey: FAR_UNDER for hotkey in hotkeys[good:]} | {h: known(60) for h in hotkeys[: good // 2]}
    asked = plan(levels, hotkeys, averages, random.Random(seed), Coverage(most, quarter_hopeless=True))
    for level in set(levels):
        per_hotkey = times(levels, asked, level)
        full = [per_hotkey[h] for h in hotkeys[:good]]
        less = {per_hotkey[h] for h in hotkeys[good:]}
        seats = sum(full)  # a quarter of what others are asked on average, rounded up
        assert max(full) - min(full) <= 1
        assert less == {max(1, -(-seats // (4 * good)))}


def test_where_all_are_far_under_the_baseline_all_are_asked() -> None:
    hotkeys = names(5)
    asked = plan([20, 40, 60], hotkeys, dict.fromkeys(hotkeys, FAR_UNDER), random.Random(0), Coverage(None, True))
    assert asked == [frozenset(hotkeys)] * 3


def test_far_under_is_more_than_three_standard_errors_and_needs_enough_challenges() -> None:
    assert is_hopeless(FAR_UNDER)
    assert not is_hopeless(known(60, Fraction(-1, 100)))
    assert not is_hopeless(known(1, Fraction(-1, 4)))
    assert not is_hopeless(known(0))
    young = known(39, Fraction(-1, 4))
    levels = [20] * 8
    asked = plan(levels, ["a", "b"], {"a": young, "b": known(60)}, random.Random(0), Coverage(None, True))
    assert asked == [frozenset("ab")] * 8


def test_every_hotkey_has_the_same_chance_at_every_place() -> None:
    rng, hotkeys, rounds_ = random.Random(5), names(8), 4000
    found: list[Counter[str]] = [Counter() for _ in range(5)]
    for _ in range(rounds_):
        for place, who in enumerate(plan([20] * 5, hotkeys, {}, rng, Coverage(3))):
            found[place].update(who)
    for counter in found:
        for hotkey in hotkeys:
            # three eighths of the rounds; five standard errors
            assert abs(counter[hotkey] / rounds_ - 3 / 8) < 5 * (3 / 8 * 5 / 8 / rounds_) ** 0.5


def test_any_two_hotkeys_share_about_as_many_challenges_as_any_other_two() -> None:
    hotkeys, levels = names(24), [20] * 120
    asked = plan(levels, hotkeys, {}, random.Random(2), Coverage(12))
    shared = [sum({a, b} <= who for who in asked) for a, b in combinations(hotkeys, 2)]
    assert (
        sum(shared) / len(shared) == pytest.approx(common_challenges(levels, asked, 24)) == pytest.approx(28.7, abs=0.1)
    )
    assert min(shared) >= 10, "enough for copies to be seen"


def test_nobody_to_ask_is_nobody_asked() -> None:
    assert plan([20, 40], [], {}, random.Random(0), Coverage(3)) == [frozenset()] * 2
