"""The compressor without weights: sentences by relevance and worth, phrases where room is left.

It needs numpy only, draws nothing at random, and gives the same reply to the same text and budget.
"""

from collections.abc import Sequence

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import Document
from compression_subnet.compressors.importance import word_values
from compression_subnet.compressors.pipeline import compress_batch
from compression_subnet.compressors.relevance import relevance
from compression_subnet.compressors.scores import Scores
from compression_subnet.compressors.vectors import vectorise

__all__ = ["LexicalCompressor", "LexicalScorer"]


class LexicalScorer:
    """Scores by shared terms, and by what kinds of words are usually asked for."""

    def score(self, documents: Sequence[Document]) -> list[Scores]:
        """Return the scores of each document, in order."""
        return [Scores(relevance(vectorise(document)), word_values(document)) for document in documents]


class LexicalCompressor:
    """Chooses sentences, pruned or whole, by what they are likely worth for each token that they cost."""

    def __init__(self) -> None:
        self._scorer = LexicalScorer()

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the words of ``text`` that are worth most, in order, in at most ``budget.tokens`` tokens.

        Identifiers and numbers are kept whole or not at all, unless the text is one word too long for the budget.

        Raises:
            TokenizerError: the budget's counter refuses the text.
        """
        return self.compress_batch([(text, budget)])[0]

    def compress_batch(self, requests: Sequence[tuple[str, TokenBudget]]) -> list[str]:
        """Return for each text and budget, in order, what ``compress`` would.

        Raises:
            TokenizerError: a budget's counter refuses its text.
        """
        return compress_batch(self._scorer, requests)
