"""Putting noise between the sentences of a base text so that its typography does not give it away.

The rule that makes it reversible: each noise range is one noise sentence and one separator beside it, copied from
the base, so that deleting the ranges leaves the base text, character for character.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise

from compression_subnet.challenge.excerpt import Excerpt
from compression_subnet.challenge.types import Question, Span

__all__ = ["Woven", "weave"]

_SENTENCE_ENDS = frozenset(".!?…。！？।؟\"')]”’»」』")


@dataclass(frozen=True, slots=True)
class Woven:
    """A base text with noise in it.

    Attributes:
        text: the characters.
        noise: a range a noise sentence, its separator included; in order, disjoint (they may touch).
        questions: those of the base, their evidence as ranges of ``text``.
    """

    text: str
    noise: tuple[Span, ...]
    questions: tuple[Question, ...]


class _Way(Enum):
    """How noise stands in its paragraph."""

    INSIDE = auto()
    OPENING = auto()
    CLOSING = auto()
    ALONE = auto()


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place for noise: what goes before its first sentence, or else after its last."""

    at: int
    before: str
    after: str
    way: _Way


def weave(excerpt: Excerpt, pieces: Sequence[Sequence[str]], rng: random.Random) -> Woven:
    """Return the excerpt with each piece (the sentences of a block, or a single one) at a place drawn by ``rng``.

    Places are between sentences (never inside evidence), at the start and the end of paragraphs and, for a piece
    with as many sentences as some paragraph of the base, as a paragraph of its own. The ways are drawn so that noise
    opens and closes paragraphs as often as base sentences do.
    """
    joint = _joint(excerpt)
    slots: dict[_Way, list[_Slot]] = {way: [] for way in _Way}
    for slot in _places(excerpt, joint):
        slots[slot.way].append(slot)
    sizes = _paragraph_sizes(excerpt)
    smallest = min(sizes, default=1)
    paragraphs = 1 + sum("\n" in gap for gap in _gaps(excerpt))
    rate = _opening_rate(paragraphs, len(excerpt.sentences), pieces, smallest if slots[_Way.ALONE] else None)
    placed: list[tuple[_Slot, Sequence[str]]] = []
    for piece in pieces:
        alone = len(piece) >= smallest and bool(slots[_Way.ALONE])
        ways = _ways(min(1.0, rate * len(piece)), alone)
        # Where the text has no such place, any other will do; a piece too small for a paragraph makes none.
        order = [rng.choices(list(ways), list(ways.values()))[0], *ways]
        if way := next((way for way in order if slots[way]), None):
            placed.append((rng.choice(slots[way]), piece))
    # At one place, what goes on with a paragraph stays next to it, and a paragraph of its own goes beyond.
    placed.sort(key=lambda p: (p[0].at, (p[0].way is _Way.ALONE) != bool(p[0].after)))
    return _assemble(excerpt, placed, joint)


def _opening_rate(paragraphs: int, sentences: int, pieces: Sequence[Sequence[str]], smallest: int | None) -> float:
    """Return the share of all sentences that will open a paragraph: what noise must meet to look like the base.

    Of the pieces of at least ``smallest`` sentences, half of those that open a paragraph make one up alone, and so
    add to the number of paragraphs; None where none may.
    """
    total = sentences + sum(map(len, pieces))
    adding = sum(len(piece) for piece in pieces if smallest is not None and len(piece) >= smallest)
    return paragraphs / (total - adding / 2)


def _ways(opening: float, alone: bool) -> dict[_Way, float]:
    """Return the probability of each way for a piece that is to open a paragraph, and close one, with ``opening``."""
    if not alone:
        ends = min(opening, 0.5)
        return {_Way.INSIDE: 1 - 2 * ends, _Way.OPENING: ends, _Way.CLOSING: ends}
    both = max(2 * opening - 1, opening / 2)
    ends = opening - both
    return {_Way.INSIDE: 1 - both - 2 * ends, _Way.OPENING: ends, _Way.CLOSING: ends, _Way.ALONE: both}


def _assemble(excerpt: Excerpt, placed: Sequence[tuple[_Slot, Sequence[str]]], joint: str) -> Woven:
    parts: list[str] = []
    noise: list[Span] = []
    shifts: list[tuple[int, int]] = []
    done = length = 0
    for slot, piece in placed:
        kept = excerpt.text[done : slot.at]
        parts.append(kept)
        length, done = length + len(kept), slot.at
        for number, sentence in enumerate(piece):
            if slot.after:
                string = sentence + (slot.after if number == len(piece) - 1 else joint)
            else:
                string = (joint if number else slot.before) + sentence
            parts.append(string)
            noise.append(Span(length, length + len(string)))
            shifts.append((slot.at, len(string)))
            length += len(string)
    parts.append(excerpt.text[done:])
    return Woven("".join(parts), tuple(noise), tuple(_shifted(q, shifts) for q in excerpt.questions))


def _shifted(question: Question, insertions: Sequence[tuple[int, int]]) -> Question:
    span = question.evidence
    # Nothing is put inside evidence, so both its ends move by what stands before its start.
    shift = sum(length for at, length in insertions if at <= span.start)
    return replace(question, evidence=Span(span.start + shift, span.end + shift))


def _gaps(excerpt: Excerpt) -> list[str]:
    return [excerpt.text[a.end : b.start] for a, b in pairwise(excerpt.sentences)]


def _joint(excerpt: Excerpt) -> str:
    """Return what usually stands between two sentences of a paragraph here: a space, or nothing in some scripts."""
    inside = Counter(gap for gap in _gaps(excerpt) if "\n" not in gap)
    return inside.most_common(1)[0][0] if inside else " "


def _paragraph_sizes(excerpt: Excerpt) -> list[int]:
    """Return the number of sentences of each paragraph that prose makes up: one that ends as sentences do."""
    sizes, size = [], 1
    for sentence, gap in zip(excerpt.sentences, [*_gaps(excerpt), "\n"], strict=True):
        if "\n" not in gap:
            size += 1
            continue
        if _is_prose(sentence.of(excerpt.text)):
            sizes.append(size)
        size = 1
    return sizes


def _is_prose(sentence: str) -> bool:
    """Whether noise may adjoin this on its line, as it may not a heading's."""
    return sentence[-1:] in _SENTENCE_ENDS


def _places(excerpt: Excerpt, joint: str) -> list[_Slot]:
    """Return the places for noise, in the order of the text, each with the ways to use it."""
    text, sentences, gaps = excerpt.text, excerpt.sentences, _gaps(excerpt)
    breaks = Counter(gap for gap in gaps if "\n" in gap)
    # A text of one paragraph gets no second one.
    between = breaks.most_common(1)[0][0] if breaks else ""
    slots = _at_break(None, sentences[0], "", between, joint, text)
    for sentence, following, gap in zip(sentences, [*sentences[1:], None], [*gaps, between], strict=True):
        if following is None or "\n" in gap:
            slots += _at_break(sentence, following, gap, "", joint, text)
        elif gap or not joint:  # sentences run together are not usual here, so noise between them would stand out
            slots.append(_Slot(sentence.end, gap, "", _Way.INSIDE))
    evidence = [q.evidence for q in excerpt.questions]
    return [slot for slot in slots if not any(e.start < slot.at < e.end for e in evidence)]


def _at_break(last: Span | None, first: Span | None, before: str, after: str, joint: str, text: str) -> list[_Slot]:
    """Return the ways to put noise between the ``last`` sentence of a paragraph and the ``first`` of the next."""
    ways = []
    if last is not None:
        if _is_prose(last.of(text)):
            ways.append(_Slot(last.end, joint, "", _Way.CLOSING))
        if before:
            ways.append(_Slot(last.end, before, "", _Way.ALONE))
    if first is not None:
        if _is_prose(first.of(text)):
            ways.append(_Slot(first.start, "", joint, _Way.OPENING))
        if after:
            ways.append(_Slot(first.start, "", after, _Way.ALONE))
    return ways
