"""The ways in which each sentence can be kept: its best phrases, more of them, all, all with its fillers.

The variants of a sentence are nested, so that they are prefixes of one order of its parts: the phrases, those with
the most worth per token first, and last its fillers (articles and the like).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind
from compression_subnet.compressors.phrases import Phrases
from compression_subnet.compressors.vectors import sums

__all__ = ["Parts", "sentence_parts"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Shares of a sentence, fillers apart, that its pruned variants keep at most. More of them are slower and no better.
_CUTS: Final = (0.35, 0.55, 0.75)
# Going without articles and other fillers costs a reader this little.
_LEAN: Final = 0.995
# Decimals to which worths are compared, so that the last bits of a sum, which differ between machines, decide nothing.
_DECIMALS: Final = 9


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of all sentences, each sentence's in the order in which they are added to it.

    Attributes:
        of: for each word its part; -1 for the mark that ends a sentence, which is kept with any part of it.
        sentences: for each part its sentence, ascending.
        costs: for each part its tokens, estimated.
        values: for each part what its words are worth.
        reached_costs: for each part the tokens of its sentence up to it, the mark at its end included.
        reached_values: for each part what its sentence is worth up to it, the loss of coherence taken off.
        fillers: which parts are fillers.
        variants: the parts that are the last of a variant, ascending.
    """

    of: Ints
    sentences: Ints
    costs: Floats
    values: Floats
    reached_costs: Floats
    reached_values: Floats
    fillers: Bools
    variants: Ints


def sentence_parts(document: Document, phrases: Phrases, values: Floats, costs: Floats, coherence: float) -> Parts:
    """Return the parts of the sentences of ``document``.

    Args:
        document: the text.
        phrases: its phrases.
        values: worth of each of its words.
        costs: tokens of each of its words.
        coherence: what a fragment's words are worth, relative to a whole sentence's.
    """
    filler = document.kinds == Kind.FILLER
    last = document.borders[1:] - 1
    ending = last[document.kinds[last] == Kind.PUNCTUATION]
    sentences = len(last)
    # Groups of words: a phrase each, then the fillers of a sentence each.
    group = np.where(filler, len(phrases.starts) + document.sentence_of, phrases.of)
    size = len(phrases.starts) + sentences
    weight = np.ones(len(group))
    weight[ending] = 0.0
    group_costs = sums(group, costs * weight, size)
    group_values = sums(group, values * weight, size)
    used = np.flatnonzero(sums(group, weight, size))
    sentence_of = np.concatenate((phrases.sentences, np.arange(sentences)))[used]
    fillers = used >= len(phrases.starts)
    density = np.round(group_values[used] / np.maximum(group_costs[used], 1e-9), _DECIMALS)
    order = np.lexsort((used, -density, fillers, sentence_of))
    used, sentence_of, fillers = used[order], sentence_of[order], fillers[order]
    place = np.full(size, -1)
    place[used] = np.arange(len(used))
    of = place[group]
    of[ending] = -1
    part_costs, part_values = group_costs[used], group_values[used]
    ends_cost, ends_value = np.zeros(sentences), np.zeros(sentences)
    ends_cost[document.sentence_of[ending]] = costs[ending]
    ends_value[document.sentence_of[ending]] = values[ending]
    reached_costs = _running(part_costs, sentence_of) + ends_cost[sentence_of]
    plain = _running(part_values, sentence_of) + ends_value[sentence_of]
    closing = np.ones(len(used), dtype=np.bool_)  # the last phrase of its sentence, or its fillers
    closing[:-1] = fillers[1:] | (sentence_of[1:] != sentence_of[:-1])
    lean = np.ones(sentences)
    phrase_closing = closing & ~fillers
    lean[sentence_of[phrase_closing]] = reached_costs[phrase_closing]
    shares = reached_costs / lean[sentence_of]
    factor = coherence + (1.0 - coherence) * shares
    factor[closing] = 1.0
    factor[np.flatnonzero(fillers[1:] & (sentence_of[1:] == sentence_of[:-1]))] = _LEAN
    return Parts(
        of=of,
        sentences=sentence_of,
        costs=part_costs,
        values=part_values,
        reached_costs=reached_costs,
        reached_values=plain * factor,
        fillers=fillers,
        variants=np.flatnonzero(closing | _last_within(_CUTS, shares)),
    )


def _running(amounts: Floats, groups: Ints) -> Floats:
    """Return the running sum of ``amounts`` within each of the ``groups``, which are ascending."""
    total = np.cumsum(amounts)
    first = np.searchsorted(groups, groups)
    running: Floats = total - (total - amounts)[first]
    return running


def _last_within(cuts: Sequence[float], shares: Floats) -> Bools:
    """Return which parts are the last of their sentence that one of ``cuts`` leaves room for."""
    cut = np.searchsorted(cuts, shares)
    last = np.zeros(len(shares), dtype=np.bool_)
    last[:-1] = cut[1:] > cut[:-1]
    return last
