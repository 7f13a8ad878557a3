import json

import pytest

from compression_subnet.challenge.corpus import BuiltinCorpus, CorpusSource, JsonlCorpus
from compression_subnet.challenge.types import Span
from compression_subnet.errors import ConfigurationError
from compression_subnet.text.canonical import canonical

ARTICLE = {
    "id": "ferry",
    "title": "The ferry",
    "kind": "news",
    "text": "The ferry left Varnholt at noon. Maren Oel steered, and the ﬂag was up.",
    "questions": [
        {"question": "Who steered?", "gold": ["Maren Oel"], "evidence": "Maren Oel steered", "kind": "who"},
        {"question": "When did it leave?", "gold": ["noon"], "evidence": "left Varnholt at noon.", "kind": "when"},
    ],
}


def write(path, *articles):
    path.write_text("\n".join(a if isinstance(a, str) else json.dumps(a) for a in articles), encoding="utf-8")
    return JsonlCorpus(path)


def changed(question=None, **fields):
    article = json.loads(json.dumps(ARTICLE)) | {"id": "changed"} | fields
    article["questions"][0] |= question or {}
    return article


def test_articles_are_read_canonical_with_evidence_as_ranges(tmp_path):
    source: CorpusSource = write(tmp_path / "a.jsonl", ARTICLE, "", changed(id="other"))
    first, second = source.articles()
    assert (first.id, second.id) == ("ferry", "other")
    assert first.text == canonical(ARTICLE["text"])
    assert [q.evidence.of(first.text) for q in first.questions] == ["Maren Oel steered", "left Varnholt at noon."]
    assert first.questions[0].evidence == Span(33, 50)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "Invalid JSON"),
        (changed(text=""), "text: "),
        (changed(text=3), "text: "),
        (changed({"gold": []}), r"questions.0.gold: "),
        (changed({"gold": "Maren"}), r"questions.0.gold: "),
        (changed({"answer": "x"}), r"questions.0.answer: "),
        (changed({"evidence": "Oskar steered"}), "occurs 0 times"),
        (changed({"evidence": "e"}), r"occurs \d+ times"),
        (changed({"gold": ["yes"]}), "yes or no"),
        (changed({"question": "When did it leave?", "gold": ["Oel"]}), "asked twice"),
        (changed(text=ARTICLE["text"] + " 10² m."), "superscript"),
        (ARTICLE, "used on an earlier line"),
    ],
)
def test_a_fault_names_file_line_and_fix(tmp_path, line, message):
    source = write(tmp_path / "mine.jsonl", ARTICLE, "", line)
    with pytest.raises(ConfigurationError, match=rf"mine\.jsonl, line 3: .*{message}"):
        list(source.articles())


def test_a_missing_an_empty_and_a_binary_file_are_named(tmp_path):
    with pytest.raises(ConfigurationError, match=r"no corpus file .*absent\.jsonl"):
        list(JsonlCorpus(tmp_path / "absent.jsonl").articles())
    with pytest.raises(ConfigurationError, match="has no article"):
        list(write(tmp_path / "empty.jsonl", "", "").articles())
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        list(JsonlCorpus(tmp_path / "binary.jsonl").articles())


def test_the_built_in_articles_are_admitted_and_their_evidence_is_spread():
    articles = list(BuiltinCorpus().articles())
    assert len(articles) >= 10
    for article in articles:
        assert len(article.questions) >= 15
        thirds = [3 * q.evidence.start // len(article.text) for q in article.questions]
        assert min(thirds.count(third) for third in range(3)) >= len(thirds) // 5
