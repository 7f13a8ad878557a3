"""The look-up attack: how much of a rewritten text a holder of the corpus can find."""

import random

from compression_subnet.challenge.corpus import BuiltinCorpus
from compression_subnet.challenge.rewrite import SentenceIndex, rewrite_article
from compression_subnet.text.sentences import split_sentences


def test_a_sentence_is_found_by_its_runs_of_four_words() -> None:
    index = SentenceIndex(["The cat sat on the old red mat.", "A dog lay under the old red mat.", "Rain fell."])
    assert index.find("The cat sat on a new blue mat.") is None
    assert index.find("Yet the cat sat on our old rug.") is None
    found = index.find("It is the dog that lay under old red mat covers.")
    assert found is not None and found[0] == 1 and 0 < found[1] < 1
    assert index.find("The cat sat on the old red mat.") == (0, 1.0)
    assert index.find("Rain fell.") == (2, 1.0)


def test_replacing_names_alone_does_not_hide_a_sentence() -> None:
    articles = list(BuiltinCorpus().articles())
    corpus = [a.text[s:e].strip() for a in articles for s, e in split_sentences(a.text)]
    index = SentenceIndex(corpus)
    served = []
    for i, original in enumerate(articles):
        text = rewrite_article(original, random.Random(i)).article.text
        served += [text[s:e].strip() for s, e in split_sentences(text)]
    assert len(served) == len(corpus)
    # The measure that a network's paraphrase has to bring down.
    assert index.identified(served, range(len(corpus))) > 0.9
    assert index.identified(served[::-1], range(len(corpus))) < 0.1
