"""Which of the texts that wait go to a worker together. Pure."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from compression_subnet.miner.speed import Speed
from compression_subnet.miner.work import Result, Work

__all__ = ["Job", "choose_batch"]

# A batch may take this share of the time that its most urgent text has left, by the measured speed.
_SHARE_OF_TIME: Final = 0.5


@dataclass(slots=True, eq=False)
class Job:
    """A text that waits for a worker.

    Attributes:
        work: what is to be done.
        tokens: of the text, by what the request says of itself; an estimate.
        arrived: when, by the miner's clock.
        until: when nobody will want the result any more.
        result: for whoever waits; done early where nobody does.
    """

    work: Work
    tokens: int
    arrived: float
    until: float
    result: asyncio.Future[Result] = field(repr=False)


def choose_batch(waiting: Sequence[Job], *, budget: int, now: float, speed: Speed) -> list[Job]:
    """Return a batch from the head of ``waiting``: always the first, and what fits beside it.

    No text overtakes one that came before it, so none waits for ever.

    Args:
        waiting: in the order of arrival; not empty.
        budget: most tokens of the batch, unless its first text alone has more.
        now: by the miner's clock.
        speed: of the worker.
    """
    batch = [waiting[0]]
    tokens, urgent = waiting[0].tokens, waiting[0].until
    for job in waiting[1:]:
        tokens, urgent = tokens + job.tokens, min(urgent, job.until)
        if tokens > budget or speed.seconds(tokens) > _SHARE_OF_TIME * (urgent - now):
            break
        batch.append(job)
    return batch
