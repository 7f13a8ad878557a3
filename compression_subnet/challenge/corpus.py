"""Where base texts come from: the built-in articles, and files in the same format."""

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, Protocol

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from compression_subnet.challenge.admission import admit_question, admit_text
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.text.canonical import canonical

__all__ = ["BuiltinCorpus", "CorpusSource", "JsonlCorpus", "QuestionRecord", "admit_record", "first_fault"]

_Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class CorpusSource(Protocol):
    """Anything that yields articles: admitted, so canonical and with questions that can be scored."""

    def articles(self) -> Iterator[Article]:
        """Yield every article once, in an order that stays the same.

        Raises:
            ConfigurationError: the source cannot be read, or holds what is no article; the message names file,
                place and fix.
        """


class QuestionRecord(BaseModel):
    """A question as files hold it: ``evidence`` is a stretch of the text, verbatim, that occurs once."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    question: _Text
    gold: Annotated[list[_Text], Field(min_length=1)]
    evidence: _Text
    kind: _Text


class _ArticleRecord(BaseModel):
    # Fields that only describe the article (its licence, say) are welcome and not read.
    model_config = ConfigDict(extra="ignore", frozen=True)

    id: _Text
    title: str = ""
    text: _Text
    questions: list[QuestionRecord]


class JsonlCorpus:
    """Articles from a JSON Lines file, one object a line.

    An object has ``id``, ``title``, ``text`` and ``questions``; a question has ``question``, ``gold`` (a list),
    ``evidence`` (a stretch of ``text``, verbatim, that occurs once) and ``kind``.
    """

    def __init__(self, path: Path | str):
        self._file: Path | Traversable = Path(path)

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the file's order.

        Raises:
            ConfigurationError: the file is missing or not UTF-8, or a line is no admissible article.
        """
        yield from _read(self._file, str(self._file))


class BuiltinCorpus:
    """The articles that come with the package: public, so for demos, tests and benchmarks only."""

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the file's order.

        Raises:
            ConfigurationError: the package's data is missing or altered.
        """
        file = resources.files("compression_subnet.challenge") / "data" / "articles.jsonl"
        if not file.is_file():
            raise ConfigurationError("the built-in articles are missing; install compression-subnet anew")
        yield from _read(file, "data/articles.jsonl")


def _read(file: Path | Traversable, name: str) -> Iterator[Article]:
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except FileNotFoundError as error:
        raise ConfigurationError(f"there is no corpus file {name}; name an existing one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"the corpus file {name} cannot be read as UTF-8: {error}") from error
    seen: set[str] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = _ArticleRecord.model_validate_json(line)
            if record.id in seen:
                raise InputError(f"the id {record.id!r} was used on an earlier line; give each article its own")
            seen.add(record.id)
            article = _article(record)
        except ValidationError as error:
            raise ConfigurationError(f"{name}, line {number}: {first_fault(error)}") from error
        except InputError as error:
            raise ConfigurationError(f"{name}, line {number}: {error}") from error
        yield article
    if not seen:
        raise ConfigurationError(f"the corpus file {name} has no article; write one JSON object a line")


def first_fault(error: ValidationError) -> str:
    """Return the first of pydantic's complaints as one phrase: where, what, and how many more."""
    first, more = error.errors(include_url=False)[0], error.error_count() - 1
    where = ".".join(str(part) for part in first["loc"]) or "the object"
    return f"{where}: {first['msg']}; correct it" + (f" (and {more} more)" if more else "")


def admit_record(entry: QuestionRecord, text: str) -> Question:
    """Return the question of a file about the admitted ``text``, its evidence a range of it.

    Raises:
        InputError: the evidence does not occur just once, or the question cannot be used.
    """
    evidence = canonical(entry.evidence).strip()
    occurrences = text.count(evidence) if evidence else 0
    if occurrences != 1:
        raise InputError(
            f"the evidence of {entry.question!r} occurs {occurrences} times in the text; "
            "quote one stretch of it that occurs once"
        )
    start = text.index(evidence)
    return admit_question(
        Question(entry.question, tuple(entry.gold), Span(start, start + len(evidence)), entry.kind), text
    )


def _article(record: _ArticleRecord) -> Article:
    text = admit_text(record.text)
    asked: dict[str, Question] = {}
    for entry in record.questions:
        question = admit_record(entry, text)
        if question.text in asked:
            raise InputError(f"{question.text!r} is asked twice; keep one")
        asked[question.text] = question
    return Article(record.id, record.title, text, tuple(asked.values()))
