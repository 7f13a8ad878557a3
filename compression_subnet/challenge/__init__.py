"""From corpus to challenge: base text, noise, questions, and the filter that keeps the questions that measure."""

from compression_subnet.challenge.build import ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.corpus import BuiltinCorpus, CorpusSource, JsonlCorpus
from compression_subnet.challenge.filters import keep_answerable
from compression_subnet.challenge.levels import assign_levels
from compression_subnet.challenge.made import Recipe
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.sources import FallbackCorpus, open_source
from compression_subnet.challenge.squad import SquadCorpus
from compression_subnet.challenge.store import ChallengeStore
from compression_subnet.challenge.types import Article, Challenge, Question, Span

__all__ = [
    "Article",
    "BuiltinCorpus",
    "Challenge",
    "ChallengeBuilder",
    "ChallengeSettings",
    "ChallengeStore",
    "CorpusSource",
    "FallbackCorpus",
    "JsonlCorpus",
    "NoiseSettings",
    "Question",
    "Recipe",
    "Span",
    "SquadCorpus",
    "assign_levels",
    "keep_answerable",
    "open_source",
]
