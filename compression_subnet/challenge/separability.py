"""How well noise can be told from the base text: by how it is typed, and by what it is about.

Scores are compared by AUC, the probability that a noise sentence scores above a base sentence: 0.5 is chance.
"""

import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from compression_subnet.challenge.admission import token_string
from compression_subnet.challenge.types import Challenge
from compression_subnet.text.sentences import split_sentences

__all__ = ["Sentence", "auc", "sentences_of", "surface_auc", "surface_features", "topic_auc", "topic_scores"]

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

_FOLDS: Final = 5
_RIDGE: Final = 1.0
_STEPS: Final = 12
# Rounds in which the document's topic is found, and the share of sentences, least like it, that are then left out.
_ROUNDS: Final = 10
_LEFT_OUT: Final = 0.4
_COUNTED: Final = tuple(
    re.compile(pattern)
    for pattern in (r",", r"[;:]", r"[\"“”]", r"['‘’]", r"[-–—]", r"[()\[\]]", r"[?!]", r"\d", r"[^\W\d_a-z]", r"\w+")
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an injected text, with what a miner does not know of it.

    Attributes:
        text: without white space around it.
        opens: whether it begins a paragraph.
        closes: whether it ends one.
        noise: whether it was put in.
    """

    text: str
    opens: bool
    closes: bool
    noise: bool


def sentences_of(challenge: Challenge) -> list[Sentence]:
    """Return the sentences of a challenge's text, in order."""
    stretches: list[tuple[int, int, bool]] = []
    done = 0
    for span in challenge.noise:
        stretches += [(done, span.start, False), (span.start, span.end, True)]
        done = span.end
    stretches.append((done, len(challenge.text), False))
    ranges = []
    for start, end, noise in stretches:
        stretch = challenge.text[start:end]
        # A noise range is one sentence and a separator, whatever the splitter would make of it.
        for a, b in [(0, len(stretch))] if noise else split_sentences(stretch):
            sentence = stretch[a:b]
            if sentence.strip():
                first = start + a + len(sentence) - len(sentence.lstrip())
                ranges.append((first, first + len(sentence.strip()), noise))
    gaps = ["\n", *(challenge.text[a[1] : b[0]] for a, b in itertools.pairwise(ranges)), "\n"]
    return [
        Sentence(challenge.text[a:b], "\n" in gaps[i], "\n" in gaps[i + 1], noise)
        for i, (a, b, noise) in enumerate(ranges)
    ]


def surface_features(sentence: Sentence) -> list[float]:
    """Return what can be told of a sentence without reading it: lengths, punctuation, capitals, digits, layout."""
    text = sentence.text
    counts = [len(pattern.findall(text)) for pattern in _COUNTED]
    words = max(1, counts[-1])
    non_ascii = sum(not c.isascii() for c in text)
    return [
        float(len(text)),
        float(len(text)) ** 0.5,
        len(text) / words,
        non_ascii / len(text),
        float(sentence.opens),
        float(sentence.closes),
        *(float(n) for n in counts),
        *(n / len(text) for n in counts[:-1]),
    ]


def surface_auc(challenges: Sequence[Challenge]) -> float:
    """Return the AUC of a logistic regression on surface features, cross-validated over challenges.

    0.5 where there are too few challenges for the folds, or there is no noise.
    """
    sentences = [sentences_of(challenge) for challenge in challenges]
    rows = np.array([surface_features(s) for of_one in sentences for s in of_one], dtype=np.float64)
    labels = np.array([s.noise for of_one in sentences for s in of_one], dtype=np.bool_)
    fold = np.array([i % _FOLDS for i, of_one in enumerate(sentences) for _ in of_one])
    if len(challenges) < 2 * _FOLDS or not 0 < labels.sum() < len(labels):
        return 0.5
    scores = np.zeros(len(labels))
    for k in range(_FOLDS):
        train = fold != k
        mean, spread = rows[train].mean(axis=0), rows[train].std(axis=0)
        standard = (rows - mean) / np.where(spread > 0, spread, 1.0)
        inputs = np.column_stack((np.ones(len(rows)), standard))
        scores[~train] = inputs[~train] @ _logistic(inputs[train], labels[train])
    return auc(scores, labels)


def topic_auc(challenges: Sequence[Challenge]) -> float:
    """Return the AUC of a sentence's distance from its document's topic, over the sentences of all challenges."""
    documents = [sentences_of(challenge) for challenge in challenges]
    scores = topic_scores([[s.text for s in document] for document in documents])
    labels = np.array([s.noise for document in documents for s in document], dtype=np.bool_)
    return auc(-np.concatenate([np.zeros(0), *scores]), labels)


def topic_scores(documents: Sequence[Sequence[str]]) -> list[Floats]:
    """Return how much each sentence of each document is about what the document is about, cosines from 0 to 1.

    Sentences are TF-IDF vectors, with the idf of all documents. A document's topic is the weighted sum of its
    sentences; each is compared with the topic of the others, and those that are least like it lose their weight.
    """
    terms = {text: Counter(token_string(text).split()) for document in documents for text in document}
    frequency = Counter(term for counts in terms.values() for term in counts)
    idf = {term: float(np.log((1 + len(terms)) / (1 + n))) for term, n in frequency.items()}
    scores = []
    for document in documents:
        columns = {term: i for i, term in enumerate(dict.fromkeys(t for text in document for t in terms[text]))}
        matrix = np.zeros((len(document), len(columns) + 1))
        for row, text in enumerate(document):
            for term, n in terms[text].items():
                matrix[row, columns[term]] = (1 + np.log(n)) * idf[term] ** 2
        scores.append(_topicality(_unit(matrix)))
    return scores


def auc(scores: Floats, labels: Bools) -> float:
    """Return the area under the ROC curve, ties counted half; 0.5 where there is but one class."""
    positive, negative = int(labels.sum()), int((~labels).sum())
    if not positive or not negative:
        return 0.5
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[labels].sum() - positive * (positive + 1) / 2) / (positive * negative))


def _topicality(matrix: Floats) -> Floats:
    weights, scores = np.ones(len(matrix)), np.zeros(len(matrix))
    for _ in range(_ROUNDS):
        own = weights[:, None] * matrix
        scores = np.einsum("ij,ij->i", matrix, _unit(own.sum(axis=0) - own))
        ranks = np.argsort(np.argsort(scores, kind="stable"), kind="stable") / max(1, len(scores) - 1)
        weights = np.clip((ranks - _LEFT_OUT) / (1 - _LEFT_OUT), 0.0, 1.0)
    return scores


def _unit(matrix: Floats) -> Floats:
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    result: Floats = matrix / np.where(norms > 0, norms, 1.0)
    return result


def _logistic(inputs: Floats, labels: Bools) -> Floats:
    """Return the coefficients of a ridge logistic regression, by Newton's method; the first column is constant."""
    beta = np.zeros(inputs.shape[1])
    penalty = np.full(inputs.shape[1], _RIDGE)
    penalty[0] = 0.0
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ beta, -30, 30)))
        gradient = inputs.T @ (labels - chance) - penalty * beta
        # The floor keeps the system solvable where classes separate.
        curvature = (inputs * np.maximum(chance * (1 - chance), 1e-6)[:, None]).T @ inputs + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return beta
