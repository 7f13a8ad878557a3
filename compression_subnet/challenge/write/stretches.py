"""Cutting a text into stretches of whole sentences and like length, so that each is asked about."""

from compression_subnet.challenge.types import Span
from compression_subnet.text.sentences import split_sentences

__all__ = ["stretches"]


def stretches(text: str, count: int) -> list[Span]:
    """Return at most ``count`` stretches, in order: every sentence is in one, by where its middle lies.

    A stretch without a sentence is left out; white space at a stretch's ends is not part of it.
    """
    grouped: dict[int, Span] = {}
    for start, end in split_sentences(text):
        sentence = text[start:end]
        if not sentence.strip():
            continue
        index = min(count - 1, (start + end) * count // (2 * len(text)))
        first = grouped[index].start if index in grouped else start + len(sentence) - len(sentence.lstrip())
        grouped[index] = Span(first, start + len(sentence.rstrip()))
    return [grouped[index] for index in sorted(grouped)]
