"""Naming a corpus source in one string, falling back from one to the next, and joining what is too short."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from loguru import logger

from compression_subnet.challenge.corpus import BuiltinCorpus, CorpusSource, JsonlCorpus
from compression_subnet.challenge.folder import FolderCorpus
from compression_subnet.challenge.hub import HubCorpus
from compression_subnet.challenge.squad import SquadCorpus
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import ConfigurationError
from compression_subnet.text.tokens import Tokenizer

__all__ = ["SOURCE_FORMS", "FallbackCorpus", "JoinedCorpus", "NamedSource", "open_source"]

SOURCE_FORMS: Final = "builtin, jsonl:FILE, squad:FILE, folder:DIR or hf:NAME"
_BREAK: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class NamedSource:
    """A source with the name by which logs and errors call it."""

    name: str
    source: CorpusSource


class FallbackCorpus:
    """The first of several sources that can be read whole.

    Each failure is a warning in the log that names the source that failed and the one that takes its place.

    Args:
        sources: in the order of preference, at least one.

    Raises:
        ConfigurationError: there is no source.
    """

    def __init__(self, sources: Sequence[NamedSource]):
        if not sources:
            raise ConfigurationError("no corpus source is given; name at least one")
        self._sources = tuple(sources)

    def articles(self) -> Iterator[Article]:
        """Yield the articles of the first source that gives all of its own.

        Raises:
            ConfigurationError: none does; every reason is named.
        """
        reasons = []
        for number, named in enumerate(self._sources):
            try:
                # Whole, before any is handed on: articles of two sources must not mix.
                articles = list(named.source.articles())
            except ConfigurationError as error:
                reasons.append(f"{named.name}: {error}")
                if number + 1 < len(self._sources):
                    following = self._sources[number + 1].name
                    logger.warning("corpus source {} failed, falling back to {}: {}", named.name, following, error)
                continue
            yield from articles
            return
        raise ConfigurationError("no corpus source can be used: " + "; ".join(reasons))


class JoinedCorpus:
    """Another source's articles, consecutive ones joined by a blank line while they are too short.

    For long contexts: a text is then about several things, so noise in it is harder to tell.

    Args:
        source: the articles.
        tokenizer: counts tokens.
        min_tokens: tokens at which a text is long enough; what is left at the end may be shorter.
        max_tokens: tokens that joining does not exceed.
    """

    def __init__(self, source: CorpusSource, tokenizer: Tokenizer, min_tokens: int, max_tokens: int):
        self._source = source
        self._tokenizer = tokenizer
        self._min_tokens = min_tokens
        self._max_tokens = max_tokens

    def articles(self) -> Iterator[Article]:
        """Yield the joined articles, in order.

        Raises:
            ConfigurationError: as the source's.
        """
        group: list[Article] = []
        size = 0
        for article in self._source.articles():
            tokens = self._tokenizer.count(article.text) + 1  # the blank line
            if group and (size >= self._min_tokens or size + tokens > self._max_tokens):
                yield _joined(group)
                group, size = [], 0
            group.append(article)
            size += tokens
        if group:
            yield _joined(group)


def open_source(
    spec: str, tokenizer: Tokenizer, min_tokens: int = 600, max_tokens: int = 2500, *, join: bool = False
) -> CorpusSource:
    """Return the source that a specification names; nothing is read yet.

    Args:
        spec: ``builtin``, ``jsonl:FILE``, ``squad:FILE``, ``folder:DIR`` or ``hf:NAME``, or several separated by
            commas, of which the first that can be read is used.
        tokenizer: the pinned tokenizer.
        min_tokens: least tokens of a base text: what a source that joins paragraphs joins up to.
        max_tokens: most tokens of a base text.
        join: whether articles that are shorter than ``min_tokens`` are joined with those that follow.

    Raises:
        ConfigurationError: a specification is of no such form.
    """
    named = [NamedSource(one, _open_one(one, tokenizer, min_tokens, max_tokens)) for one in _parts(spec)]
    source = named[0].source if len(named) == 1 else FallbackCorpus(named)
    return JoinedCorpus(source, tokenizer, min_tokens, max_tokens) if join else source


def _parts(spec: str) -> list[str]:
    parts = [part.strip() for part in spec.split(",")]
    if not all(parts):
        raise ConfigurationError(f"corpus source {spec!r} is empty or has an empty part; give {SOURCE_FORMS}")
    return parts


def _open_one(spec: str, tokenizer: Tokenizer, min_tokens: int, max_tokens: int) -> CorpusSource:
    kind, _, name = spec.partition(":")
    match kind, name:
        case "builtin", "" if spec == "builtin":
            return BuiltinCorpus()
        case "jsonl", str(path) if path:
            return JsonlCorpus(path)
        case "squad", str(path) if path:
            return SquadCorpus(path, tokenizer, min_tokens, max_tokens)
        case "folder", str(path) if path:
            return FolderCorpus(path)
        case "hf", str(dataset) if dataset:
            return HubCorpus(dataset, tokenizer, min_tokens, max_tokens)
    raise ConfigurationError(f"corpus source {spec!r} is unknown; give {SOURCE_FORMS}")


def _joined(group: Sequence[Article]) -> Article:
    if len(group) == 1:
        return group[0]
    # A question asked of two articles has two answers in the joined text, so neither can stand.
    asked = Counter(q.text for article in group for q in article.questions)
    questions: list[Question] = []
    offset = 0
    for article in group:
        for q in article.questions:
            if asked[q.text] == 1:
                questions.append(replace(q, evidence=Span(q.evidence.start + offset, q.evidence.end + offset)))
        offset += len(article.text) + len(_BREAK)
    text = _BREAK.join(article.text for article in group)
    return Article(f"{group[0].id}+{len(group) - 1}", group[0].title, text, tuple(questions))
