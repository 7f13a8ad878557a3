import random

from challenge_strategies import article, articles
from hypothesis import given, settings
from hypothesis import strategies as st

from compression_subnet.challenge.excerpt import cut
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.text.tokens import get_tokenizer

TOKENIZER = get_tokenizer()
SIZES = st.tuples(st.integers(5, 200), st.integers(0, 200)).map(lambda t: (t[0], t[0] + t[1]))


@settings(max_examples=60, deadline=None)
@given(articles(), SIZES)
def test_nothing_is_lost_or_repeated(base, sizes):
    done = 0
    for excerpt in cut(base, TOKENIZER, *sizes):
        assert base.text[done : excerpt.span.start].strip() == ""
        assert excerpt.text == excerpt.span.of(base.text) == excerpt.text.strip() != ""
        done = excerpt.span.end
    assert base.text[done:].strip() == ""


@settings(max_examples=60, deadline=None)
@given(articles(), SIZES)
def test_questions_go_with_the_excerpt_that_holds_their_evidence(base, sizes):
    excerpts = cut(base, TOKENIZER, *sizes)
    carried = {q.text: q.evidence.of(e.text) for e in excerpts for q in e.questions}
    # Evidence is a whole sentence here, and cuts are at sentences.
    assert carried == {q.text: q.evidence.of(base.text) for q in base.questions}


@settings(max_examples=60, deadline=None)
@given(articles(), SIZES)
def test_sentences_are_ranges_of_the_excerpt_with_only_white_space_between(base, sizes):
    for excerpt in cut(base, TOKENIZER, *sizes):
        assert excerpt.n_tokens == TOKENIZER.count(excerpt.text)
        done = 0
        for sentence in excerpt.sentences:
            assert excerpt.text[done : sentence.start].strip() == ""
            assert sentence.of(excerpt.text) == sentence.of(excerpt.text).strip() != ""
            done = sentence.end
        assert done == len(excerpt.text)


def test_a_long_article_is_cut_within_the_range():
    base = article("long", random.Random(1), paragraphs=80)
    excerpts = cut(base, TOKENIZER, 300, 450)
    assert len(excerpts) > 5
    assert all(300 <= e.n_tokens <= 450 for e in excerpts)


def test_cuts_are_at_paragraph_ends_where_the_range_allows():
    paragraph = "The ferry left at noon. Nobody was aboard but the crew. It rained all the way to the island."
    base = Article("a", "A", "\n\n".join([paragraph] * 9), ())
    assert [e.text.count("\n\n") for e in cut(base, TOKENIZER, 50, 80)] == [2, 2, 2]


def test_a_cut_at_a_paragraph_end_is_taken_before_an_even_one():
    sentence = "The ferry left the harbour at noon."
    base = Article("a", "A", "\n\n".join([" ".join([sentence] * 7), " ".join([sentence] * 3)]), ())
    size = TOKENIZER.count(sentence)
    assert [len(e.sentences) for e in cut(base, TOKENIZER, 2 * size, 9 * size)] == [7, 3]


def test_evidence_over_two_sentences_is_not_cut_through_where_the_range_allows():
    sentences = [f"The ferry number {i} left the harbour at noon." for i in range(12)]
    text = " ".join(sentences)
    start = text.index(sentences[5])
    evidence = Span(start, text.index(sentences[7]) - 1)
    base = Article("a", "A", text, (Question("Which?", ("ferry number 5",), evidence, "which"),))
    size = TOKENIZER.count(text)
    pieces = cut(base, TOKENIZER, size // 2 - 20, size // 2 + 20)
    assert len(pieces) == 2
    assert sum(len(p.questions) for p in pieces) == 1


def test_an_article_too_short_for_the_range_is_one_excerpt():
    base = Article("a", "A", "The ferry left. It rained.", ())
    (only,) = cut(base, TOKENIZER, 300, 450)
    assert only.text == base.text


def test_an_empty_article_has_no_excerpt():
    assert cut(Article("a", "A", "", ()), TOKENIZER, 1, 5) == []


def test_tokens_are_counted_in_bytes_beyond_ascii():
    base = Article("a", "A", " ".join("Die Fähre Ångström überquerte schließlich den Fluß." for _ in range(60)), ())
    assert all(100 <= e.n_tokens <= 160 for e in cut(base, TOKENIZER, 100, 160))
