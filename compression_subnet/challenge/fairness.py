"""Whether challenges are fair, in figures: what truncation keeps, where evidence lies, what noise can be told by."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from compression_subnet.challenge.separability import surface_auc, topic_auc
from compression_subnet.challenge.stats import ChallengeStats, Uniformity, describe, evidence_positions, uniformity
from compression_subnet.challenge.types import Challenge
from compression_subnet.text.tokens import Tokenizer

__all__ = ["Fairness", "distinct_positions", "measure"]


@dataclass(frozen=True, slots=True)
class Fairness:
    """Figures over some challenges; shares and probabilities are from 0 to 1.

    Attributes:
        stats: sizes, noise, evidence, kinds.
        base_texts: how many different base texts there are.
        distinct: uniformity of evidence positions, each question of a base text once: the others are not
            independent of it.
        surface: AUC by which a logistic regression on length, punctuation and layout tells noise; 0.5 is chance.
        topic: AUC by which distance from the text's topic tells it.
    """

    stats: ChallengeStats
    base_texts: int
    distinct: Uniformity
    surface: float
    topic: float


def measure(challenges: Sequence[Challenge], tokenizer: Tokenizer) -> Fairness:
    """Return the figures; without challenges all are those of chance."""
    return Fairness(
        stats=describe(challenges, tokenizer),
        base_texts=len(Counter(c.base_text for c in challenges)),
        distinct=uniformity(distinct_positions(challenges)),
        surface=surface_auc(challenges),
        topic=topic_auc(challenges),
    )


def distinct_positions(challenges: Sequence[Challenge]) -> list[float]:
    """Return the positions of evidence where each question of a base text is first asked."""
    seen: set[tuple[str, str]] = set()
    positions: list[float] = []
    for challenge in challenges:
        for question, position in zip(challenge.questions, evidence_positions(challenge), strict=True):
            if (challenge.base_text, question.text) not in seen:
                seen.add((challenge.base_text, question.text))
                positions.append(position)
    return positions
