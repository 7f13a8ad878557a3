"""Names: the same one everywhere, of the same kind, and only names."""

import random
import re

import pytest
from rewrite_cases import article, rewritten

from compression_subnet.challenge.rewrite import apply, rewrite_article
from compression_subnet.challenge.rewrite.dates import is_calendar_word
from compression_subnet.challenge.rewrite.lexicon import ordinary_words


def new_name(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    assert found, text
    return found[1]


def test_a_short_form_and_a_possessive_follow_the_full_name() -> None:
    text = "The survey was led by Ingrid Pellow. Later Pellow said that it was Pellow's own idea, and the Pellows paid."
    new = rewritten(text, ("Who led it?", "Ingrid Pellow"), ("Whose idea?", "Pellow")).article
    given, family = new.questions[0].gold[0].split()
    assert new.questions[1].gold[0] == family
    assert new.text == text.replace("Ingrid", given).replace("Pellow", family)


def test_titles_stay_and_tell_the_gender() -> None:
    for seed in range(8):
        new = rewritten("He met Mrs. Odile Carrick and Mr. Anton Greer.", seed=seed)
        kinds = {rule.kind for rule in new.map.names.values()}
        assert kinds == {"given", "family"}
        assert re.fullmatch(r"He met Mrs\. \w+ \w+ and Mr\. \w+ \w+\.", new.article.text)
    from compression_subnet.challenge.rewrite.inventory import gender_of_name

    assert gender_of_name(new.article.text.split()[3]) == "female"
    assert gender_of_name(new.article.text.split()[7]) == "male"


def test_kinship_tells_the_gender_before_a_pronoun_does() -> None:
    from compression_subnet.challenge.rewrite.inventory import gender_of_name

    for seed in range(8):
        new = rewritten("He praised his daughter Quor, and her father, Tarv Pellow, was proud of her.", seed=seed)
        words = new.article.text.replace(",", "").split()
        assert (gender_of_name(words[4]), gender_of_name(words[8])) == ("female", "male")


def test_initials_change_with_the_names_that_they_stand_for() -> None:
    new = rewritten("The author was John R. Harker. It was J. R. Harker who wrote it.").article.text
    match = re.fullmatch(r"The author was (\w)\w+ (\w)\. (\w+)\. It was (\w)\. (\w)\. (\w+) who wrote it\.", new)
    assert match and match[1] == match[4] and match[2] == match[5] and match[3] == match[6]
    assert (match[1], match[2]) != ("J", "R")


def test_kinds_of_places_and_bodies_stay() -> None:
    text = "They met in Capstan Street, at Gannet Point and by Lake Maude, and the Estermark Institute paid."
    assert re.fullmatch(
        r"They met in \w+ Street, at \w+ Point and by Lake \w+, and the \w+ Institute paid\.",
        rewritten(text).article.text,
    )


def test_hyphenated_names_keep_their_hyphen_and_their_parts() -> None:
    new = rewritten("It was sung by Ottilie Varga-Lindqvist. Her father was Emil Varga.").article.text
    whole = new_name(new, r"by \w+ (\w+-\w+)\.")
    assert whole.split("-")[0] == new_name(new, r"was \w+ (\w+)\.")


def test_a_plural_possessive_keeps_its_form() -> None:
    new = rewritten("The sea entered the Netmakers' Quarter.").article.text
    assert re.fullmatch(r"The sea entered the \w+s' Quarter\.", new)


@pytest.mark.parametrize(
    "text",
    [
        "Dredging began late. Income fell. Nobody was told, however, and I left.",
        "The Internet is older than he said, and God knows that the Bible is too.",
        "At 5 km from the TV mast, DNA was found.",
        "Yesterday it rained. Punctuality improved a little.",
    ],
)
def test_ordinary_words_at_an_opening_and_kept_words_are_no_names(text: str) -> None:
    assert rewritten(text).map.names == {}


def test_a_name_that_is_an_ordinary_word_too_is_replaced_only_where_it_is_the_name() -> None:
    text = (
        "The engineer, Rowena Castle, drew it. Castle is a word. Then Castle left. A castle stood near Castle's house."
    )
    new = rewritten(text).article.text
    family = new_name(new, r"engineer, \w+ (\w+),")
    assert family != "Castle"
    assert f"Then {family} left. A castle stood near {family}'s house." in new


def test_nations_and_their_adjectives_change_together() -> None:
    new = rewritten(
        "A French painter left France for Italy, and the French and the Germans met an Italian."
    ).article.text
    match = re.fullmatch(r"An? (\w+) painter left (\w+) for (\w+), and the (\w+) and the (\w+)s met an? (\w+)\.", new)
    assert match and match[1] == match[4] and match[1] != "French"
    assert (match[2], match[3]) != ("France", "Italy")


def test_acronyms_and_codes_keep_their_shape() -> None:
    new = rewritten("The KTWZ sent part KX-7714-Q to two KTWZs and kept KX-7714-Q.").article.text
    match = re.fullmatch(r"The ([A-Z]{4}) sent part ([A-Z]{2}-\d{4}-[A-Z]) to \w+ ([A-Z]{4})s and kept (\S+)\.", new)
    assert match and match[1] == match[3] != "KTWZ" and match[2] == match[4] != "KX-7714-Q"


def test_capitals_of_a_name_follow_it() -> None:
    new = rewritten("The sign of Marrable read MARRABLE in red.").article.text
    name = new_name(new, r"sign of (\w+) read")
    assert f"read {name.upper()} in red" in new


def test_invented_names_are_no_words_of_the_text_no_ordinary_words_and_no_dates() -> None:
    new = rewritten("It was told by Ingrid Pellow, Tobias Wrencliff and Callum Therry in Dunmerrow.")
    for rule in new.map.names.values():
        assert rule.new.lower() not in ordinary_words() and not is_calendar_word(rule.new)


def test_a_title_and_questions_are_rewritten_as_the_text() -> None:
    original = article(
        "The wall was built by Tobias Wrencliff.", ("What did Wrencliff build?", "wall"), title="Wrencliff"
    )
    new = rewrite_article(original, random.Random(4))
    family = new.article.title
    assert family != "Wrencliff"
    assert new.article.questions[0].text == f"What did {family} build?"
    assert apply(new.map, "Nobody saw Wrencliff.") == f"Nobody saw {family}."
