"""The built-in corpus, as its source gives it, and as the embedded judge reads it."""

from collections.abc import Sequence

import pytest

from compression_subnet.challenge import Article, BuiltinCorpus
from compression_subnet.challenge.stats import uniformity
from compression_subnet.judge.reader import load_reader
from compression_subnet.scoring import token_f1
from compression_subnet.text import get_tokenizer

ARTICLES = tuple(BuiltinCorpus().articles())
# Reading all articles takes minutes; a few of different kinds stand for them here.
READ = ARTICLES[:: max(1, len(ARTICLES) // 2)][:2]


def by_id(articles: Sequence[Article]) -> list[str]:
    return [article.id for article in articles]


def test_there_are_enough_articles_and_each_has_its_own_id_and_text() -> None:
    assert len(ARTICLES) >= 12
    assert len({a.id for a in ARTICLES}) == len({a.text for a in ARTICLES}) == len(ARTICLES)


@pytest.mark.parametrize("article", ARTICLES, ids=by_id(ARTICLES))
def test_an_article_has_its_length_and_its_questions(article: Article) -> None:
    assert 600 <= len(article.text.split()) <= 1500
    assert get_tokenizer().count(article.text) >= 750
    assert len(article.questions) >= 18
    assert len({q.text for q in article.questions}) == len(article.questions)
    assert len({q.kind for q in article.questions}) >= 4
    assert all(1 <= len(min(q.gold, key=len).split()) <= 8 for q in article.questions)


@pytest.mark.parametrize("article", ARTICLES, ids=by_id(ARTICLES))
def test_evidence_is_spread_over_an_article(article: Article) -> None:
    places = [(q.evidence.start + q.evidence.end) / 2 / len(article.text) for q in article.questions]
    assert uniformity(places).distance < 0.15


@pytest.mark.parametrize("article", READ, ids=by_id(READ))
def test_the_embedded_judge_answers_enough_of_an_article_and_nothing_without_it(article: Article) -> None:
    reader = load_reader(threads=2)
    answers = reader.read([(article.text, q.text) for q in article.questions])
    good = [q for q, a in zip(article.questions, answers, strict=True) if token_f1(a.answer, q.gold) >= 0.8]
    assert len(good) >= 8
    assert not any(r.answer for r in reader.read([("", q.text) for q in article.questions]))
