"""From corpus to challenge: base text, noise, questions, and the filter that keeps the questions that measure."""

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.corpus import BuiltinCorpus, CorpusSource, JsonlCorpus
from compression_subnet.challenge.filters import keep_answerable
from compression_subnet.challenge.levels import assign_levels
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.squad import SquadCorpus
from compression_subnet.challenge.types import Article, Challenge, Question, Span

__all__ = [
    "Article",
    "BuiltinCorpus",
    "Challenge",
    "ChallengeBuilder",
    "ChallengeSettings",
    "CorpusSource",
    "JsonlCorpus",
    "NoiseSettings",
    "Question",
    "Span",
    "SquadCorpus",
    "assign_levels",
    "keep_answerable",
]
