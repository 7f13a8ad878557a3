"""The draws have the moments of the measured run, and the vectorised averages are the scoring's own."""

import random
from fractions import Fraction

import numpy as np
import pytest

from compression_subnet.incentives.answers import MEASURED, QUESTIONS, Scores, draw_answers, draw_baseline, skill
from compression_subnet.incentives.averaging import updated
from compression_subnet.incentives.population import copies_among, population
from compression_subnet.incentives.scenarios import SCENARIOS
from compression_subnet.scoring import LEVELS, Average, ChallengeScore

MANY = 40_000
# Standard deviation of the reference's F minus head truncation's on the same challenge, in the measured run.
TO_BASELINE = {20: 0.194, 40: 0.228, 60: 0.162}


@pytest.mark.parametrize("level", LEVELS)
def test_scores_are_those_that_were_measured(level: int) -> None:
    rng = np.random.default_rng(0)
    methods = ("reference", "truncation", "random")
    found = draw_answers([skill(m, level, 0.0, i, 1.0) for i, m in enumerate(methods)], MANY, rng)
    assert found.mean(axis=1) == pytest.approx([MEASURED[m][level] for m in methods], abs=0.01)
    assert set(np.round(found * QUESTIONS).ravel()) == set(range(QUESTIONS + 1))
    assert draw_baseline(level, MANY, rng).mean() == pytest.approx(MEASURED["truncation"][level], abs=0.01)


@pytest.mark.parametrize("level", LEVELS)
def test_paired_differences_spread_as_measured(level: int) -> None:
    rng = np.random.default_rng(1)
    (found,) = draw_answers([skill("reference", level, 0.0, 0, 1.0)], MANY, rng)
    spread = (found - draw_baseline(level, MANY, rng)).std()
    assert spread == pytest.approx(TO_BASELINE[level], rel=0.2)


def test_one_compressor_answers_alike_and_different_ones_do_not() -> None:
    skills = [skill("reference", 40, 0.0, source, alike) for source, alike in ((0, 1.0), (0, 1.0), (1, 0.9), (1, 0.9))]
    found = draw_answers(skills, MANY, np.random.default_rng(2))
    assert (found[0] == found[1]).all()
    related, unrelated = np.corrcoef(found)[2, 3], np.corrcoef(found)[0, 2]
    assert 0 < unrelated < 0.2 < 0.6 < related < 1


def test_more_skill_answers_more() -> None:
    skills = [skill("reference", 20, shift, i, 1.0) for i, shift in enumerate((-0.2, 0.0, 0.2))]
    means = draw_answers(skills, MANY, np.random.default_rng(3)).mean(axis=1)
    assert means[0] < means[1] < means[2]


def test_vectorised_averages_are_those_that_a_validator_keeps() -> None:
    rng = np.random.default_rng(4)
    vectorised: list[Average | None] = [None, None]
    kept = [Average.empty(3), Average.empty(3)]
    for epoch in (3, 4, 7):
        scores: dict[int, Scores] = {level: rng.integers(0, 6, (2, 9)) / 5 for level in LEVELS}
        baselines: dict[int, Scores] = {level: rng.integers(0, 6, 9) / 5 for level in LEVELS}
        vectorised = list(updated(vectorised, epoch, scores, baselines, 0.85))
        for i in range(2):
            results = [
                ChallengeScore(level, Fraction(round(5 * f), 5), Fraction(round(5 * b), 5))
                for level in LEVELS
                for f, b in zip(scores[level][i], baselines[level], strict=True)
            ]
            kept[i] = kept[i].update(epoch, results, 0.85)
    for one, other in zip(vectorised, kept, strict=True):
        assert one is not None and one.epoch == other.epoch
        a, b = one.standing(), other.standing()
        assert a.challenges == b.challenges == 27
        for x, y in (
            (a.score, b.score),
            (a.stderr, b.stderr),
            (a.margin, b.margin),
            (a.margin_stderr, b.margin_stderr),
        ):
            assert x == pytest.approx(y, rel=1e-12)


@pytest.mark.parametrize(
    ("scenario", "groups"),
    [
        ("clones", [{f"8 clones/8 clones/{i}" for i in range(8)}]),
        ("copier", [{"reference/reference/0", "reference/copier/0"}]),
        ("sybils", []),
        ("noise", []),
        ("better", []),
    ],
)
def test_the_copy_rule_joins_unmodified_replies_and_nobody_else(scenario: str, groups: list[set[str]]) -> None:
    hotkeys = population(SCENARIOS[scenario], 4)
    assert len({hotkey.name for hotkey in hotkeys}) == len(hotkeys)
    assert copies_among(hotkeys, random.Random(0)) == [frozenset(group) for group in groups]
