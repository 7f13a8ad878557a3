"""Base texts from files in the format of the Stanford Question Answering Dataset (Rajpurkar et al. 2016)."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from loguru import logger
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from compression_subnet.challenge.admission import admit_question, admit_text
from compression_subnet.challenge.corpus import first_fault
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.text.canonical import canonical
from compression_subnet.text.sentences import split_sentences
from compression_subnet.text.tokens import TokenCounter

__all__ = ["Answer", "Asked", "Entry", "Paragraph", "SquadCorpus", "articles_of"]

_KIND: Final = re.compile(r"\b(how (?:many|much|long|far|old)|how|who|whom|whose|when|where|which|why|what)\b", re.I)
_BREAK: Final = "\n\n"


class _Record(BaseModel):
    # Files of this family carry fields of their own (is_impossible, plausible_answers, split, ...).
    model_config = ConfigDict(extra="ignore", frozen=True)


class Answer(_Record):
    """A stretch of the context, by its text and first character."""

    text: str
    answer_start: int = Field(ge=0)


class Asked(_Record):
    """A question with its answers; without any it is left out."""

    question: str
    answers: list[Answer]


class Paragraph(_Record):
    """A context with its questions."""

    context: str
    qas: list[Asked]


class Entry(_Record):
    """Paragraphs of one article, in order."""

    title: str = ""
    paragraphs: list[Paragraph]


class _File(_Record):
    data: list[Entry]


class SquadCorpus:
    """Articles from a SQuAD-format file.

    Consecutive paragraphs of an entry are joined by a blank line until they have ``min_tokens``, never beyond
    ``max_tokens``; a paragraph that has enough by itself stands alone. Evidence is the sentence around the first
    answer. The file is foreign, so a paragraph or question that MECHANISM 5 does not admit is left out and
    counted in the log, not raised on.

    Args:
        path: the file.
        counter: counts tokens.
        min_tokens: tokens at which an article is long enough.
        max_tokens: tokens that joining does not exceed.
    """

    def __init__(self, path: Path | str, counter: TokenCounter, min_tokens: int = 300, max_tokens: int = 2500):
        self._path = Path(path)
        self._counter = counter
        self._min_tokens = min_tokens
        self._max_tokens = max_tokens

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the file's order.

        Raises:
            ConfigurationError: the file is missing or not of this format, or nothing in it can be used.
        """
        yield from articles_of(self._read().data, self._path.name, self._counter, self._min_tokens, self._max_tokens)

    def _read(self) -> _File:
        try:
            return _File.model_validate_json(self._path.read_bytes())
        except OSError as error:
            raise ConfigurationError(
                f"the corpus file {self._path} cannot be read ({error.strerror}); name a readable file"
            ) from error
        except ValidationError as error:
            raise ConfigurationError(f"{self._path} is not in SQuAD format: {first_fault(error)}") from error


def articles_of(
    entries: Iterable[Entry], name: str, counter: TokenCounter, min_tokens: int, max_tokens: int
) -> Iterator[Article]:
    """Yield articles made of the entries' paragraphs, as ``SquadCorpus`` describes.

    Args:
        entries: from whatever source.
        name: of the source, for the log and errors.
        counter: counts tokens.
        min_tokens: tokens at which an article is long enough.
        max_tokens: tokens that joining does not exceed.

    Raises:
        ConfigurationError: nothing in them can be used.
    """
    paragraphs = questions = left_out = 0
    for number, entry in enumerate(entries):
        admitted: list[tuple[str, list[Question]]] = []
        for paragraph in entry.paragraphs:
            try:
                text = admit_text(paragraph.context)
            except InputError:
                left_out += 1
                continue
            kept = _questions(paragraph, text)
            paragraphs, questions = paragraphs + 1, questions + len(kept)
            left_out += len(paragraph.qas) - len(kept)
            admitted.append((text, kept))
        for part, group in enumerate(_grouped(admitted, counter, min_tokens, max_tokens)):
            yield _join(f"{number}-{part}", entry.title, group)
    if not questions:
        raise ConfigurationError(f"{name} has no usable question; name a SQuAD-format source with answers")
    logger.info("{}: {} paragraphs, {} questions; left out {}", name, paragraphs, questions, left_out)


def _grouped(
    paragraphs: list[tuple[str, list[Question]]], counter: TokenCounter, min_tokens: int, max_tokens: int
) -> Iterator[list[tuple[str, list[Question]]]]:
    group: list[tuple[str, list[Question]]] = []
    size = 0
    for text, questions in paragraphs:
        tokens = counter.count(text) + 1  # the blank line
        if group and (size >= min_tokens or size + tokens > max_tokens):
            yield group
            group, size = [], 0
        group.append((text, questions))
        size += tokens
    if group:
        yield group


def _questions(paragraph: Paragraph, text: str) -> list[Question]:
    """Return the questions of a paragraph that can be admitted, their evidence as ranges of ``text``."""
    sentences = split_sentences(text)
    admitted: dict[str, Question] = {}
    for asked in paragraph.qas:
        if not asked.answers:
            continue
        first = asked.answers[0]
        # What precedes the answer becomes canonical by itself in all but contrived texts; a place that is wrong all
        # the same leads to a sentence without the answer, which is not admitted.
        before = canonical(paragraph.context[: first.answer_start]).lstrip()
        answer = canonical(first.text).strip()
        span = Span(len(before), len(before) + len(answer))
        start = max((s for s, _ in sentences if s <= span.start), default=0)
        end = min((e for _, e in sentences if e >= span.end), default=len(text))
        end -= len(text[start:end]) - len(text[start:end].rstrip())
        kind = _KIND.search(asked.question)
        try:
            question = admit_question(
                Question(
                    asked.question,
                    tuple(a.text for a in asked.answers),
                    Span(start, end),
                    kind[1].lower() if kind else "other",
                ),
                text,
            )
        except InputError:
            continue
        admitted.setdefault(question.text, question)
    return list(admitted.values())


def _join(id: str, title: str, group: list[tuple[str, list[Question]]]) -> Article:
    questions: dict[str, Question] = {}
    offset = 0
    for text, asked in group:
        for q in asked:
            span = Span(q.evidence.start + offset, q.evidence.end + offset)
            questions.setdefault(q.text, Question(q.text, q.gold, span, q.kind))
        offset += len(text) + len(_BREAK)
    return Article(
        f"{title or 'article'}-{id}", title, _BREAK.join(text for text, _ in group), tuple(questions.values())
    )
