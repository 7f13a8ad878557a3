import random

from challenge_strategies import article

from compression_subnet.challenge.pool import SentencePool
from compression_subnet.challenge.types import Article


def pool(*texts: str) -> SentencePool:
    return SentencePool([Article(str(i), "", text, ()) for i, text in enumerate(texts)])


def test_only_whole_sentences_of_prose_serve():
    made = pool(
        "A heading without a stop\n\nThe ferry left at noon. Short one.\n\n"
        "1. An item of a list.\n\nthe last of a sentence cut off.\n\n"
        'He called: "The first of two sentences in quotes. The second one of them."'
    )
    assert made.texts == ["The ferry left at noon."]


def test_a_sentence_is_continued_by_the_next_of_its_paragraph_only():
    made = pool("The ferry left at noon. The rain went on.\n\nThe mill was shut. No. The miller slept late.")
    assert made.texts == [
        "The ferry left at noon.",
        "The rain went on.",
        "The mill was shut.",
        "The miller slept late.",
    ]
    # "No." is too short to serve, so what follows it does not follow what precedes it.
    assert made.continues == [True, False, False, False]


def test_articles_do_not_run_on_into_each_other():
    made = pool("The ferry left at noon.", "The rain went on.")
    assert made.continues == [False, False]
    assert (made.of_article("0"), made.of_article("1"), made.of_article("none")) == ((0, 1), (1, 2), (0, 0))


def titled(*titles: str) -> SentencePool:
    return SentencePool([Article(str(i), t, "The ferry left. It rained hard.", ()) for i, t in enumerate(titles)])


def test_parts_of_one_title_are_one_article():
    made = titled("Ferry", "Mill", "Mill", "Rain", "", "")
    assert [made.of_article(str(i)) for i in range(6)] == [(0, 2), (2, 6), (2, 6), (6, 8), (8, 10), (10, 12)]


def test_a_corpus_under_one_title_is_a_collection():
    made = titled("Posts", "Posts", "Posts", "Rain")
    assert [made.of_article(str(i)) for i in range(4)] == [(0, 2), (2, 4), (4, 6), (6, 8)]


def test_length_windows_hold_just_the_sentences_within():
    made = SentencePool([article("a", random.Random(3), 20)])
    for low, high in [(0, 10**6), (40, 80), (60, 60), (10**5, 10**6)]:
        window = made.of_length(low, high).tolist()
        assert sorted(window) == [i for i, n in enumerate(made.lengths) if low <= n <= high]


def test_the_nearest_sentences_share_rare_words_and_come_nearest_first():
    made = pool(
        "The ferry crossed the Aller in fog. The captain sounded the horn.",
        "The bakery opened a second oven. The baker hired two men.",
        "The Aller ferry was sold. The river froze over.",
    )
    near = made.nearest("A ferry on the Aller sank.", 3)
    assert {made.texts[i] for i in near[:2]} == {"The ferry crossed the Aller in fog.", "The Aller ferry was sold."}
    without_last = made.nearest("A ferry on the Aller sank.", 3, excluded=made.of_article("2"))
    assert "The Aller ferry was sold." not in {made.texts[i] for i in without_last}


def test_nothing_is_near_a_text_without_common_words():
    made = pool("The ferry crossed the Aller in fog.")
    assert made.nearest("Zebras yawn.", 5) == []
    assert made.nearest("", 5) == []
    assert pool().nearest("The ferry.", 5) == []


def test_the_nearest_are_the_first_of_the_full_ranking():
    made = SentencePool([article(str(i), random.Random(i), 10) for i in range(4)])
    query = made.texts[5]
    full = made.nearest(query, len(made.texts))
    assert full[0] == 5
    for count in (1, 3, 17, 40):
        assert made.nearest(query, count) == full[:count]
