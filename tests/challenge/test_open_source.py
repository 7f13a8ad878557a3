import json
import sys
import time
import types
from collections.abc import Iterator

import pytest
from loguru import logger

from compression_subnet.challenge import hub
from compression_subnet.challenge.corpus import BuiltinCorpus, JsonlCorpus
from compression_subnet.challenge.folder import QUESTIONS_FILE, FolderCorpus
from compression_subnet.challenge.hub import HubCorpus, HubFault, HubUnavailable
from compression_subnet.challenge.sources import FallbackCorpus, JoinedCorpus, NamedSource, open_source
from compression_subnet.challenge.squad import SquadCorpus
from compression_subnet.challenge.types import Article, Question, Span
from compression_subnet.errors import ConfigurationError
from compression_subnet.text.tokens import get_tokenizer

TOKENIZER = get_tokenizer()
TEXT = "The ferry left Varnholt at noon. Maren Oel steered, and the flag was up."
ASKED = {
    "file": "b/ferry.txt",
    "question": "Who steered?",
    "gold": ["Maren Oel"],
    "evidence": "Maren Oel steered",
    "kind": "who",
}
ROW = {
    "title": "Ferry",
    "context": TEXT,
    "question": "Who steered?",
    "answers": {"text": ["Maren Oel"], "answer_start": [TEXT.index("Maren")]},
}


class Listed:
    """A source that gives some articles and then, if told to, an error."""

    def __init__(self, *articles: Article, error: Exception | None = None):
        self.given, self.error = articles, error

    def articles(self) -> Iterator[Article]:
        yield from self.given
        if self.error:
            raise self.error


@pytest.fixture
def warnings():
    said: list[str] = []
    sink = logger.add(lambda message: said.append(str(message)), level="WARNING", format="{message}")
    yield said
    logger.remove(sink)


@pytest.fixture
def datasets(monkeypatch):
    """Stand in for the library: what load_dataset was given, and what it then gives or raises."""
    fake = types.ModuleType("datasets")
    fake.calls, fake.result = [], []  # type: ignore[attr-defined]

    def load_dataset(path, config, *, split, streaming):
        fake.calls.append((path, config, split, streaming))
        if isinstance(fake.result, BaseException):
            raise fake.result
        return iter(fake.result)

    fake.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", fake)
    return fake


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("builtin", BuiltinCorpus),
        ("jsonl:a.jsonl", JsonlCorpus),
        ("squad:a.json", SquadCorpus),
        ("folder:C:/texts", FolderCorpus),
        ("hf:owner/name:config:test", HubCorpus),
        ("hf:name, builtin", FallbackCorpus),
    ],
)
def test_each_form_names_its_source(spec, kind):
    assert isinstance(open_source(spec, TOKENIZER), kind)
    assert isinstance(open_source(spec, TOKENIZER, join=True), JoinedCorpus)


@pytest.mark.parametrize(
    "spec", ["", "builtin:", "builtin:x", "jsonl:", "folder", "hf:", "csv:a", "builtin,", ",builtin"]
)
def test_other_forms_are_refused_with_the_forms_there_are(spec):
    with pytest.raises(ConfigurationError, match=r"folder:DIR"):
        open_source(spec, TOKENIZER)


def test_the_next_source_takes_over_loudly_and_nothing_of_the_first_is_mixed_in(warnings):
    one, two = Article("1", "", "One.", ()), Article("2", "", "Two.", ())
    broken = Listed(one, error=ConfigurationError("the disk is gone"))
    source = FallbackCorpus([NamedSource("jsonl:mine", broken), NamedSource("builtin", Listed(two))])
    assert list(source.articles()) == [two]
    assert len(warnings) == 1
    assert all(part in warnings[0] for part in ("jsonl:mine", "builtin", "the disk is gone"))


def test_the_first_source_that_works_is_the_only_one_read(warnings):
    source = FallbackCorpus(
        [NamedSource("a", Listed(Article("1", "", "One.", ()))), NamedSource("b", Listed(error=KeyError()))]
    )
    assert [a.id for a in source.articles()] == ["1"]
    assert warnings == []


def test_where_none_works_every_reason_is_named():
    broken = [NamedSource(name, Listed(error=ConfigurationError(f"{name} fell"))) for name in ("a", "b")]
    with pytest.raises(ConfigurationError, match=r"a fell.*b fell"):
        list(FallbackCorpus(broken).articles())


def test_short_articles_are_joined_with_their_questions_in_place():
    def short(id: str, question: str) -> Article:
        return Article(id, id, TEXT, (Question(question, ("Maren Oel",), Span(33, 50), "who"),))

    size = TOKENIZER.count(TEXT) + 1
    source = Listed(short("a", "Who?"), short("b", "Who was it?"), short("c", "Who?"), short("d", "Whom?"))
    first, second = JoinedCorpus(source, TOKENIZER, 3 * size, 4 * size).articles()
    assert first.text == "\n\n".join([TEXT] * 3) and second.text == TEXT
    # "Who?" is asked of two of the joined texts, so its answer is not one.
    assert [q.text for q in first.questions] == ["Who was it?"]
    assert all(q.evidence.of(a.text) == "Maren Oel steered" for a in (first, second) for q in a.questions)
    assert first.questions[0].evidence.start == 33 + len(TEXT) + 2


def folder(tmp_path, *questions):
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "ferry.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "a.md").write_bytes("\ufeff# A heading\r\n\r\nThe mill was shut.\r\n".encode())
    (tmp_path / "notes.csv").write_text("1,2")
    if questions:
        lines = "\n".join(q if isinstance(q, str) else json.dumps(q) for q in questions)
        (tmp_path / QUESTIONS_FILE).write_text(lines, encoding="utf-8")
    return FolderCorpus(tmp_path)


def test_a_folder_gives_an_article_a_text_in_the_order_of_their_paths(tmp_path):
    mill, ferry = folder(tmp_path, ASKED, "").articles()
    assert (mill.id, mill.text, mill.questions) == ("a.md", "# A heading\n\nThe mill was shut.", ())
    assert (ferry.id, ferry.title) == ("b/ferry.txt", "ferry")
    assert [q.evidence.of(ferry.text) for q in ferry.questions] == ["Maren Oel steered"]


def test_a_folder_needs_no_questions(tmp_path):
    assert [a.questions for a in folder(tmp_path).articles()] == [(), ()]


def test_a_text_that_is_not_admissible_is_left_out_and_named(tmp_path, warnings):
    source = folder(tmp_path)
    (tmp_path / "c.txt").write_text("An area of 10² metres.", encoding="utf-8")
    (tmp_path / "d.txt").write_bytes(b"\xff\xfe\x00")
    assert [a.id for a in source.articles()] == ["a.md", "b/ferry.txt"]
    assert "c.txt" in warnings[0] and "superscript" in warnings[0]
    assert "d.txt" in warnings[1] and "iconv" in warnings[1]


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("{", "Invalid JSON"),
        (ASKED | {"file": "c.txt"}, "no file 'c.txt'"),
        (ASKED | {"evidence": "Oskar steered"}, "occurs 0 times"),
        (ASKED | {"gold": ["no"]}, "yes or no"),
        (ASKED | {"extra": 1}, "extra"),
        (ASKED, "asked twice"),
    ],
)
def test_a_fault_of_a_folders_questions_names_the_line(tmp_path, question, message):
    with pytest.raises(ConfigurationError, match=rf"questions\.jsonl, line 2: .*{message}"):
        list(folder(tmp_path, ASKED, question).articles())


def test_a_folder_that_is_missing_or_empty_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="no folder"):
        list(FolderCorpus(tmp_path / "absent").articles())
    with pytest.raises(ConfigurationError, match="no usable"):
        list(FolderCorpus(tmp_path).articles())


def test_a_datasets_rows_become_articles_as_squads_do(datasets):
    other = ROW | {
        "question": "When did it leave?",
        "answers": {"text": ["noon"], "answer_start": [TEXT.index("noon")]},
    }
    datasets.result = [
        ROW,
        other,
        ROW | {"context": TEXT.replace("Maren Oel", "Ida"), "answers": {"text": [], "answer_start": []}},
    ]
    (article,) = HubCorpus("owner/name:plain:test", TOKENIZER, 600, 2500).articles()
    assert datasets.calls == [("owner/name", "plain", "test", True)]
    assert article.text.count("The ferry left") == 2
    assert [(q.text, q.gold) for q in article.questions] == [
        ("Who steered?", ("Maren Oel",)),
        ("When did it leave?", ("noon",)),
    ]


def test_a_dataset_of_texts_gives_articles_without_questions_and_no_more_than_wanted(datasets):
    datasets.result = ({"text": text} for text in [TEXT, "", "10² metres", "The mill was shut.", "Not read."])
    articles = list(HubCorpus("name", TOKENIZER, rows=4).articles())
    assert [(a.text, a.questions) for a in articles] == [(TEXT, ()), ("The mill was shut.", ())]
    assert datasets.calls == [("name", None, "train", True)]


def response(code: int) -> Exception:
    error = RuntimeError(f"HTTP {code}")
    error.response = types.SimpleNamespace(status_code=code)  # type: ignore[attr-defined]
    return error


class DatasetNotFoundError(Exception):
    pass


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (response(429), HubFault.RATE_LIMITED),
        (response(403), HubFault.REFUSED),
        (response(404), HubFault.NOT_FOUND),
        (DatasetNotFoundError("gone"), HubFault.NOT_FOUND),
        (ConnectionError("no route"), HubFault.OFFLINE),
        (ValueError("config is missing"), HubFault.UNUSABLE),
        ([], HubFault.UNUSABLE),
        ([{"text": ""}], HubFault.UNUSABLE),
        ([{"audio": b""}], HubFault.COLUMNS),
        ([ROW | {"answers": "Maren"}], HubFault.COLUMNS),
        ([ROW | {"context": 3}], HubFault.COLUMNS),
    ],
)
def test_every_fault_of_a_dataset_has_its_kind_and_can_be_fallen_back_from(datasets, warnings, result, fault):
    datasets.result = result
    with pytest.raises(HubUnavailable, match="hf:name") as caught:
        list(HubCorpus("name", TOKENIZER).articles())
    assert caught.value.fault is fault
    assert len(list(open_source("hf:name,builtin", TOKENIZER).articles())) >= 10
    assert "hf:name failed, falling back to builtin" in warnings[0]


def test_a_fault_behind_another_is_found(datasets):
    datasets.result = RuntimeError("could not load")
    datasets.result.__cause__ = response(429)
    with pytest.raises(HubUnavailable) as caught:
        list(HubCorpus("name", TOKENIZER).articles())
    assert caught.value.fault is HubFault.RATE_LIMITED


def test_a_missing_library_is_named_with_the_way_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(HubUnavailable, match=r"pip install 'compression-subnet\[hf\]'"):
        list(HubCorpus("name", TOKENIZER).articles())


def test_a_dataset_that_hangs_is_given_up(datasets, monkeypatch):
    datasets.load_dataset = lambda *args, **kwargs: time.sleep(2)
    with pytest.raises(HubUnavailable) as caught:
        list(HubCorpus("name", TOKENIZER, seconds=0.05).articles())
    assert caught.value.fault is HubFault.TIMEOUT
    assert hub.SECONDS > 60
