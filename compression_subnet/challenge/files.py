"""Challenges in a JSON Lines file: one object a line, the same bytes for the same challenges everywhere."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from compression_subnet.challenge.corpus import first_fault
from compression_subnet.challenge.types import Challenge, Question, Span
from compression_subnet.errors import ConfigurationError

__all__ = ["MalformedLine", "challenge_line", "read_challenges", "write_challenges"]

_Range = tuple[Annotated[int, Field(ge=0)], Annotated[int, Field(ge=0)]]


class MalformedLine(ConfigurationError):
    """A line of a file is no challenge.

    Attributes:
        line: its number, from 1.
    """

    def __init__(self, line: int, message: str):
        super().__init__(message)
        self.line = line


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _QuestionRecord(_Record):
    question: str
    gold: list[str]
    evidence: Annotated[_Range, Field(strict=False)]
    kind: str


class _ChallengeRecord(_Record):
    id: str
    text: str
    n_tokens: int
    base_text: str
    noise: list[Annotated[_Range, Field(strict=False)]]
    questions: list[_QuestionRecord]
    seed: int
    source: str


def challenge_line(challenge: Challenge) -> str:
    """Return the challenge as one line of JSON, without the line's end; spans are ``[start, end]`` in ``text``."""
    record: dict[str, Any] = {
        "id": challenge.id,
        "text": challenge.text,
        "n_tokens": challenge.n_tokens,
        "base_text": challenge.base_text,
        "noise": [[span.start, span.end] for span in challenge.noise],
        "questions": [
            {
                "question": q.text,
                "gold": list(q.gold),
                "evidence": [q.evidence.start, q.evidence.end],
                "kind": q.kind,
            }
            for q in challenge.questions
        ],
        "seed": challenge.seed,
        "source": challenge.source,
    }
    return json.dumps(record, ensure_ascii=False)


def write_challenges(path: Path, challenges: Iterable[Challenge]) -> int:
    """Write the challenges to the file ``path``, and return how many there were.

    They are written to a file beside it, which takes its place at the end: a run that is broken off leaves none.

    Raises:
        ConfigurationError: the file cannot be written.
    """
    partial = path.with_name(f"{path.name}.partial")
    count = 0
    try:
        # Bytes: a text file would end its lines in another way on Windows.
        with partial.open("wb") as file:
            for challenge in challenges:
                file.write(challenge_line(challenge).encode() + b"\n")
                count += 1
        partial.replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written ({error.strerror}); name another file") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def read_challenges(path: Path) -> Iterator[tuple[int, Challenge]]:
    """Yield the challenges of a file with the numbers of their lines; blank lines are passed over.

    Raises:
        MalformedLine: a line is no challenge.
        ConfigurationError: the file cannot be read as UTF-8.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if not line.strip():
                    continue
                try:
                    record = _ChallengeRecord.model_validate_json(line)
                except ValidationError as error:
                    raise MalformedLine(number, f"{path}, line {number}: {first_fault(error)}") from error
                yield number, _challenge(record)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read ({error.strerror}); name a readable file") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8: {error}; build it anew") from error


def _challenge(record: _ChallengeRecord) -> Challenge:
    return Challenge(
        id=record.id,
        text=record.text,
        n_tokens=record.n_tokens,
        base_text=record.base_text,
        noise=tuple(Span(*pair) for pair in record.noise),
        questions=tuple(Question(q.question, tuple(q.gold), Span(*q.evidence), q.kind) for q in record.questions),
        seed=record.seed,
        source=record.source,
    )
