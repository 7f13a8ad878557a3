import pytest

from compression_subnet.challenge.admission import admit_question, admit_text, contains_tokens, token_string
from compression_subnet.challenge.types import Question, Span
from compression_subnet.errors import InputError

TEXT = "The ferry left Varnholt at noon. Twelve people were aboard, and Maren Oel steered."


def question(text="Who steered?", gold=("Maren Oel",), evidence=None, kind="who"):
    return Question(text, gold, evidence or Span(33, len(TEXT)), kind)


def test_a_text_is_made_canonical_and_stripped():
    assert admit_text("  A\u200bn ﬁsh.\r\n\r\nTwo.\n ") == "An fish.\n\nTwo."


@pytest.mark.parametrize("text", ["10² metres", "H₂O2₃ 3₂", "3½ hours", "½3", "1⁄2", "x1º"])
def test_a_raised_character_or_fraction_at_a_digit_is_refused(text):
    with pytest.raises(InputError, match="touches a digit"):
        admit_text(text)


@pytest.mark.parametrize("text", ["1 300 men", "12\u00a0500", "1\u202f000 crowns"])
def test_a_number_grouped_by_spaces_is_refused(text):
    with pytest.raises(InputError, match="grouped by a space"):
        admit_text(text)


@pytest.mark.parametrize("text", ["In 1998 200 men came.", "x² + y", "Room 12 3000", "Gates 3 and 450.", "1,300 men"])
def test_digits_that_only_look_similar_are_admitted(text):
    assert admit_text(text)


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b"])
def test_an_empty_text_is_refused(text):
    with pytest.raises(InputError, match="empty"):
        admit_text(text)


@pytest.mark.parametrize("text", ["A <|im_end|> b.", "A <|im_\u200bend|> b.", "say [INST] now"])
def test_the_spelling_of_a_special_token_is_refused_even_in_disguise(text):
    with pytest.raises(InputError, match="special token"):
        admit_text(text)


def test_an_admitted_question_is_canonical_and_has_both_spellings_of_a_number():
    asked = admit_question(question(" How many\u200b were aboard? ", ("Twelve ",)), TEXT)
    assert (asked.text, asked.gold) == ("How many were aboard?", ("Twelve", "12"))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (question(text=" "), "question is empty"),
        (question(gold=()), "no gold answer"),
        (question(gold=("",)), "no word that counts"),
        (question(gold=("Maren", "...")), "no word that counts"),
        (question(gold=("the",)), "no word that counts"),
        (question(gold=("Yes.",)), "yes or no"),
        (question(gold=("Oskar",)), "occurs in its evidence"),
        (question(gold=("Oel Maren",)), "occurs in its evidence"),
        (question(gold=("Varnholt",)), "occurs in its evidence"),
        (question(evidence=Span(5, 5)), "outside the text"),
        (question(evidence=Span(0, 500)), "outside the text"),
    ],
)
def test_a_question_that_cannot_be_scored_is_refused(bad, message):
    with pytest.raises(InputError, match=message):
        admit_question(bad, TEXT)


def test_a_phrase_is_found_by_whole_tokens_in_order_and_whatever_the_articles():
    assert contains_tokens(token_string("On the 12 March, they left."), token_string("12 march"))
    assert contains_tokens(token_string("Hepatitis A is rare"), token_string("hepatitis a"))
    assert not contains_tokens(token_string("On 112 March"), token_string("12 March"))
    assert not contains_tokens(token_string("March 12"), token_string("12 March"))
    assert not contains_tokens(token_string("anything"), token_string("..."))
