"""Base texts from a Hugging Face dataset, streamed."""

import importlib
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import groupby, islice
from typing import Any, Final

from loguru import logger
from pydantic import ValidationError

from compression_subnet.challenge.admission import admit_text
from compression_subnet.challenge.squad import Asked, Entry, Paragraph, articles_of
from compression_subnet.challenge.types import Article
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.text.tokens import TokenCounter

__all__ = ["HubCorpus", "HubFault", "HubUnavailable"]

Row = Mapping[str, Any]

INSTALL: Final = "pip install 'compression-subnet[hf]'"
ROWS: Final = 5_000
SECONDS: Final = 300.0
# Names that text-only datasets give to their text, most telling first.
_TEXT_COLUMNS: Final = ("text", "context", "document", "article", "content")


class HubFault(StrEnum):
    """Why a dataset could not be had."""

    NOT_INSTALLED = "not installed"
    OFFLINE = "offline"
    RATE_LIMITED = "rate limited"
    NOT_FOUND = "not found"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    COLUMNS = "odd columns"
    UNUSABLE = "unusable"


class HubUnavailable(ConfigurationError):
    """A dataset could not be had; ``fault`` says why, the message what to do.

    Attributes:
        fault: the kind of reason.
    """

    def __init__(self, fault: HubFault, message: str):
        super().__init__(message)
        self.fault = fault


class HubCorpus:
    """Articles from a Hugging Face dataset, of which the first rows are streamed.

    Rows with ``context``, ``question`` and ``answers`` (``text`` and ``answer_start``, lists) are read as SQuAD's
    are: rows of one context belong together, and contexts of one ``title`` are joined to articles. Rows with a
    column ``text`` (or ``context``, ``document``, ``article``, ``content``) are articles without questions.

    Args:
        name: ``NAME``, ``NAME:CONFIG`` or ``NAME:CONFIG:SPLIT``; the split is ``train`` by default.
        counter: counts tokens.
        min_tokens: tokens at which joined contexts are long enough.
        max_tokens: tokens that joining does not exceed.
        rows: most rows to read.
        seconds: deadline of the whole download.
    """

    def __init__(
        self,
        name: str,
        counter: TokenCounter,
        min_tokens: int = 600,
        max_tokens: int = 2500,
        rows: int = ROWS,
        seconds: float = SECONDS,
    ):
        self._name = name
        path, _, rest = name.partition(":")
        config, _, split = rest.partition(":")
        self._arguments = (path, config or None, split or "train")
        self._counter = counter
        self._min_tokens = min_tokens
        self._max_tokens = max_tokens
        self._rows = rows
        self._seconds = seconds

    def articles(self) -> Iterator[Article]:
        """Yield the articles in the dataset's order.

        Raises:
            HubUnavailable: ``datasets`` is not installed, the hub cannot be reached, refuses or limits us, the
                deadline passed, or the columns are of neither kind.
            ConfigurationError: no row can be used.
        """
        rows = _within(self._seconds, self._name, self._stream)
        if not rows:
            raise HubUnavailable(HubFault.UNUSABLE, f"hf:{self._name} has no rows; name another dataset or split")
        columns = rows[0].keys()
        if {"context", "question", "answers"} <= columns:
            entries = _entries(rows, self._name)
            yield from articles_of(entries, f"hf:{self._name}", self._counter, self._min_tokens, self._max_tokens)
        elif column := next((c for c in _TEXT_COLUMNS if isinstance(rows[0].get(c), str)), None):
            yield from self._texts(rows, column)
        else:
            raise HubUnavailable(
                HubFault.COLUMNS,
                f"hf:{self._name} has the columns {', '.join(columns)}; name a dataset with context, question and "
                f"answers, or with one of {', '.join(_TEXT_COLUMNS)}",
            )

    def _stream(self) -> list[Row]:
        try:
            # By name: a type checker need not have it either.
            datasets: Any = importlib.import_module("datasets")
        except ImportError as error:
            raise HubUnavailable(HubFault.NOT_INSTALLED, f"hf:{self._name} needs a library: {INSTALL}") from error
        path, config, split = self._arguments
        try:
            stream: Iterable[Row] = datasets.load_dataset(path, config, split=split, streaming=True)
            return list(islice(stream, self._rows))
        # A foreign library over a network and remote files: whatever it raises means that there are no rows.
        except Exception as error:
            fault, fix = _cause(error)
            raise HubUnavailable(
                fault, f"hf:{self._name} is not to be had ({fault}; {type(error).__name__}: {_line(error)}); {fix}"
            ) from error

    def _texts(self, rows: Iterable[Row], column: str) -> Iterator[Article]:
        admitted = left_out = 0
        for number, row in enumerate(rows):
            try:
                text = admit_text(str(row.get(column) or ""))
            except InputError:
                left_out += 1
                continue
            admitted += 1
            yield Article(f"{self._name}-{number}", str(row.get("title") or ""), text, ())
        if not admitted:
            raise HubUnavailable(HubFault.UNUSABLE, f"no text of hf:{self._name} can be used; name another dataset")
        logger.info("hf:{}: {} texts without questions; left out {}", self._name, admitted, left_out)


def _within(seconds: float, name: str, work: Callable[[], list[Row]]) -> list[Row]:
    """Return what ``work`` returns, or raise what it raises, within the deadline.

    The library has no total deadline and cannot be interrupted: a thread that hangs is left, as a daemon.
    """
    results: list[list[Row]] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # handed over to the caller's thread
            errors.append(error)

    thread = threading.Thread(target=run, name=f"hf:{name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise HubUnavailable(
            HubFault.TIMEOUT, f"hf:{name} did not arrive within {seconds:.0f} s; try later, or use local files"
        )
    return results[0]


def _cause(error: BaseException) -> tuple[HubFault, str]:
    """Return the kind of an error of the library, told by the names and codes along its chain, and what to do."""
    seen: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in seen:
        seen.append(link)
        link = link.__cause__ or link.__context__
    codes = {getattr(getattr(e, "response", None), "status_code", None) for e in seen}
    names = {kind.__name__ for e in seen for kind in type(e).__mro__}
    if 429 in codes:
        return HubFault.RATE_LIMITED, "wait some minutes, or log in to the hub"
    if codes & {401, 403} or names & {"GatedRepoError"}:
        return HubFault.REFUSED, "accept its terms on the hub and log in"
    if names & {"OfflineModeIsEnabled", "LocalEntryNotFoundError", "ConnectionError", "ConnectError", "TimeoutError"}:
        return HubFault.OFFLINE, "check the network, or use local files"
    if 404 in codes or names & {"DatasetNotFoundError", "RepositoryNotFoundError", "FileNotFoundError"}:
        return HubFault.NOT_FOUND, "correct its name"
    return HubFault.UNUSABLE, "check its name, config (NAME:CONFIG) and split (NAME:CONFIG:SPLIT)"


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]


def _entries(rows: Iterable[Row], name: str) -> Iterator[Entry]:
    """Yield rows as entries of paragraphs: consecutive rows of one title, and in them of one context."""
    try:
        for title, of_title in groupby(rows, key=lambda row: str(row.get("title") or "")):
            paragraphs = [
                Paragraph(context=context, qas=[_asked(row) for row in of_context])
                for context, of_context in groupby(of_title, key=lambda row: row["context"])
            ]
            yield Entry(title=title, paragraphs=paragraphs)
    except (ValidationError, KeyError, TypeError, AttributeError) as error:
        raise HubUnavailable(
            HubFault.COLUMNS, f"the rows of hf:{name} are not like SQuAD's ({_line(error)}); name another dataset"
        ) from error


def _asked(row: Row) -> Asked:
    answers = row["answers"]
    pairs = zip(answers["text"], answers["answer_start"], strict=False)
    return Asked.model_validate(
        {"question": row["question"], "answers": [{"text": t, "answer_start": s} for t, s in pairs]}
    )
