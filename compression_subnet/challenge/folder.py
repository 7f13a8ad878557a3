"""Base texts from a folder of plain text or Markdown files."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from loguru import logger
from pydantic import StringConstraints, ValidationError

from compression_subnet.challenge.admission import admit_text
from compression_subnet.challenge.corpus import QuestionRecord, admit_record, first_fault
from compression_subnet.challenge.types import Article
from compression_subnet.errors import ConfigurationError, InputError

__all__ = ["QUESTIONS_FILE", "FolderCorpus"]

QUESTIONS_FILE: Final = "questions.jsonl"
_SUFFIXES: Final = frozenset({".txt", ".md"})


class _FileQuestion(QuestionRecord):
    file: Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]


class FolderCorpus:
    """Articles from the ``*.txt`` and ``*.md`` files in and under a folder, UTF-8, one article a file.

    Questions stand in ``questions.jsonl`` in that folder, an object a line: ``file`` (the path within the folder,
    with ``/``), ``question``, ``gold``, ``evidence`` and ``kind``, as in ``JsonlCorpus``. Without that file, or for
    a file that it does not name, an article has no questions, which a question writer may then add.

    A text that MECHANISM 5 does not admit is left out with a warning that names it: a folder may be large.

    Args:
        path: the folder.
    """

    def __init__(self, path: Path | str):
        self._path = Path(path)

    def articles(self) -> Iterator[Article]:
        """Yield an article a file, in the order of their paths.

        Raises:
            ConfigurationError: the folder is missing or unreadable, holds no admissible text, or a line of the
                questions is unusable.
        """
        files = self._files()
        asked = self._questions(set(files))
        admitted = 0
        for name, path in files.items():
            try:
                text = admit_text(path.read_text(encoding="utf-8-sig"))
            except OSError as error:
                raise ConfigurationError(f"{path} cannot be read ({error.strerror}); check its permissions") from error
            except UnicodeDecodeError:
                logger.warning("{} is not UTF-8 and is left out; convert it with iconv", path)
                continue
            except InputError as error:
                logger.warning("{} is left out: {}", path, error)
                continue
            yield self._article(name, text, asked.get(name, []))
            admitted += 1
        if not admitted:
            raise ConfigurationError(
                f"{self._path} holds no usable *.txt or *.md file; put one text in each file there"
            )

    def _files(self) -> dict[str, Path]:
        if not self._path.is_dir():
            raise ConfigurationError(f"there is no folder {self._path}; name an existing one")
        found = (p for p in self._path.rglob("*") if p.suffix.lower() in _SUFFIXES and p.is_file())
        # By the path as a string, so that the order is the same on every platform.
        return dict(sorted((p.relative_to(self._path).as_posix(), p) for p in found))

    def _questions(self, files: set[str]) -> Mapping[str, Sequence[tuple[int, QuestionRecord]]]:
        path = self._path / QUESTIONS_FILE
        if not path.is_file():
            return {}
        try:
            lines = path.read_text(encoding="utf-8-sig").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{path} cannot be read as UTF-8: {error}") from error
        asked: defaultdict[str, list[tuple[int, QuestionRecord]]] = defaultdict(list)
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = _FileQuestion.model_validate_json(line)
            except ValidationError as error:
                raise ConfigurationError(f"{path}, line {number}: {first_fault(error)}") from error
            if record.file not in files:
                raise ConfigurationError(f"{path}, line {number}: there is no file {record.file!r}; correct its name")
            asked[record.file].append((number, record))
        return asked

    def _article(self, name: str, text: str, asked: Sequence[tuple[int, QuestionRecord]]) -> Article:
        questions = []
        seen: set[str] = set()
        for number, record in asked:
            try:
                question = admit_record(record, text)
                if question.text in seen:
                    raise InputError(f"{question.text!r} is asked twice; keep one")
            except InputError as error:
                raise ConfigurationError(f"{self._path / QUESTIONS_FILE}, line {number}: {error}") from error
            seen.add(question.text)
            questions.append(question)
        return Article(name, Path(name).stem, text, tuple(questions))
