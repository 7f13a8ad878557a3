"""Answering questions from a compressed text: the judge's contract, the model it asks, and what scores depend on.

The embedded reader is in ``judge.reader``, the servers in ``judge.serving``: both load heavy libraries.
"""

from compression_subnet.judge.cache import AnswerCache, CachedAnswerer
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.endpoint import CallLimits, Endpoint, load_api_key
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.profile import Profile
from compression_subnet.judge.prompt import Prompt, load_prompt
from compression_subnet.judge.types import Answer, Answerer, AnswerStatus, Usage

__all__ = [
    "Answer",
    "AnswerCache",
    "AnswerStatus",
    "Answerer",
    "CachedAnswerer",
    "CallLimits",
    "Endpoint",
    "OpenAIAnswerer",
    "Prices",
    "Profile",
    "Prompt",
    "Usage",
    "load_api_key",
    "load_prompt",
]
