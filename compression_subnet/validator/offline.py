"""Replies from a file, scored as a round scores what comes over the wire."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from compression_subnet.challenge.corpus import first_fault
from compression_subnet.challenge.files import read_challenges
from compression_subnet.challenge.types import Challenge
from compression_subnet.errors import ConfigurationError
from compression_subnet.protocol import max_reply_bytes
from compression_subnet.scoring import Average, ChallengeScore, Standing, normalise
from compression_subnet.text import Tokenizer, canonical
from compression_subnet.transport.outcomes import Failed, Failure, Outcome, Replied
from compression_subnet.validator.rounds.judging import Judges, score_challenge
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult, MinerResult

__all__ = ["Reply", "assign", "load_challenges", "load_replies", "result_of", "score_all", "standing_of"]

PARALLEL: Final = 8
"""Challenges in work at once; the judge bounds its calls itself."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a file.

    Attributes:
        challenge_id: which challenge it answers.
        level: at which level it was asked, in per cent.
        compressed_text: as a miner would send it; None stands for no reply.
        miner: whose; empty where the file does not say.
    """

    challenge_id: str
    level: int
    compressed_text: str | None
    miner: str = ""


class _ReplyRecord(BaseModel):
    # Of a reply nothing else is read; files may hold more.
    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)

    challenge_id: str
    level: Literal[20, 40, 60]
    compressed_text: str | None
    miner: str = ""


def load_challenges(path: Path, tokenizer: Tokenizer) -> dict[str, Challenge]:
    """Return the challenges of a file by id, in its order.

    Raises:
        ConfigurationError: the file is unreadable or empty, or a line is no challenge that can be scored; the message
            names file, line and fix.
    """
    challenges: dict[str, Challenge] = {}
    for number, challenge in read_challenges(path):
        if complaint := _complaint(challenge, challenges, tokenizer):
            raise ConfigurationError(f"{path}, line {number}: {complaint}")
        challenges[challenge.id] = challenge
    if not challenges:
        raise ConfigurationError(f"{path} holds no challenge; make some with `compression-subnet challenges build`")
    return challenges


def load_replies(path: Path, challenges: Mapping[str, Challenge]) -> list[Reply]:
    """Return the replies of a file, in its order.

    Raises:
        ConfigurationError: the file is unreadable or empty, a line is no reply, answers no challenge of
            ``challenges``, or repeats another; the message names file, line and fix.
    """
    replies: list[Reply] = []
    lines: dict[tuple[str, int, str], int] = {}
    for number, line in _lines(path):
        try:
            record = _ReplyRecord.model_validate(json.loads(line))
        except (json.JSONDecodeError, RecursionError) as error:
            raise ConfigurationError(f"{path}, line {number}: no JSON object ({error}); correct it") from None
        except ValidationError as error:
            raise ConfigurationError(f"{path}, line {number}: {first_fault(error)}") from None
        if record.challenge_id not in challenges:
            raise ConfigurationError(
                f"{path}, line {number}: there is no challenge {record.challenge_id!r}; give the file of challenges "
                "that the replies belong to"
            )
        key = (record.challenge_id, record.level, record.miner)
        if key in lines:
            raise ConfigurationError(
                f"{path}, line {number}: challenge {record.challenge_id!r} at level {record.level} is answered in line "
                f"{lines[key]} already; remove one, or give each reply its 'miner'"
            )
        lines[key] = number
        replies.append(Reply(record.challenge_id, record.level, record.compressed_text, record.miner))
    if not replies:
        raise ConfigurationError(f"{path} holds no reply; write an object with challenge_id, level, compressed_text")
    return replies


def assign(
    challenges: Mapping[str, Challenge], replies: Iterable[Reply]
) -> list[tuple[Assignment, dict[str, Outcome]]]:
    """Return each challenge at each level that was answered, with what every miner answered."""
    outcomes: dict[tuple[str, int], dict[str, Outcome]] = {}
    for reply in replies:
        of_challenge = outcomes.setdefault((reply.challenge_id, reply.level), {})
        of_challenge[reply.miner] = _outcome(reply, challenges[reply.challenge_id])
    return [(Assignment(challenges[id], level), found) for (id, level), found in outcomes.items()]


async def score_all(
    work: Sequence[tuple[Assignment, Mapping[str, Outcome]]],
    judges: Judges,
    tokenizer: Tokenizer,
    finished: Callable[[], None] = lambda: None,
) -> list[ChallengeResult]:
    """Return what each assignment's outcomes are worth, in their order.

    Args:
        work: from ``assign``.
        judges: whom controls and replies are put to.
        tokenizer: the pinned one.
        finished: called after each.
    """
    slots = asyncio.Semaphore(PARALLEL)

    async def one(assignment: Assignment, outcomes: Mapping[str, Outcome]) -> ChallengeResult:
        async with slots:
            result = await score_challenge(assignment, outcomes, judges, tokenizer)
        finished()
        return result

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(assignment, outcomes)) for assignment, outcomes in work]
    except* Exception as errors:
        raise errors.exceptions[0] from None
    return [task.result() for task in tasks]


def result_of(reply: Reply, results: Mapping[tuple[str, int], ChallengeResult]) -> tuple[MinerResult, bool]:
    """Return what became of a reply, and whether it counts: not where the judge failed on it or on the controls.

    Args:
        reply: one that was scored.
        results: by challenge and level.
    """
    challenge = results[reply.challenge_id, reply.level]
    miner = next(m for m in challenge.miners if m.hotkey == reply.miner)
    return miner, challenge.controls.settled and miner.score is not None


def standing_of(results: Iterable[ChallengeResult], miner: str | None = None) -> Standing:
    """Return S per level, the weighted score and their errors, of one miner or of all replies together."""
    scores: list[ChallengeScore] = [
        score for result in results for hotkey, score in result.scores() if miner is None or hotkey == miner
    ]
    # One epoch, in which nothing is forgotten.
    return Average.empty(0).update(0, scores, 1.0).standing()


def _outcome(reply: Reply, challenge: Challenge) -> Outcome:
    if reply.compressed_text is None:
        return Failed(Failure.UNREACHABLE, 0.0)
    size = len(reply.compressed_text.encode("utf-8", "surrogatepass"))
    if size > max_reply_bytes(challenge.text):
        return Failed(Failure.TOO_LARGE, 0.0)
    return Replied(reply.compressed_text, 0.0, size)


def _complaint(challenge: Challenge, before: Mapping[str, Challenge], tokenizer: Tokenizer) -> str | None:
    """Return why a challenge cannot be scored, and what to do about it; None where it can."""
    if challenge.id in before:
        return f"the id {challenge.id!r} was used before; give each challenge its own"
    if not challenge.text.strip() or canonical(challenge.text) != challenge.text:
        return "the text is blank or not in canonical form; build the file with `compression-subnet challenges build`"
    if (count := tokenizer.count(challenge.text)) != challenge.n_tokens:
        return f"n_tokens is {challenge.n_tokens}, and {tokenizer.name} counts {count}; correct it"
    if not challenge.questions:
        return "there is no question; give at least one, or remove the challenge"
    for question in challenge.questions:
        if not question.text.strip():
            return "a question is blank; write it, or remove it"
        if not question.gold or not all(normalise(gold) for gold in question.gold):
            return f"the question {question.text!r} has a blank gold answer or none; give it one"
    return None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read ({error.strerror}); name a readable file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 (byte {error.start}); convert it with iconv") from error
