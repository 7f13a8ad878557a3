"""What each word costs in tokens: from one encoding of the text where the counter says where its tokens lie."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind
from compression_subnet.compressors.vectors import sums
from compression_subnet.text.tokens import TokenCounter

__all__ = ["Costs", "word_costs"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Costs:
    """What a document costs.

    Attributes:
        size: tokens of its text, counted.
        words: tokens that end in each word or the white space after it. Tokenizers merge across borders, so the sum
            for a selection is near its count, not equal: who returns a text counts it.
        even: the tokens of each sentence, shared among its words by how they look, positive. That is worse as an
            estimate, and better to choose by: names and rare words, which take many tokens, are what is asked for
            (0.637 of the answers survived against 0.628, on SquadShifts' Wikipedia articles).
    """

    size: int
    words: Floats
    even: Floats


def word_costs(document: Document, counter: TokenCounter) -> Costs:
    """Return what ``document`` and its words cost.

    A counter with ``token_bytes`` is asked once, any other for the text and for each sentence.

    Raises:
        TokenizerError: the counter refuses the text.
    """
    look = _look_costs(document)
    token_bytes = getattr(counter, "token_bytes", None)
    if token_bytes is None:
        size = counter.count(document.text)
        tokens = np.array([counter.count(sentence) for sentence in _sentences(document)], dtype=np.float64)
        even = _shared(document, look, tokens)
        return Costs(size, even, even)
    lengths: Ints = token_bytes(document.text)
    # A token belongs to the word in which it ends: most start with the space before their word.
    stops = _byte_places(document.text, document.stops)
    ended = np.searchsorted(np.cumsum(lengths), stops, side="right")
    words, tokens = _steps(ended), _steps(ended[document.borders[1:] - 1])
    return Costs(len(lengths), words, _shared(document, look, tokens))


def _steps(totals: Ints) -> Floats:
    """Return by how much each of ``totals`` exceeds the one before it, or 0."""
    steps = totals.astype(np.float64)
    steps[1:] -= totals[:-1]
    return steps


def _shared(document: Document, look: Floats, tokens: Floats) -> Floats:
    """Share the ``tokens`` of each sentence among its words in proportion to ``look``."""
    looked = sums(document.sentence_of, look, len(tokens))
    factors = np.maximum(tokens, 1.0) / np.maximum(looked, 1.0)
    shared: Floats = look * factors[document.sentence_of]
    return shared


def _byte_places(text: str, places: Ints) -> Ints:
    """Return for places in ``text``, in characters, the same in bytes of its UTF-8."""
    if text.isascii():
        return places
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    widths = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
    result: Ints = np.concatenate(([0], np.cumsum(widths)))[places]
    return result


def _sentences(document: Document) -> Iterator[str]:
    for first, last in document.sentences:
        yield document.text[document.starts[first] : document.ends[last - 1]]


def _look_costs(document: Document) -> Floats:
    """Return the tokens that a word of such a look usually takes in a byte-pair vocabulary, at least 1."""
    lengths = (document.ends - document.starts).astype(np.float64)
    costs = 1.0 + np.maximum(lengths - 6.0, 0.0) / 5.0
    costs[document.kinds < Kind.FREQUENT] = 1.0
    numbers = document.kinds == Kind.NUMBER
    costs[numbers] = 1.0 + np.maximum(lengths[numbers] - 1.0, 0.0) / 3.0
    return costs
