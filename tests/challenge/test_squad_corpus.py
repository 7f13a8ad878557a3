import json

import pytest

from compression_subnet.challenge.squad import SquadCorpus
from compression_subnet.errors import ConfigurationError
from compression_subnet.text.tokens import get_tokenizer

FERRY = "The ferry left Varnholt at noon. Maren Oel steered, with twelve people aboard. It rained."
MILL = "The mill stood on the Aller. Pavel Rusk bought it in 1911."


def asked(context, question, *answers):
    return {"question": question, "answers": [{"text": a, "answer_start": context.index(a)} for a in answers]}


def write(path, *entries):
    path.write_text(json.dumps({"version": "1.1", "data": list(entries)}), encoding="utf-8")
    return path


def entry(*paragraphs, title="Travel"):
    return {"title": title, "paragraphs": [{"context": c, "qas": list(q)} for c, *q in paragraphs]}


def test_evidence_is_the_sentence_around_the_answer(tmp_path):
    path = write(
        tmp_path / "s.json",
        entry(
            (FERRY, asked(FERRY, "How many were aboard?", "twelve", "twelve people"), asked(FERRY, "Who?", "Maren")),
            (MILL, asked(MILL, "Mill bought when?", "1911")),
        ),
    )
    (article,) = SquadCorpus(path, get_tokenizer()).articles()
    assert article.text == f"{FERRY}\n\n{MILL}"
    assert [q.evidence.of(article.text) for q in article.questions] == [
        "Maren Oel steered, with twelve people aboard.",
        "Maren Oel steered, with twelve people aboard.",
        "Pavel Rusk bought it in 1911.",
    ]
    assert [q.kind for q in article.questions] == ["how many", "who", "when"]
    assert article.questions[0].gold == ("twelve", "twelve people", "12", "12 people")


def test_paragraphs_are_joined_to_the_range_of_tokens_and_no_further(tmp_path):
    paragraphs = [(FERRY, asked(FERRY, f"Who steered in {i}?", "Maren Oel")) for i in range(6)]
    counter = get_tokenizer()
    size = counter.count(FERRY)
    path = write(tmp_path / "s.json", entry(*paragraphs), entry(*paragraphs[:1], title="Other"))
    joined = list(SquadCorpus(path, counter, min_tokens=2 * size, max_tokens=3 * size).articles())
    assert [a.text.count("ferry") for a in joined] == [2, 2, 2, 1]
    assert len({a.id for a in joined}) == 4
    alone = list(SquadCorpus(path, counter, min_tokens=1, max_tokens=3 * size).articles())
    assert [a.text for a in alone] == [FERRY] * 7


def test_what_cannot_be_admitted_is_left_out(tmp_path):
    odd = "It is 10² metres long. Maren measured."
    wrong = {"question": "Who measured?", "answers": [{"text": "Oskar", "answer_start": 3}]}
    impossible = {"question": "Who owned it?", "answers": [], "is_impossible": True}
    path = write(
        tmp_path / "s.json",
        entry(
            (odd, asked(odd, "Who measured?", "Maren")),
            (FERRY, wrong, impossible, asked(FERRY, "Who steered?", "Maren Oel")),
        ),
    )
    (article,) = SquadCorpus(path, get_tokenizer()).articles()
    assert article.text == FERRY
    assert [q.text for q in article.questions] == ["Who steered?"]


def test_offsets_hold_where_the_canonical_text_is_shorter(tmp_path):
    context = "  The ﬁrst\u200b oﬃce opened. Ruth Vane ran it."
    path = write(tmp_path / "s.json", entry((context, asked(context, "Who ran it?", "Ruth Vane"))))
    (article,) = SquadCorpus(path, get_tokenizer()).articles()
    assert article.questions[0].evidence.of(article.text) == "Ruth Vane ran it."


def test_an_unusable_file_is_named(tmp_path):
    with pytest.raises(ConfigurationError, match="cannot be read"):
        list(SquadCorpus(tmp_path / "absent.json", get_tokenizer()).articles())
    (tmp_path / "other.json").write_text('{"data": [{"paragraphs": [{"context": 3}]}]}')
    with pytest.raises(ConfigurationError, match=r"not in SQuAD format: data.0.paragraphs.0.context"):
        list(SquadCorpus(tmp_path / "other.json", get_tokenizer()).articles())
    with pytest.raises(ConfigurationError, match="no usable question"):
        list(SquadCorpus(write(tmp_path / "none.json", entry((FERRY,))), get_tokenizer()).articles())
