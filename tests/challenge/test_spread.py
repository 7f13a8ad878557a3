import random
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.spread import choose_spread, spread_questions
from compression_subnet.challenge.stats import uniformity
from compression_subnet.challenge.types import Question, Span


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=20), st.integers(1, 8), st.integers(0, 2**32))
def test_as_many_as_asked_are_chosen_once_each_and_in_order(positions, n, seed):
    chosen = choose_spread(positions, n, random.Random(seed))
    assert len(chosen) == len(set(chosen)) == min(n, len(positions))
    assert [positions[i] for i in chosen] == sorted(positions[i] for i in chosen)


def test_choices_from_an_even_supply_are_evenly_apart():
    positions = [(i + 0.5) / 50 for i in range(50)]
    for seed in range(50):
        chosen = choose_spread(positions, 5, random.Random(seed))
        assert all(abs(b - a - 10) <= 1 for a, b in pairwise(chosen))
        assert chosen[0] < 10 and chosen[-1] >= 40


def test_no_part_is_asked_about_more_than_another():
    positions = [(i + 0.5) / 40 for i in range(40)]
    sample = [positions[i] for seed in range(400) for i in choose_spread(positions, 5, random.Random(seed))]
    assert uniformity(sample).distance < 0.03


def test_a_crowd_of_questions_at_one_place_does_not_draw_them_all():
    positions = [0.01 * i for i in range(10)] + [0.5, 0.7, 0.95]
    for seed in range(30):
        chosen = choose_spread(positions, 4, random.Random(seed))
        assert sum(i < 10 for i in chosen) <= 2


def test_questions_are_chosen_by_the_middle_of_their_evidence_and_the_same_for_a_seed():
    questions = [Question(f"Q{i}?", ("x",), Span(i * 10, i * 10 + 8), "what") for i in range(20)]
    shuffled = random.Random(1).sample(questions, 20)
    chosen = spread_questions(shuffled, 5, 200, seed=7)
    assert chosen == spread_questions(shuffled, 5, 200, seed=7)
    assert [q.evidence for q in chosen] == sorted(q.evidence for q in chosen)
    assert len({spread_questions(shuffled, 5, 200, seed=s) for s in range(20)}) > 1
