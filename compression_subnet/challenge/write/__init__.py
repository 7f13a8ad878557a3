"""What a model writes for challenges: questions, texts that nobody has, paraphrases, adversarial noise.

Nothing that a model returns is trusted: our own code checks each claim, and counts what it refuses and why.
"""

from compression_subnet.challenge.write.brief import Brief, distinct_briefs, draw_brief
from compression_subnet.challenge.write.near_miss import NearMisses, write_near_misses
from compression_subnet.challenge.write.paraphraser import ModelParaphraser
from compression_subnet.challenge.write.prompting import prompt_hashes
from compression_subnet.challenge.write.questions import QuestionReport, QuestionWriter, WrittenQuestions
from compression_subnet.challenge.write.written import (
    CorpusTally,
    Provenance,
    WrittenArticle,
    WrittenCorpus,
    WrittenSettings,
)

__all__ = [
    "Brief",
    "CorpusTally",
    "ModelParaphraser",
    "NearMisses",
    "Provenance",
    "QuestionReport",
    "QuestionWriter",
    "WrittenArticle",
    "WrittenCorpus",
    "WrittenQuestions",
    "WrittenSettings",
    "distinct_briefs",
    "draw_brief",
    "prompt_hashes",
    "write_near_misses",
]
