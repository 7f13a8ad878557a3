"""The network: an encoder, a small transformer over the sentences of the whole document, and heads for both.

A sentence is judged by the document that it stands in (is it of it? would one ask about it?), so that its state, the
mean of its tokens' states, goes through a head that sees all sentences, across the encoder's windows. A word is
judged by its own state and by its sentence's.
"""

from dataclasses import dataclass, fields
from typing import Final

import torch
from torch import Tensor, nn
from torch.nn import functional

from compression_subnet.compressors.kinds import Kind
from compression_subnet.compressors.learned.similarity import SIGNALS, document_signals, token_matrix

__all__ = ["Batch", "DocumentHead", "Heads", "Outputs", "TokenHead", "sentence_means"]

WIDTH: Final = 128
DIRECT: Final = 32
LAYERS: Final = 2
ATTENTION_HEADS: Final = 4
VOCABULARY: Final = 30522


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents as the network takes them; a "place" is an index among all of the batch.

    Attributes:
        ids: token ids of the windows, ``[windows, length]``.
        mask: 1 where there is a token, of the same shape.
        places: for each token of the documents, in order, where its state stands among all ``windows * length``.
        tokens: for each of these tokens, its id.
        kinds: for each of these tokens, the ``Kind`` of its word: capitals, digits and what else an encoder that
            lower-cases its text does not see.
        sentences: for each of these tokens, the place of its sentence; ascending.
        documents: places of the sentences of each document, ``[documents, most sentences]``, padded by -1.
    """

    ids: Tensor
    mask: Tensor
    places: Tensor
    tokens: Tensor
    kinds: Tensor
    sentences: Tensor
    documents: Tensor

    def to(self, device: torch.device) -> "Batch":
        """Return the same on ``device``."""
        return Batch(*(getattr(self, field.name).to(device) for field in fields(self)))


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the network says.

    Attributes:
        relevance: logit of being no noise, for each sentence.
        asked: logarithm of the expected number of questions whose answer the sentence holds, if it is no noise.
        answer: logit of lying in an answer, for each token, if its sentence is no noise.
        evidence: logit of being named by a question that the sentence answers, for each token, likewise.
    """

    relevance: Tensor
    asked: Tensor
    answer: Tensor
    evidence: Tensor


class Heads(nn.Module):
    """From the encoder's token states to all outputs. Always computed in float32."""

    def __init__(self, hidden: int):
        super().__init__()
        self.document = DocumentHead(hidden)
        self.token = TokenHead(hidden)

    def forward(self, states: Tensor, batch: Batch) -> Outputs:
        """Return the outputs.

        Args:
            states: of the documents' tokens, in order, ``[tokens, hidden]``.
            batch: their places.
        """
        states = states.float()
        means, lengths = sentence_means(states, batch.sentences, int((batch.documents >= 0).sum()))
        context, relevance, asked = self.document(means, lengths, batch)
        answer, evidence = self.token(states, context[batch.sentences], batch.kinds)
        return Outputs(relevance, asked, answer, evidence)


def sentence_means(states: Tensor, sentences: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the mean state of each of ``count`` sentences, 0 for one without tokens, and its number of tokens.

    The sums are taken in the tokens' order, which is the same whatever else is in the batch.

    Args:
        states: of the tokens, float32.
        sentences: for each token, the place of its sentence; ascending.
        count: number of sentences.
    """
    lengths = torch.bincount(sentences, minlength=count)
    sums = torch.segment_reduce(states, "sum", lengths=lengths, axis=0, initial=0)
    return sums / lengths.clamp(min=1)[:, None], lengths.to(states.dtype)


class DocumentHead(nn.Module):
    """Transformer layers over the sentences of a document."""

    def __init__(self, hidden: int, width: int = WIDTH):
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.enter = nn.Linear(hidden, width)
        self.compare = nn.Linear(hidden, width, bias=False)
        self.weights = nn.Parameter(torch.ones(VOCABULARY))
        # Signals are put on a common scale first; as training found it.
        self.shift = nn.Parameter(torch.zeros(SIGNALS))
        self.scale = nn.Parameter(torch.ones(SIGNALS))
        self.signals = nn.Sequential(nn.Linear(SIGNALS, width), nn.GELU(), nn.Linear(width, width))
        self.direct = nn.Sequential(nn.Linear(SIGNALS, DIRECT), nn.GELU(), nn.Linear(DIRECT, 1))
        self.layers = nn.ModuleList(_Layer(width) for _ in range(LAYERS))
        self.leave = nn.LayerNorm(width)
        self.outputs = nn.Linear(width, 2)

    def forward(self, means: Tensor, lengths: Tensor, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return a state, the logit of relevance and the logarithm of the rate of questions for each sentence.

        Args:
            means: mean token state of each sentence, ``[sentences, hidden]``.
            lengths: tokens of each sentence.
            batch: where they stand.
        """
        states = self.norm(means)
        signals = (self.compared(self.compare(states), lengths, batch) - self.shift) * self.scale
        present = batch.documents >= 0
        x = (self.enter(states) + self.signals(signals))[batch.documents.clamp(min=0)]
        for layer in self.layers:
            x = layer(x, present)
        # Rows of ``flat`` are in the order of the documents' sentences, which is that of their places.
        flat = self.leave(x)[present]
        relevance, asked = self.outputs(flat).unbind(-1)
        return flat, relevance + self.direct(signals)[:, 0], asked

    def compared(self, vectors: Tensor, lengths: Tensor, batch: Batch) -> Tensor:
        """Return the signals of each sentence, as they are, given its contextual vector."""
        weights = functional.relu(self.weights)
        signals: list[Tensor] = []
        first = 0
        for count in (batch.documents >= 0).sum(-1).tolist():
            inside = (batch.sentences >= first) & (batch.sentences < first + count)
            tokens = token_matrix(batch.tokens[inside], batch.sentences[inside] - first, count, weights)
            part = slice(first, first + count)
            signals.append(document_signals(vectors[part], tokens, lengths[part]))
            first += count
        return torch.cat(signals) if signals else vectors.new_zeros(0, SIGNALS)


class TokenHead(nn.Module):
    """A perceptron over a token's state, its sentence's, and the kind of its word."""

    def __init__(self, hidden: int, width: int = WIDTH):
        super().__init__()
        self.norm = nn.LayerNorm(hidden)
        self.enter = nn.Linear(hidden, width)
        self.context = nn.Linear(width, width, bias=False)
        self.kinds = nn.Parameter(torch.zeros(len(Kind), width))
        self.outputs = nn.Linear(width, 2)

    def forward(self, states: Tensor, context: Tensor, kinds: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of lying in an answer and of being named by a question, for each token."""
        hidden = functional.gelu(self.enter(self.norm(states)) + self.context(context) + self.kinds[kinds])
        answer, evidence = self.outputs(hidden).unbind(-1)
        return answer, evidence


class _Layer(nn.Module):
    """A transformer layer with the norm first and no positions: distance comes in by the neighbours' signals."""

    def __init__(self, width: int):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = nn.Linear(width, 3 * width)
        self.join = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width)
        self.outer = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(0.1)
        # How much nearness in the text adds to attention, by head; learned.
        self.nearness = nn.Parameter(torch.tensor([1.0, 0.3, 0.0, 0.0]))

    def forward(self, x: Tensor, present: Tensor) -> Tensor:
        documents, size, width = x.shape
        q, k, v = (
            part.view(documents, size, ATTENTION_HEADS, -1).transpose(1, 2)
            for part in self.attention(self.attention_norm(x)).chunk(3, dim=-1)
        )
        places = torch.arange(size, device=x.device, dtype=x.dtype)
        distance = torch.log1p((places[:, None] - places[None, :]).abs())
        bias = -self.nearness[:, None, None] * distance
        bias = bias.masked_fill(~present[:, None, None, :], float("-inf"))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        x = x + self.dropout(self.join(mixed.transpose(1, 2).reshape(documents, size, width)))
        hidden = self.dropout(self.outer(functional.gelu(self.inner(self.norm(x)))))
        result: Tensor = x + hidden
        return result
