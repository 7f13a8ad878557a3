"""The network's parts: signals of similarity, and heads that see the whole document."""

import pytest
import torch

from compression_subnet.compressors.learned.network import Batch, Heads, sentence_means
from compression_subnet.compressors.learned.similarity import SIGNALS, document_signals, token_matrix


def test_a_mean_is_of_the_sentences_own_tokens_and_0_where_there_are_none() -> None:
    states = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    means, lengths = sentence_means(states, torch.tensor([0, 0, 2]), 4)
    assert means.tolist() == [[2, 3], [0, 0], [5, 9], [0, 0]]
    assert lengths.tolist() == [2, 0, 1, 0]


def test_the_token_matrix_counts_and_weighs() -> None:
    weights = torch.tensor([0.0, 1.0, 2.0, 3.0])
    matrix = token_matrix(torch.tensor([1, 1, 3, 2, 0]), torch.tensor([0, 0, 0, 1, 1]), 3, weights)
    log2, log3 = torch.tensor(2.0).log().item(), torch.tensor(3.0).log().item()
    assert torch.allclose(matrix, torch.tensor([[0, log3, 0, 3 * log2], [0, 0, 2 * log2, 0], [0, 0, 0, 0]]))


def test_a_sentence_unlike_the_others_has_lower_signals_of_similarity() -> None:
    generator = torch.Generator().manual_seed(1)
    topic = torch.tensor([3.0, 1.0, 0.0, 0.0])
    vectors = topic + 0.3 * torch.randn(9, 4, generator=generator)
    vectors[4] = torch.tensor([0.0, 0.0, 3.0, -1.0])
    tokens = torch.ones(9, 6)
    tokens[4] = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.0, 5.0])
    signals = document_signals(vectors, tokens, torch.full((9,), 6.0))
    assert signals.shape == (9, SIGNALS)
    others = [i for i in range(9) if i != 4]
    # mean, central, nearest and near, of the vectors and of the tokens
    for column in (0, 1, 2, 3, 6, 7, 8, 9):
        assert signals[4, column] < signals[others, column].min()


@pytest.mark.parametrize("size", [1, 2])
def test_documents_of_one_sentence_or_two_have_finite_signals_and_gradients(size: int) -> None:
    vectors = torch.zeros(size, 4, requires_grad=True)
    signals = document_signals(vectors, torch.zeros(size, 3), torch.zeros(size))
    assert torch.isfinite(signals).all()
    signals.sum().backward()
    assert vectors.grad is not None
    assert torch.isfinite(vectors.grad).all()


def test_a_sentence_without_tokens_spoils_nothing() -> None:
    heads = Heads(8).train(False)
    states = torch.randn(5, 8)
    nothing = torch.zeros(0, dtype=torch.long)
    sentences = torch.tensor([0, 0, 2, 2, 2])
    ids = torch.tensor([5, 6, 7, 8, 5])
    batch = Batch(nothing, nothing, nothing, ids, sentences, sentences, torch.tensor([[0, 1, 2]]))
    outputs = heads(states, batch)
    assert outputs.relevance.shape == outputs.asked.shape == (3,)
    assert outputs.answer.shape == outputs.evidence.shape == (5,)
    assert all(torch.isfinite(t).all() for t in (outputs.relevance, outputs.asked, outputs.answer, outputs.evidence))
