"""Articles with questions to learn from, out of files in SQuAD's format, and what is asked of each sentence."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from pydantic import ValidationError

from compression_subnet.challenge.squad import Asked, Entry
from compression_subnet.compressors.document import parse
from compression_subnet.compressors.lexicon import FUNCTION_WORDS
from compression_subnet.compressors.stems import stem
from compression_subnet.errors import InputError
from compression_subnet.text.sentences import split_sentences

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["Article", "Sentence", "read_articles", "tokens_of"]

_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as token ids, and what is asked of it.

    Attributes:
        text: its characters, without the white space around them.
        ids: token ids, one or more.
        kinds: ``Kind`` of each token's word.
        answer: for each token, the expected number of questions whose answer it lies in, at most 1. Where
            annotators differ, a question counts by the share of them that included the token.
        evidence: for each token, whether a question that this sentence answers names its word.
        asked: expected number of questions whose answer lies in this sentence.
    """

    text: str
    ids: npt.NDArray[np.int64]
    kinds: npt.NDArray[np.int64]
    answer: npt.NDArray[np.float32]
    evidence: npt.NDArray[np.float32]
    asked: float


@dataclass(frozen=True, slots=True)
class Article:
    """Paragraphs that belong together, each with its sentences.

    Attributes:
        id: unique over all files.
        source: the file's name without its ending.
        text: the paragraphs, parted by blank lines.
        paragraphs: their sentences.
        plain: whether nothing is known of what is asked of it, so that it teaches of noise alone.
    """

    id: str
    source: str
    text: str
    paragraphs: tuple[tuple[Sentence, ...], ...]
    plain: bool = False


def read_articles(path: Path, tokenizer: "Tokenizer", *, alone: bool = False, plain: bool = False) -> list[Article]:
    """Return the articles of a file.

    Args:
        path: in SQuAD's format.
        tokenizer: gives token ids.
        alone: whether each paragraph is a text by itself, as in a collection of posts.
        plain: whether it has no questions.

    Raises:
        InputError: it cannot be read or is not of the format.
    """
    try:
        entries = [Entry.model_validate(entry) for entry in json.loads(path.read_text("utf-8"))["data"]]
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise InputError(f"{path} is not a question set in the format of SQuAD v1.1: {error!r}") from error
    articles: list[Article] = []
    for entry in entries:
        texts = [paragraph.context for paragraph in entry.paragraphs]
        labelled = [_sentences(paragraph.context, paragraph.qas, tokenizer) for paragraph in entry.paragraphs]
        groups = [range(i, i + 1) for i in range(len(texts))] if alone else [range(len(texts))]
        for group in groups:
            paragraphs = tuple(labelled[i] for i in group if labelled[i])
            if paragraphs:
                text = "\n\n".join(texts[i].strip() for i in group)
                articles.append(Article(f"{path.stem}:{len(articles)}", path.stem, text, paragraphs, plain))
    return articles


def _sentences(text: str, questions: Sequence[Asked], tokenizer: "Tokenizer") -> tuple[Sentence, ...]:
    """Return the labelled sentences of a paragraph."""
    spans = [(a, b) for a, b in split_sentences(text) if text[a:b].strip()]
    asked = np.zeros(len(spans))
    in_answer = np.zeros(len(text), dtype=np.float32)
    named = np.zeros(len(text), dtype=np.float32)
    for question in questions:
        if not question.answers:
            continue
        cover = np.zeros(len(text), dtype=np.float32)
        held = np.zeros(len(spans))
        for answer in question.answers:
            start, stop = answer.answer_start, answer.answer_start + len(answer.text)
            cover[start:stop] += 1 / len(question.answers)
            inside = np.array([max(0, min(b, stop) - max(a, start)) for a, b in spans], dtype=float)
            held += inside / max(inside.sum(), 1) / len(question.answers)
        in_answer += cover
        asked += held
        terms = {stem(w) for w in _WORD.findall(question.question.casefold()) if w not in FUNCTION_WORDS}
        for (a, b), share in zip(spans, held, strict=True):
            if share >= 0.5:
                for word in _WORD.finditer(text, a, b):
                    if stem(word[0].casefold()) in terms:
                        named[word.start() : word.end()] = 1
    return tuple(
        sentence
        for (a, b), count in zip(spans, asked, strict=True)
        if (sentence := _labelled(text[a:b], in_answer[a:b], named[a:b], float(count), tokenizer)) is not None
    )


def _labelled(
    text: str,
    in_answer: npt.NDArray[np.float32],
    named: npt.NDArray[np.float32],
    asked: float,
    tokenizer: "Tokenizer",
) -> Sentence | None:
    ids, kinds, offsets = tokens_of(text, tokenizer)
    if not len(ids):
        return None
    answer = np.array([in_answer[a:b].mean() if b > a else 0 for a, b in offsets], dtype=np.float32)
    evidence = np.array([named[a:b].max() if b > a else 0 for a, b in offsets], dtype=np.float32)
    return Sentence(text.strip(), ids, kinds, np.minimum(answer, 1), evidence, asked)


def tokens_of(
    text: str, tokenizer: "Tokenizer"
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], list[tuple[int, int]]]:
    """Return the token ids of a sentence, the kind of each token's word, and where each stands."""
    encoding = tokenizer.encode(text, add_special_tokens=False)
    document = parse(text)
    places = [max(end - 1, start) for start, end in encoding.offsets]
    words = np.searchsorted(document.starts, np.array(places, dtype=np.int64), side="right") - 1
    return np.array(encoding.ids, dtype=np.int64), document.kinds[words].astype(np.int64), encoding.offsets
