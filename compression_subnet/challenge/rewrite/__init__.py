"""Rewriting against look-up: other names, dates and numbers in texts that exist, and the checks of a paraphrase."""

from compression_subnet.challenge.rewrite.apply import apply
from compression_subnet.challenge.rewrite.article import rewrite_article
from compression_subnet.challenge.rewrite.lookup import SentenceIndex
from compression_subnet.challenge.rewrite.paraphrase import Paraphrased, Paraphraser, paraphrase_article, refusal
from compression_subnet.challenge.rewrite.plan import make_map
from compression_subnet.challenge.rewrite.types import Kept, Replacement, RewriteMap, Rewritten, Survivor

__all__ = [
    "Kept",
    "Paraphrased",
    "Paraphraser",
    "Replacement",
    "RewriteMap",
    "Rewritten",
    "SentenceIndex",
    "Survivor",
    "apply",
    "make_map",
    "paraphrase_article",
    "refusal",
    "rewrite_article",
]
