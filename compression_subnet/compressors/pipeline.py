"""From scores to a reply: texts are parsed once, scored in a batch, and each cut to its budget.

texts -> documents -> scores -> parts of sentences -> steps of a knapsack -> words kept -> text, counted
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from compression_subnet.compressors.allocate import steps_by_worth
from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.compressors.costs import Costs, word_costs
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.fill import Draft, add_phrases, add_steps, add_words
from compression_subnet.compressors.fit import Selection
from compression_subnet.compressors.phrases import split_phrases
from compression_subnet.compressors.policy import Policy
from compression_subnet.compressors.redundancy import novelty
from compression_subnet.compressors.scores import Scorer, Scores
from compression_subnet.compressors.variants import sentence_parts

__all__ = ["compress_batch", "select"]

_POLICY: Final = Policy()
# A selection that leaves more than this share of the budget free found no words small enough to fill it.
_POOR: Final = 0.5
# One token in so many may stay free, where another round would be needed to place it.
_SPARE: Final = 200


def compress_batch(scorer: Scorer, requests: Sequence[tuple[str, TokenBudget]], policy: Policy = _POLICY) -> list[str]:
    """Return for each text and budget the words of the text that are worth most, in order, within the budget.

    Each reply depends on its own text and budget alone. A text that fits comes back as it is, without the white space
    at its ends; where there is no budget or no text, the reply is empty.

    Raises:
        CompressorError: the scorer failed.
        TokenizerError: a budget's counter refuses its text.
    """
    replies = [""] * len(requests)
    tasks: list[tuple[int, Document, Costs]] = []
    for number, (text, budget) in enumerate(requests):
        # A validator strips replies before it counts; a first word can cost more without the space before it.
        stripped = text.strip()
        if budget.tokens < 1 or not stripped:
            continue
        document = parse(stripped)
        costs = word_costs(document, budget.counter)
        if costs.size <= budget.tokens:
            replies[number] = stripped
        else:
            tasks.append((number, document, costs))
    scores = scorer.score([document for _, document, _ in tasks]) if tasks else []
    for (number, document, costs), found in zip(tasks, scores, strict=True):
        replies[number] = select(document, found, requests[number][1], costs, policy)
    return replies


def select(
    document: Document, scores: Scores, budget: TokenBudget, costs: Costs | None = None, policy: Policy = _POLICY
) -> str:
    """Return what is kept of ``document``, in at most ``budget.tokens`` tokens.

    Identifiers and numbers are kept whole or not at all, unless the text is one word too long for the budget.

    Args:
        document: a text without white space at its ends.
        scores: what its sentences and words are worth.
        budget: the limit, and what counts.
        costs: what ``word_costs`` says of the document by the budget's counter, if that is known.
        policy: what is made of the scores.

    Raises:
        TokenizerError: the budget's counter refuses the text.
    """
    costs = costs or word_costs(document, budget.counter)
    if costs.size <= budget.tokens:
        return document.text
    share = budget.tokens / costs.size
    trust = scores.relevance ** policy.caution_at(share) * novelty(document)
    values = scores.worth * trust[document.sentence_of]
    phrases = split_phrases(document)
    parts = sentence_parts(document, phrases, values, costs.even, policy.coherence_at(share))
    steps = steps_by_worth(document, parts, costs.words)
    selection = Selection(document, budget, phrases.pairs)
    for cheapest in (False, False, True):
        draft = Draft(selection.kept, selection.left)
        if not cheapest:
            add_steps(draft, steps)
            add_phrases(draft, parts, costs.words)
        add_words(draft, document, phrases, values, costs.words, cheapest=cheapest)
        selection.extend(draft.additions, np.array(draft.costs))
        if selection.left <= budget.tokens // _SPARE:
            break
    if selection.tokens < _POOR * budget.tokens:
        head = head_truncation(document.text, budget)
        return head if budget.counter.count(head) > selection.tokens else selection.text
    return selection.text
