"""The ways in which one sentence can be kept: a core of its phrases, more of them, all, all without a gap."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.compressors.document import Document, Kind
from compression_subnet.compressors.phrases import split_phrases

__all__ = ["Addition", "Variant", "coherence_at", "sentence_variants"]

Floats = npt.NDArray[np.float64]

# Shares of a sentence's cost that its pruned variants keep at most.
_CUTS: Final = (0.35, 0.55, 0.75)
# What the words of a sentence are worth when next to nothing else of it is left, at budgets of 20, 40 and 60 %.
# A small budget cannot tell the reader everything, so what it tells must be plain: whole sentences.
_SHARES: Final = (0.2, 0.4, 0.6)
_COHERENCE: Final = (0.6, 0.7, 0.8)
# Going without articles and other fillers costs a reader this little.
_LEAN: Final = 0.985


@dataclass(frozen=True, slots=True)
class Addition:
    """Words to keep together, with what they cost and are worth; ``sentence`` is the one that they belong to."""

    sentence: int
    words: tuple[int, ...]
    cost: float
    value: float


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to keep a sentence: places of the kept words, ascending; estimated tokens; worth."""

    words: tuple[int, ...]
    cost: float
    value: float


def coherence_at(share: float) -> float:
    """Return what a fragment's words are worth, relative to a whole sentence's, if ``share`` of a text is kept."""
    return float(np.interp(share, _SHARES, _COHERENCE))


def sentence_variants(
    document: Document, sentence: int, values: Floats, costs: Floats, coherence: float
) -> tuple[Variant, ...]:
    """Return the variants of a sentence, nested, from the least to the whole; the empty one is left out.

    Args:
        document: the text.
        sentence: which of its sentences.
        values: worth of each word of the document.
        costs: tokens of each word of the document.
        coherence: from ``coherence_at``.
    """
    first, last = document.sentences[sentence]
    places = np.arange(first, last)
    fillers = np.array([document.words[place].kind is Kind.FILLER for place in places])
    lean = places[~fillers]
    # Every variant ends as the sentence does, so that the reader sees where the next one starts.
    stop = [last - 1] if document.words[last - 1].kind is Kind.PUNCTUATION else []
    whole = Variant(tuple(places.tolist()), float(costs[first:last].sum()), float(values[first:last].sum()))
    variants = []
    lean_cost = float(costs[lean].sum())
    inside = lean[: len(lean) - len(stop)]
    phrases = [inside[(inside >= a) & (inside < b)] for a, b in split_phrases(document, first, last)]
    phrases = [phrase for phrase in phrases if len(phrase)]
    density = [float(values[phrase].sum() / costs[phrase].sum()) for phrase in phrases]
    order = sorted(range(len(phrases)), key=lambda i: (-density[i], i))
    kept = list(stop)
    cost = float(costs[kept].sum())
    cuts = [cut * lean_cost for cut in _CUTS]
    for position, i in enumerate(order[:-1]):
        kept.extend(phrases[i].tolist())
        cost += float(costs[phrases[i]].sum())
        following = cost + float(costs[phrases[order[position + 1]]].sum())
        if cuts and following > cuts[0]:
            cuts = [cut for cut in cuts if cut >= following]
            worth = float(values[kept].sum()) * (coherence + (1.0 - coherence) * cost / lean_cost)
            variants.append(Variant(tuple(sorted(kept)), cost, worth))
    if 0 < len(lean) < len(places):
        variants.append(Variant(tuple(lean.tolist()), lean_cost, float(values[lean].sum()) * _LEAN))
    return (*variants, whole)
