"""How long a validator may rightly be silent, from its settings."""

import math
from typing import Final

from compression_subnet.settings import ValidatorSettings
from compression_subnet.transport.dendrite import most_jitter

__all__ = ["longest_silence"]

MAX_MINERS: Final = 256
"""Most uids of a subnet, by the chain's own bound."""
ARTICLE_SECONDS: Final = 1800.0
"""Bound of one article's preparation (``challenge.prepare.Preparer``)."""
BACKOFF_SECONDS: Final = 300.0
"""Longest wait between two tries, of the service and of the pool alike."""
MARGIN_SECONDS: Final = 60.0


def longest_silence(settings: ValidatorSettings, *, is_prepared: bool) -> float:
    """Return the seconds within which something goes on in the slowest round that is still in order.

    A challenge tells when it is finished, and so do each text that the judge has answered for, each phase of the
    service, and each call to the chain, whatever came of it. Between two of these lie at most::

        ceil(256 / dendrite.concurrency) * neuron.parallel * (dendrite.timeout + jitter)   all asked, all silent
        + judge.reply_timeout                                                              one text's answers
        + 1800, where texts are written or prepared                                        one article
        + 2 * subtensor.timeout + neuron.poll_seconds                                      a call, and one after it
        + 300                                                                              a wait after a failure
        + 60                                                                               for the machine

    which are added, though they hardly ever come together: to end a process that works costs a round.

    Args:
        settings: the validator's.
        is_prepared: whether articles are written or prepared ahead.
    """
    dendrite = settings.dendrite
    turns = math.ceil(MAX_MINERS / dendrite.concurrency) * settings.neuron.parallel
    return (
        turns * (dendrite.timeout + most_jitter(dendrite.jitter, dendrite.timeout))
        + settings.judge.reply_timeout
        + (ARTICLE_SECONDS if is_prepared else 0.0)
        + 2 * settings.subtensor.timeout
        + settings.neuron.poll_seconds
        + BACKOFF_SECONDS
        + MARGIN_SECONDS
    )
