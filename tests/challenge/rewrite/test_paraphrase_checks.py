"""What of a model's paraphrase is taken, and what is refused and why."""

import random
from collections.abc import Sequence

import pytest
from rewrite_cases import article

from compression_subnet.challenge.corpus import BuiltinCorpus
from compression_subnet.challenge.rewrite import paraphrase_article, refusal
from compression_subnet.challenge.types import Article

SENTENCE = "In 2013 the wall was built by Ingrid Pellow, who had nine men and 214 barrels of lime."
GOLDS = ("Ingrid Pellow", "214 barrels", "Dunmerrow")


@pytest.mark.parametrize(
    ("paraphrase", "reason"),
    [
        ("It was Ingrid Pellow who in 2013 put up the wall, with nine men and 214 barrels of lime.", ""),
        (SENTENCE, "unchanged"),
        (SENTENCE.lower(), "unchanged"),
        ("  ", "blank"),
        ("In 2013, Ingrid Pellow, nine, 214 barrels.", "length"),
        (f"{SENTENCE[:-1]}, as everybody in the valley knew and told for many a long year.", "length"),
        ("It was Pellow who in 2013 built it, Ingrid said, with nine men and 214 barrels of lime.", "answer lost"),
        ("It was Ingrid Pellow who in 2013 put up the wall, with ten men and 214 barrels of the lime.", "number lost"),
        ("It was Ingrid Pellow who in 2013 put up two walls, with nine men and 214 barrels of lime.", "new number"),
        ("It was Ingrid Pellow who in 2013 built Hadrian's wall, with nine men and 214 barrels of lime.", "new name"),
        ("It was Ingrid Pellow of Dunmerrow who in 2013 put up the wall; nine men, 214 barrels of it.", "answer added"),
        ("Ingrid Pellow built it in 2013. She had nine men for the work, and 214 barrels of lime.", "not one sentence"),
        ("It was Ingrid Pellow who in 2013 built the wall, with nine men and 214 barrels of lime</s>.", "not admitted"),
        ("It was Ingrid Pellow who in 2013 built it\nwith nine men and 214 barrels of the lime.", "not canonical"),
    ],
)  # fmt: skip
def test_a_paraphrase_is_refused_for_the_right_reason(paraphrase: str, reason: str) -> None:
    assert refusal(SENTENCE, paraphrase, GOLDS) == reason


def test_a_lost_name_is_seen_though_no_question_asks_for_it() -> None:
    original = "The lamp on the quay was lit by old Wrencliff every night."
    assert refusal(original, "Every night it was an old man who lit the lamp on the quay.") == "name lost"


class Scripted:
    """A paraphraser that maps each sentence by a function."""

    def __init__(self, say):
        self.say = say

    async def paraphrase(self, sentences: Sequence[str]) -> list[str]:
        return [self.say(sentence) for sentence in sentences]


def turned(sentence: str) -> str:
    """Say a sentence in another order, keeping everything: "A, and B." becomes "That is so: A, and B."."""
    return f"As they say, {sentence[0].lower()}{sentence[1:]}" if sentence.startswith("The ") else sentence


async def test_an_article_takes_good_paraphrases_and_counts_the_others() -> None:
    original = article(
        "The wall was built by Ingrid Pellow. Nobody knew why.\n\nThe men drank water from the well.",
        ("Who?", "Ingrid Pellow"),
    )
    done = await paraphrase_article(original, Scripted(turned))
    assert done.article.text == (
        "As they say, the wall was built by Ingrid Pellow. Nobody knew why.\n\n"
        "As they say, the men drank water from the well."
    )
    assert (done.accepted, dict(done.refused)) == (2, {"unchanged": 1})
    assert done.article.questions[0].evidence.of(done.article.text) == done.article.text


async def test_the_wrong_number_of_sentences_changes_nothing() -> None:
    class Short:
        async def paraphrase(self, sentences: Sequence[str]) -> list[str]:
            return ["One."]

    original = article("The wall stood. It fell.", ("What fell?", "wall"))
    done = await paraphrase_article(original, Short())
    assert done.article == original and done.accepted == 0
    assert dict(done.refused) == {"wrong number of sentences": 2}


@pytest.mark.parametrize("original", list(BuiltinCorpus().articles())[:4], ids=lambda a: a.id)
async def test_built_in_articles_survive_a_garbling_model(original: Article) -> None:
    rng = random.Random(8)

    def garble(sentence: str) -> str:
        words = sentence.split(" ")
        if rng.random() < 0.5:
            return sentence
        middle = words[1:-1]
        rng.shuffle(middle)
        return " ".join([words[0], *middle, words[-1]])

    done = await paraphrase_article(original, Scripted(garble))
    assert len(done.article.questions) == len(original.questions)
    assert done.accepted > 0 and done.refused["unchanged"] > 0
    for question in done.article.questions:
        assert any(gold in question.evidence.of(done.article.text) for gold in question.gold)
