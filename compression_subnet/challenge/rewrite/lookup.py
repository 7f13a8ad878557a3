"""How well whoever holds a corpus can look up the source of a rewritten sentence: by shared runs of four words."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from compression_subnet.challenge.admission import token_string

__all__ = ["SentenceIndex"]

_RUN: Final = 4


class SentenceIndex:
    """The sentences of a corpus by their runs of four words, as a look-up miner would keep them on disk.

    Args:
        sentences: the corpus's sentences; their order gives their numbers.
    """

    def __init__(self, sentences: Iterable[str]):
        self._holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for number, sentence in enumerate(sentences):
            for run in _runs(sentence):
                self._holders[run].append(number)

    def find(self, sentence: str) -> tuple[int, float] | None:
        """Return the sentence that shares most runs with this one and the share of this one's runs, or None.

        A run that several sentences hold counts for each of them in part.
        """
        runs = _runs(sentence)
        scores: Counter[int] = Counter()
        shared: Counter[int] = Counter()
        for run in runs:
            holders = self._holders.get(run, ())
            for number in holders:
                # Counters of whole numbers: a rare run tells more than a common one.
                scores[number] += 1_000_000 // len(holders)
                shared[number] += 1
        if not scores:
            return None
        best = max(scores, key=lambda number: (scores[number], -number))
        return best, shared[best] / len(runs)

    def identified(self, sentences: Sequence[str], sources: Sequence[int]) -> float:
        """Return the share of ``sentences`` whose source (a number each) is the one found."""
        hits = sum(
            (found := self.find(sentence)) is not None and found[0] == source
            for sentence, source in zip(sentences, sources, strict=True)
        )
        return hits / len(sentences) if sentences else 0.0


def _runs(sentence: str) -> set[tuple[str, ...]]:
    words = token_string(sentence).split()
    if not words:
        return set()
    return {tuple(words[i : i + _RUN]) for i in range(max(1, len(words) - _RUN + 1))}
