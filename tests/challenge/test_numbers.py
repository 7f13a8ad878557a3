import pytest

from compression_subnet.challenge.numbers import with_number_aliases
from compression_subnet.scoring.f1 import token_f1


@pytest.mark.parametrize(
    ("gold", "alias"),
    [
        ("twelve", "12"),
        ("12", "twelve"),
        ("Forty-two men", "42 men"),
        ("about 42 men", "about forty-two men"),
        ("0", "zero"),
        ("99", "ninety-nine"),
        ("three-day march", None),
        ("a 3-day march", "a three-day march"),
        ("10%", "ten%"),
        ("19 March", "nineteen March"),
    ],
)
def test_the_other_spelling_of_a_number_is_accepted(gold, alias):
    assert with_number_aliases([gold]) == ((gold,) if alias is None else (gold, alias))


@pytest.mark.parametrize(
    "gold",
    [
        *("1,300", "1.5", "-5 C", "$5", "COVID-19", "F16", "20-18", "1876", "12:30", "19 March 1876", "one F-16"),
        *("two hundred", "3 million", "two or three", "Maren", "weight", "someone"),
    ],
)
def test_what_is_not_one_plain_number_below_a_hundred_has_no_other_spelling(gold):
    assert with_number_aliases([gold]) == (gold,)


def test_given_answers_come_first_and_nothing_is_repeated():
    assert with_number_aliases(["12", "twelve", "a dozen", "12"]) == ("12", "twelve", "a dozen")


def test_either_spelling_of_every_number_scores_in_full():
    for number in range(100):
        golds = with_number_aliases([f"{number} boats"])
        assert len(golds) == 2
        assert set(with_number_aliases([golds[1]])) == set(golds)
        assert all(token_f1(gold, golds) == 1 for gold in golds)
