"""The reference compressor without weights: sentences by relevance and worth, phrases where room is left.

It needs numpy only, draws nothing at random, and gives the same reply to the same text and budget.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.allocate import steps_by_worth
from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.compressors.costs import word_costs
from compression_subnet.compressors.document import Document, Kind, parse
from compression_subnet.compressors.fit import Selection
from compression_subnet.compressors.importance import word_values
from compression_subnet.compressors.phrases import split_phrases
from compression_subnet.compressors.redundancy import novelty
from compression_subnet.compressors.relevance import relevance
from compression_subnet.compressors.variants import Addition, coherence_at, sentence_variants
from compression_subnet.compressors.vectors import vectorise

__all__ = ["LexicalCompressor"]

Floats = npt.NDArray[np.float64]

# Worth counts by the probability of being relevant to this power, at budgets of 20, 40 and 60 %: where there is
# room for most of the text, noise has nothing to offer, and misleads.
_SHARES: Final = (0.2, 0.4, 0.6)
_CAUTION: Final = (1.0, 1.5, 2.0)
# A selection that leaves more than this share of the budget free found no words small enough to fill it.
_POOR: Final = 0.5
_MARKS: Final = frozenset(",;:.!?")


class LexicalCompressor:
    """Chooses sentences, pruned or whole, by what they are likely worth for each token that they cost."""

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the words of ``text`` that are worth most, in order, in at most ``budget.tokens`` tokens.

        Identifiers and numbers are kept whole or not at all, unless the text is one word too long for the budget.

        Raises:
            TokenizerError: the budget's counter refuses the text.
        """
        # A validator strips replies before it counts; a first word can cost more without the space before it.
        text = text.strip()
        if budget.tokens < 1 or not text:
            return ""
        size = budget.counter.count(text)
        if size <= budget.tokens:
            return text
        document = parse(text)
        selection = Selection(document, budget)
        costs = word_costs(document, budget.counter)
        share = budget.tokens / size
        vectors = vectorise(document)
        trust = relevance(vectors) ** np.interp(share, _SHARES, _CAUTION)
        values = word_values(document) * _by_word(document, trust * novelty(vectors))
        coherence = coherence_at(share)
        selection.extend(
            steps_by_worth(
                [sentence_variants(document, i, values, costs, coherence) for i in range(len(document.sentences))]
            )
        )
        if selection.left:
            selection.extend(_phrases_left(document, selection.words, values, costs))
        if selection.left:
            selection.extend(_words_left(document, selection.words, values, costs))
        if selection.left:
            cheapest = sorted(_words_left(document, selection.words, values, costs), key=lambda word: word.cost)
            selection.extend(cheapest)
        if selection.tokens < _POOR * budget.tokens:
            head = head_truncation(text, budget)
            return head if budget.counter.count(head) > selection.tokens else selection.text
        return selection.text


def _by_word(document: Document, by_sentence: Floats) -> Floats:
    """Spread a value per sentence over its words."""
    lengths = [last - first for first, last in document.sentences]
    spread: Floats = np.repeat(by_sentence, lengths)
    return spread


def _phrases_left(document: Document, kept: frozenset[int], values: Floats, costs: Floats) -> list[Addition]:
    """Return the phrases of which nothing is kept, most worth per token first."""
    phrases: list[Addition] = []
    for first, last in document.sentences:
        for a, b in split_phrases(document, first, last):
            words = tuple(p for p in range(a, b) if document.words[p].kind is not Kind.FILLER)
            if words and kept.isdisjoint(words):
                phrases.append(_addition(len(phrases), words, values, costs))
    return _by_density(phrases)


def _words_left(document: Document, kept: frozenset[int], values: Floats, costs: Floats) -> list[Addition]:
    """Return single words: first what helps to read, then any others, most worth per token first.

    Fillers before kept words and marks after them help. Words of a phrase with a negation are left out: any of
    them alone could say the opposite.
    """
    restored: list[Addition] = []
    others: list[Addition] = []
    barred = _negated(document)
    for place, word in enumerate(document.words):
        if place not in kept and place not in barred:
            filler = word.kind is Kind.FILLER and place + 1 in kept
            helps = filler or (word.lower in _MARKS and place - 1 in kept)
            (restored if helps else others).append(_addition(place, (place,), values, costs))
    return restored + _by_density(others)


def _negated(document: Document) -> set[int]:
    """Return the places of the words of all phrases with a negation."""
    barred: set[int] = set()
    for first, last in document.sentences:
        if any(word.kind is Kind.NEGATION for word in document.words[first:last]):
            for a, b in split_phrases(document, first, last):
                if any(word.kind is Kind.NEGATION for word in document.words[a:b]):
                    barred.update(range(a, b))
    return barred


def _addition(key: int, words: tuple[int, ...], values: Floats, costs: Floats) -> Addition:
    chosen = list(words)
    return Addition(key, words, float(costs[chosen].sum()), float(values[chosen].sum()))


def _by_density(additions: list[Addition]) -> list[Addition]:
    return sorted(additions, key=lambda addition: -round(addition.value / max(addition.cost, 1e-9), 9))
