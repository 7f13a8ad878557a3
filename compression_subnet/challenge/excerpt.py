"""Cutting an article into base texts of a wanted size, at the ends of sentences, losing nothing."""

from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

import numpy as np

from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.tokens import Tokenizer

__all__ = ["Excerpt", "cut"]

# Cost of a cut, compared in this order: tokens outside the range, evidence cut through, cuts inside a paragraph,
# squared distance from the middle of the range.
_Cost = tuple[int, int, int, float]
# A piece has a token more or less than the article's own tokens say, as its ends are tokenised anew.
_SLACK = 2


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A base text: a stretch of an article, without the white space around it.

    Attributes:
        article_id: where it was cut from.
        span: the stretch, as a range of the article's text.
        text: its characters.
        n_tokens: tokens of ``text``.
        sentences: ranges of ``text``, without the white space after each.
        questions: those whose evidence lies within, as ranges of ``text``.
    """

    article_id: str
    span: Span
    text: str
    n_tokens: int
    sentences: tuple[Span, ...]
    questions: tuple[Question, ...]


def cut(article: Article, tokenizer: Tokenizer, min_tokens: int, max_tokens: int) -> list[Excerpt]:
    """Return the article's excerpts in order: every character that is not white space is in exactly one.

    The cuts are those of least cost by dynamic programming: as few tokens as can be outside
    ``[min_tokens, max_tokens]`` (some are where the article's length allows no other), then as little evidence as
    can be cut through (its questions are lost), then at paragraph ends, then even. Raises nothing of its own.
    """
    sentences = split_sentences(article.text)
    if not sentences:
        return []
    bounds = [start for start, _ in sentences] + [len(article.text)]
    tokens = _tokens_before(article.text, bounds, tokenizer)
    low, high = min(min_tokens + _SLACK, max_tokens), max(max_tokens - _SLACK, min_tokens)
    middle = (low + high) / 2
    cut_costs = _cut_costs(article, bounds)
    best: list[tuple[_Cost, int]] = [((0, 0, 0, 0.0), 0)]
    for j in range(1, len(bounds)):
        options: list[tuple[_Cost, int]] = []
        for i in range(j - 1, -1, -1):
            size = tokens[j] - tokens[i]
            if options and size > high + low:  # two pieces are then better than one
                break
            outside, through, inside, uneven = best[i][0]
            outside += max(0, size - high) + max(0, low - size)
            cost = (outside, through + cut_costs[j][0], inside + cut_costs[j][1], uneven + (size - middle) ** 2)
            options.append((cost, i))
        best.append(min(options))
    ends = [len(sentences)]
    while ends[-1]:
        ends.append(best[ends[-1]][1])
    pieces = zip(ends[:0:-1], ends[-2::-1], strict=True)
    return [_excerpt(article, sentences[i:j], tokenizer) for i, j in pieces]


def _tokens_before(text: str, bounds: list[int], tokenizer: Tokenizer) -> list[int]:
    """Return how many tokens of ``text`` end at or before each of the given places."""
    sizes = [len(text[a:b].encode()) for a, b in pairwise(bounds)]
    ends = np.cumsum(tokenizer.token_bytes(text))
    counts: list[int] = np.searchsorted(ends, list(accumulate(sizes, initial=0)), side="right").tolist()
    return counts


def _cut_costs(article: Article, bounds: list[int]) -> list[tuple[int, int]]:
    """Return, for a cut at each place, the evidence that it goes through and whether it is inside a paragraph."""
    costs = [(0, 0)]
    for previous, place in pairwise(bounds):
        through = sum(q.evidence.start < place < q.evidence.end for q in article.questions)
        sentence = article.text[previous:place]
        inside = place < len(article.text) and "\n" not in sentence[len(sentence.rstrip()) :]
        costs.append((through, int(inside)))
    return costs


def _excerpt(article: Article, sentences: list[tuple[int, int]], tokenizer: Tokenizer) -> Excerpt:
    stretch = article.text[sentences[0][0] : sentences[-1][1]]
    start = sentences[0][0] + len(stretch) - len(stretch.lstrip())
    span = Span(start, start + len(stretch.strip()))
    text = span.of(article.text)
    own = []
    for a, b in sentences:
        a, b = max(a, start) - start, min(b, span.end) - start
        own.append(Span(a, a + len(text[a:b].rstrip())))
    questions = tuple(
        replace(q, evidence=Span(q.evidence.start - start, q.evidence.end - start))
        for q in article.questions
        if span.start <= q.evidence.start and q.evidence.end <= span.end
    )
    return Excerpt(article.id, span, text, tokenizer.count(text), tuple(own), questions)
