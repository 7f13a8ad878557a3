"""Relevance: noise is told from the text, and nothing is told from too little."""

import numpy as np
import pytest
from compressor_texts import FERRY, FOREIGN, article

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import parse
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.compressors.redundancy import novelty
from compression_subnet.compressors.relevance import relevance
from compression_subnet.compressors.signals import centrality, nearness, robust_z, shared_terms
from compression_subnet.compressors.stems import stem
from compression_subnet.compressors.vectors import vectorise
from compression_subnet.text.tokens import get_tokenizer


def mixed() -> tuple[str, np.ndarray]:
    sentences, noise = [], []
    for place, sentence in enumerate(FERRY):
        if place % 3 == 1:
            sentences.append(FOREIGN[place // 3])
            noise.append(True)
        sentences.append(sentence)
        noise.append(False)
    return " ".join(sentences), np.array(noise)


def test_foreign_sentences_are_the_least_relevant() -> None:
    text, noise = mixed()
    p = relevance(vectorise(parse(text)))
    assert np.all((p > 0) & (p <= 1))
    assert p[noise].max() < np.median(p[~noise])
    assert p[noise].mean() + 0.4 < p[~noise].mean()


def test_each_signal_is_higher_for_the_own_sentences() -> None:
    text, noise = mixed()
    vectors = vectorise(parse(text))
    ones = np.ones(vectors.shape[0])
    for signal in (centrality(vectors), shared_terms(vectors, ones), nearness(vectors, ones)):
        assert signal[~noise].mean() > signal[noise].mean() + 0.5


@pytest.mark.parametrize("text", ["", "One sentence. Two.", "?! ?! . ... !!! " * 9, "The of and. It is so. " * 9])
def test_where_nothing_can_be_told_all_is_relevant(text: str) -> None:
    p = relevance(vectorise(parse(text)))
    assert np.all(p == p[0] if len(p) else True) and np.all(p > 0.5)


def test_rows_have_length_one_or_zero() -> None:
    vectors = vectorise(parse(mixed()[0] + " It was so."))
    lengths = np.bincount(vectors.rows, vectors.values**2, minlength=vectors.shape[0])
    assert np.allclose(lengths[:-1], 1.0) and lengths[-1] == 0.0


def test_products_agree_with_the_dense_matrix() -> None:
    vectors = vectorise(parse(mixed()[0]))
    dense = np.zeros(vectors.shape)
    dense[vectors.rows, vectors.columns] = vectors.values
    rng = np.random.default_rng(3)
    by_term, by_sentence = rng.random(vectors.shape[1]), rng.random(vectors.shape[0])
    assert np.allclose(vectors.times(by_term), dense @ by_term)
    assert np.allclose(vectors.transposed_times(by_sentence), dense.T @ by_sentence)


def test_nearness_agrees_with_its_definition() -> None:
    vectors = vectorise(parse(mixed()[0]))
    n = vectors.shape[0]
    dense = np.zeros(vectors.shape)
    dense[vectors.rows, vectors.columns] = vectors.values
    weights = np.linspace(0.1, 1.0, n)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    decay = np.exp(-distance / 3.0) * weights
    np.fill_diagonal(decay, 0.0)
    expected = ((dense @ dense.T) * decay).sum(1) / decay.sum(1)
    assert np.allclose(nearness(vectors, weights), robust_z(expected))


@pytest.mark.parametrize(
    "family",
    [
        ("defended", "defends", "defending"),
        ("passengers", "passenger's", "Passenger"),
        ("city", "cities"),
        ("relations", "relation"),
    ],
)
def test_forms_of_a_word_share_a_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize(("one", "other"), [("sea", "see"), ("1987", "1988"), ("東", "京"), ("KX-7714-Q", "KX-7714")])
def test_other_words_do_not(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_copy_is_worth_little_and_a_near_copy_less_than_a_new_sentence() -> None:
    near = FERRY[2].replace("lower", "upper").replace("412", "510")
    factors = novelty(parse(" ".join([*FERRY, FERRY[2], near, FOREIGN[0]])))
    assert np.all(factors[: len(FERRY)] == 1.0) and factors[-1] == 1.0
    assert factors[-3] == pytest.approx(0.1)
    assert 0.1 < factors[-2] < 1.0


def test_without_repetition_nothing_is_lost_and_a_copy_far_off_is_still_one() -> None:
    assert np.all(novelty(parse(article(40))) > 0.1)
    far = parse(" ".join([*FERRY, *(f"Word{i} thing{i} other{i} stands{i}." for i in range(50)), FERRY[5]]))
    assert novelty(far)[-1] == pytest.approx(0.1) and np.all(novelty(far)[:-1] == 1.0)


def test_what_was_said_once_is_kept_before_what_was_said_twice() -> None:
    text = " ".join([FERRY[1], FERRY[1], FERRY[2], FERRY[1], FERRY[3]])
    tokenizer = get_tokenizer()
    result = LexicalCompressor().compress(text, TokenBudget(tokenizer.count(text) * 70 // 100, tokenizer))
    assert all(fact in result for fact in ("Solberg", "412", "1979"))
    assert result.count("Solberg") < text.count("Solberg")
