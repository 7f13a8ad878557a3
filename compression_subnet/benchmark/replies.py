"""Asking every compressor for every challenge, one text at a time, so that times are not those of a crowd."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from compression_subnet.benchmark.journal import ReplyJournal, reply_key
from compression_subnet.benchmark.process import Compressed, CompressorProcess
from compression_subnet.protocol import max_reply_bytes
from compression_subnet.scoring import budget_tokens
from compression_subnet.text import Tokenizer
from compression_subnet.transport.outcomes import Failed, Failure, Outcome, Replied
from compression_subnet.validator.rounds.results import Assignment

__all__ = ["Replies", "ask_compressors", "outcome_of"]

Replies = Mapping[str, Mapping[str, Compressed]]
"""By compressor, then by challenge's id."""


async def ask_compressors(
    names: Sequence[str],
    assignments: Sequence[Assignment],
    tokenizer: Tokenizer,
    deadline: float,
    journal: ReplyJournal,
    logs: Path,
    asked: Callable[[], None],
) -> Replies:
    """Return what every compressor makes of every challenge.

    Args:
        names: of the compressors.
        assignments: challenges at their levels.
        tokenizer: the pinned one.
        deadline: of one text, in seconds.
        journal: what is in it is not asked again.
        logs: folder for what compressors print.
        asked: called after each reply.

    Raises:
        CompressorError: one cannot be found, or fails on a first, short text.
    """
    found: dict[str, dict[str, Compressed]] = {}
    for number, name in enumerate(names, start=1):
        log = logs / f"compressor-{number}.log"
        async with CompressorProcess(name, tokenizer, deadline, log) as compressor:
            of_one = found.setdefault(name, {})
            for assignment in assignments:
                challenge = assignment.challenge
                tokens = budget_tokens(challenge.n_tokens, assignment.level)
                key = reply_key(name, compressor.fingerprint, challenge.text, tokens, deadline)
                reply = journal.find(key)
                if reply is None:
                    reply = await compressor.compress(challenge.text, tokens)
                    journal.keep(key, reply)
                of_one[challenge.id] = reply
                asked()
    return found


def outcome_of(reply: Compressed, text: str) -> Outcome:
    """Return what a validator would see of ``reply`` to ``text``."""
    if reply.text is None:
        return Failed(Failure.TIMEOUT if reply.late else Failure.STATUS, reply.seconds)
    size = len(reply.text.encode("utf-8", "surrogatepass"))
    if size > max_reply_bytes(text):
        return Failed(Failure.TOO_LARGE, reply.seconds)
    return Replied(reply.text, reply.seconds, size)
