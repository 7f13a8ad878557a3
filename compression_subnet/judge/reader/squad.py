"""Question sets in the format of SQuAD v1.1, as training and measuring take them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compression_subnet.errors import InputError

__all__ = ["Example", "read_squad"]


@dataclass(frozen=True, slots=True)
class Example:
    """One question on one context.

    Attributes:
        context: the text.
        question: the question.
        answer: the first answer given; empty where the context holds none.
        start: where it begins in ``context``, in characters; -1 where there is none.
        golds: all answers given.
    """

    context: str
    question: str
    answer: str
    start: int
    golds: tuple[str, ...]


def read_squad(path: Path) -> list[Example]:
    """Return the answerable questions of a file, in its order.

    Raises:
        InputError: it cannot be read, is not of the format, or holds none.
    """
    try:
        articles = json.loads(path.read_text(encoding="utf-8"))["data"]
        examples = [
            _example(paragraph["context"], question)
            for article in articles
            for paragraph in article["paragraphs"]
            for question in paragraph["qas"]
            if question["answers"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is not a question set in the format of SQuAD v1.1: {error!r}") from error
    if not examples:
        raise InputError(f"{path} holds no answerable question")
    return examples


def _example(context: str, question: dict[str, Any]) -> Example:
    answers = question["answers"]
    answer, start = str(answers[0]["text"]), int(answers[0]["answer_start"])
    if not answer or context[start : start + len(answer)] != answer:
        raise ValueError(f"answer {answer!r} of {question['question']!r} is not at character {start}")
    return Example(context, str(question["question"]), answer, start, tuple(str(a["text"]) for a in answers))
