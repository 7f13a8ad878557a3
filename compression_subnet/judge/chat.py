"""A model that writes: what it can be asked for, what it costs, and how structured output is read.

It is not the judge: a stronger model may write than answers. Nothing that it returns is trusted here beyond its
form; whoever asks checks the contents.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from compression_subnet.judge.prompt import Message
from compression_subnet.judge.types import Usage

__all__ = ["ChatModel", "ChatTally", "parse_json"]

Shape = TypeVar("Shape", bound=BaseModel)

_MAX_STARTS: Final = 64


class ChatModel(Protocol):
    """A model that can be asked to write."""

    async def write(self, messages: Sequence[Message], *, seed: int | None = None) -> str:
        """Return the model's text, not blank.

        Args:
            messages: the chat.
            seed: for sampling, where the endpoint takes one.

        Raises:
            ProviderFault: the provider's side failed, all tries long or up to the deadline.
            ContentFault: the model was reached and gave nothing usable in any try.
        """

    async def fill(self, messages: Sequence[Message], shape: type[Shape], *, seed: int | None = None) -> Shape:
        """Return the model's reply as a ``shape``. Raises as ``write`` does."""


@dataclass(frozen=True, slots=True)
class ChatTally:
    """What a model has cost and how it failed so far.

    Attributes:
        calls: requests sent.
        usage: tokens, as the provider counted them, failed tries included.
        faults: kind and detail of each failed try, and how often.
        takes_schema: whether the endpoint takes a JSON schema; None until that is known.
    """

    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    faults: Mapping[str, int] = field(default_factory=dict)
    takes_schema: bool | None = None


def parse_json(reply: str, shape: type[Shape]) -> Shape | None:
    """Return the first JSON object in ``reply`` that is a ``shape``, whatever prose or fence stands around it.

    None if there is none, as in a reply that was cut off. What a model thought aloud first is not read.
    """
    reply = reply.rpartition("</think>")[2]
    decoder = json.JSONDecoder()
    start = -1
    for _ in range(_MAX_STARTS):
        start = reply.find("{", start + 1)
        if start < 0:
            return None
        try:
            return shape.model_validate(decoder.raw_decode(reply, start)[0])
        except (json.JSONDecodeError, ValidationError, RecursionError):
            continue
    return None
