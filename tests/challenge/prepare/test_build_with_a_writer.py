"""``challenges build`` with a model that writes, and without one."""

import json
from pathlib import Path
from typing import Any

import pytest
from prepare_cases import able, long_article, provider, sentences
from typer.testing import CliRunner

from compression_subnet.challenge.files import read_challenges
from compression_subnet.cli import app
from compression_subnet.judge import writing

SIZE = ("--min-tokens", "200", "--max-tokens", "1200", "--seed", "3")


def build(*argv: str) -> Any:
    return CliRunner().invoke(app, ["challenges", "build", *argv])


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    asked: list[Any] = []

    def writer_of(settings: Any, *_: Any) -> Any:
        asked.append(settings)
        return provider(able).model()

    monkeypatch.setattr(writing, "writer_of", writer_of)
    return asked


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    lines = []
    for made in map(long_article, range(4)):
        q = made.questions[0]
        asked = [{"question": q.text, "gold": list(q.gold), "evidence": q.evidence.of(made.text), "kind": q.kind}]
        lines.append(json.dumps({"id": made.id, "text": made.text, "questions": asked}))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_texts_that_nobody_has_are_built_into_a_file(tmp_path: Path, writer: list[Any]) -> None:
    out = tmp_path / "out.jsonl"
    flags = ("--writer.base-url", "http://writer.invalid/v1", "--writer.model", "able")
    done = build("--source", "written", "--count", "3", *SIZE, *flags, "--out", str(out))
    assert done.exit_code == 0, done.output
    made = [challenge for _, challenge in read_challenges(out)]
    assert len({c.source for c in made}) == 3
    assert all(c.source.startswith("written-") and c.questions for c in made)
    assert (writer[0].base_url, writer[0].model) == ("http://writer.invalid/v1", "able")


def test_sentences_are_reworded_and_questions_kept(tmp_path: Path, corpus: Path, writer: list[Any]) -> None:
    plain, other = tmp_path / "plain.jsonl", tmp_path / "other.jsonl"
    source = ("--source", f"jsonl:{corpus}", "--count", "4", *SIZE)
    assert build(*source, "--out", str(plain)).exit_code == 0
    assert not writer
    assert build(*source, "--paraphrase", "--out", str(other)).exit_code == 0
    was = {s for _, c in read_challenges(plain) for s in sentences(c.base_text)}
    now = [s for _, c in read_challenges(other) for s in sentences(c.base_text)]
    assert sum(s in was for s in now) < 0.2 * len(now)
    assert all(c.questions for _, c in read_challenges(other))


@pytest.mark.parametrize("flags", [("--source", "written"), ("--paraphrase",)])
def test_without_a_writer_the_message_names_one(tmp_path: Path, flags: tuple[str, ...]) -> None:
    done = build(*flags, "--out", str(tmp_path / "out.jsonl"))
    assert done.exit_code != 0
    assert "--writer.base-url" in done.stderr


def test_written_texts_are_not_disguised(tmp_path: Path) -> None:
    done = build("--source", "written", "--rewrite", "--out", str(tmp_path / "out.jsonl"))
    assert done.exit_code != 0 and "texts that exist" in done.stderr


def test_a_flag_that_does_not_exist_is_named(tmp_path: Path) -> None:
    done = build("--writer.modle", "x", "--out", str(tmp_path / "out.jsonl"))
    assert done.exit_code == 2 and "--writer.model" in done.stderr
