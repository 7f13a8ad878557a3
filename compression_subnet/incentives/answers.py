"""Which questions a miner's reply answers: a distribution with the moments of a measured run.

From ``compression-subnet benchmark --compressor reference --compressor textrank --compressor tfidf --compressor
truncation --compressor random --challenges 96 --seed 3 --challenge.max-tokens 900`` (the embedded judge; 480 replies,
2,400 answers), through ``benchmarks/incentive_moments.py``:

- 97 % of answers have an F1 under 0.05 or over 0.95, so that a question is answered or not.
- Two compressors of different make answer the same question with a tetrachoric correlation of about 0.15; the two of
  similar make, reference and textrank, with 0.5 to 0.9.
- A reply that answers one question answers another of its challenge less often, since they share a budget and lie
  apart in the text. Truncation aside, the correlation is -0.10.
- Whole challenges are hardly easier or harder than others: 0.00 between different questions and different miners.
- Head truncation keeps the evidence that lies in its part of the text, and evidence is spread evenly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["MEASURED", "QUESTIONS", "Scores", "Skill", "draw_answers", "draw_baseline", "skill"]

Scores = npt.NDArray[np.float64]

QUESTIONS: Final = 5
"""Of a challenge, by default."""
MEASURED: Final[Mapping[str, Mapping[int, float]]] = MappingProxyType(
    {
        "reference": MappingProxyType({20: 0.349, 40: 0.583, 60: 0.738}),
        "truncation": MappingProxyType({20: 0.220, 40: 0.403, 60: 0.621}),
        "random": MappingProxyType({20: 0.204, 40: 0.375, 60: 0.662}),
    }
)
"""S(b) of the run's compressors, by level."""
_SHARED: Final = 0.15
_WITHIN: Final = -0.10


@dataclass(frozen=True, slots=True)
class Skill:
    """What a miner would answer at a level.

    Attributes:
        probability: of any question.
        source: number of the compressor that it replies with.
        alike: correlation with others of that source, beyond what all miners share.
    """

    probability: float
    source: int
    alike: float


def skill(method: str, level: int, shift: float, source: int, alike: float) -> Skill:
    """Return the skill of a miner whose method scores as measured, shifted on the probit scale."""
    normal = NormalDist()
    return Skill(normal.cdf(normal.inv_cdf(MEASURED[method][level]) + shift), source, alike)


def draw_answers(skills: Sequence[Skill], challenges: int, rng: np.random.Generator) -> Scores:
    """Return F of each miner on each challenge [miners, challenges].

    Each answer is a threshold on a standard normal that is made of a part that all miners share, one that the miners
    of a source share, and one of the miner's own.
    """
    sources = {source: i for i, source in enumerate(dict.fromkeys(s.source for s in skills))}
    shape = (challenges, QUESTIONS)
    everyone = rng.standard_normal(shape)
    made = rng.standard_normal((len(sources), *shape))[[sources[s.source] for s in skills]]
    own = rng.standard_normal((len(skills), *shape))
    alike = np.array([s.alike for s in skills])[:, None, None]
    latent = np.sqrt(_SHARED) * everyone + np.sqrt(1 - _SHARED) * (np.sqrt(alike) * made + np.sqrt(1 - alike) * own)
    normal = NormalDist()
    thresholds = np.array([normal.inv_cdf(s.probability) for s in skills])[:, None, None]
    answered: Scores = (_competing(latent) < thresholds).mean(axis=2)
    return answered


def draw_baseline(level: int, challenges: int, rng: np.random.Generator) -> Scores:
    """Return F of head truncation on each challenge [challenges].

    One question's evidence lies in each fifth of the text, anywhere in it.
    """
    places = (np.arange(QUESTIONS) + rng.random((challenges, QUESTIONS))) / QUESTIONS
    kept: Scores = (places < MEASURED["truncation"][level]).mean(axis=1)
    return kept


def _competing(latent: Scores) -> Scores:
    """Return standard normals whose correlation between a challenge's questions is ``_WITHIN``; it is 0 in ``latent``.

    x - a·mean(x) has the correlation -t / (n - t), with t = 2a - a² and n questions.
    """
    t = -_WITHIN * QUESTIONS / (1 - _WITHIN)
    share = 1 - np.sqrt(1 - t)
    mixed = latent - share * latent.mean(axis=-1, keepdims=True)
    return np.asarray(mixed / np.sqrt(1 - t / QUESTIONS))
