import hashlib
import json
import random
import sys
from pathlib import Path

import pytest
from challenge_strategies import article
from typer.testing import CliRunner

from compression_subnet.challenge.files import challenge_line, read_challenges
from compression_subnet.challenge.filters import Checks
from compression_subnet.challenge.made import Made, Recipe
from compression_subnet.challenge.store import ChallengeStore
from compression_subnet.cli import app
from compression_subnet.errors import ConfigurationError

# Of the file that `build` writes from CORPUS with these flags. It must not depend on platform or Python; a change of
# how challenges are drawn changes it, and with that what recorded seeds give.
GOLDEN = "e00dcef3e9ef0d1e7537f0c78dd6fedf21d108c6050b85934ddef14f7190fc95"
FLAGS = ("--count", "12", "--seed", "5", "--min-tokens", "120", "--max-tokens", "300")


def run(*argv: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["challenges", *argv])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("corpus") / "corpus.jsonl"
    lines = []
    for made in (article(f"a{i}", random.Random(i), 14) for i in range(6)):
        questions = [
            {"question": q.text, "gold": list(q.gold), "evidence": q.evidence.of(made.text), "kind": q.kind}
            for q in made.questions
            if made.text.count(q.evidence.of(made.text)) == 1
        ]
        lines.append(json.dumps({"id": made.id, "title": made.title, "text": made.text, "questions": questions}))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(corpus, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("built") / "challenges.jsonl"
    status, said, _ = run("build", "--source", f"jsonl:{corpus}", *FLAGS, "--out", str(out))
    assert status == 0 and "12 challenges" in said and "seed 5" in said
    return out


def changed(built: Path, tmp_path: Path, line: int, change) -> Path:
    lines = built.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[line - 1])
    change(record)
    lines[line - 1] = json.dumps(record, ensure_ascii=False)
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_same_seed_writes_the_same_bytes_on_every_platform(built):
    assert hashlib.sha256(built.read_bytes()).hexdigest() == GOLDEN


def test_another_seed_writes_other_challenges_and_no_seed_a_secret_one(corpus, built, tmp_path):
    other = tmp_path / "other.jsonl"
    assert run("build", "--source", f"jsonl:{corpus}", *FLAGS, "--seed", "6", "--out", str(other))[0] == 0
    assert other.read_bytes() != built.read_bytes()
    seeds = set()
    for _ in range(2):
        argv = ("build", "--source", f"jsonl:{corpus}", *FLAGS[:2], *FLAGS[4:], "--out", str(other), "--json")
        seeds.add(json.loads(run(*argv)[1])["seed"])
    assert len(seeds) == 2


def test_a_line_has_the_fields_that_were_agreed_with_spans_in_the_text(built):
    for line in built.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        assert list(record) == ["id", "text", "n_tokens", "base_text", "noise", "questions", "seed", "source"]
        for question in record["questions"]:
            assert list(question) == ["question", "gold", "evidence", "kind"]
            start, end = question["evidence"]
            assert any(gold.split()[0] in record["text"][start:end] for gold in question["gold"])


def test_reading_gives_back_what_was_written(built):
    numbered = list(read_challenges(built))
    assert [number for number, _ in numbered] == list(range(1, 13))
    assert "".join(challenge_line(c) + "\n" for _, c in numbered).encode() == built.read_bytes()


@pytest.mark.parametrize(("kind", "share"), [("far", "0.5"), ("near", "1.0"), ("mixed", "0.0")])
def test_noise_is_of_the_share_that_was_asked_for(corpus, tmp_path, kind, share):
    out = tmp_path / "out.jsonl"
    argv = ("--noise-share", share, "--noise-kind", kind, "--out", str(out))
    assert run("build", "--source", f"jsonl:{corpus}", *FLAGS, *argv)[0] == 0
    noise = [len(c.noise) for _, c in read_challenges(out)]
    assert (max(noise) == 0) if share == "0.0" else (min(noise) > 0)
    assert run("verify", str(out))[0] == 0


def test_an_unusable_source_is_one_line_and_leaves_no_file(tmp_path):
    out = tmp_path / "out.jsonl"
    status, _, said = run("build", "--source", "csv:x", "--out", str(out))
    assert (status, said.count("\n")) == (2, 1) and "folder:DIR" in said
    status, _, said = run(
        "build", "--source", "builtin", "--min-tokens", "9000", "--max-tokens", "9001", "--out", str(out)
    )
    assert status == 2 and "widen the range" in said
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_breaks_off_keeps_the_file_that_was_there(corpus, tmp_path):
    out = tmp_path / "out.jsonl"
    out.write_text("kept")
    argv = ("--source", f"jsonl:{corpus}", *FLAGS, "--count", "5000", "--single-use", "--out", str(out))
    status, _, said = run("build", *argv)
    assert status == 2 and "used once" in said
    assert out.read_text() == "kept" and len(list(tmp_path.iterdir())) == 1


def test_rewriting_without_a_rewriter_says_so(corpus, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "compression_subnet.challenge.rewrite", None)
    status, _, said = run("build", "--source", f"jsonl:{corpus}", *FLAGS, "--rewrite", "--out", str(tmp_path / "o"))
    assert status == 2 and "rewriter" in said


def test_show_marks_noise_and_evidence_with_signs_that_need_no_colour(built):
    with_noise = next(c for _, c in read_challenges(built) if c.noise and c.questions)
    status, said, _ = run("show", str(built), "--id", with_noise.id)
    assert status == 0
    flat = " ".join(said.split())
    assert flat.count("[-") == flat.count("-]") == len(with_noise.noise) + 1  # and the legend
    for number, question in enumerate(with_noise.questions, start=1):
        evidence = " ".join(question.evidence.of(with_noise.text).split())
        assert f"{{{number}:{evidence}:{number}}}" in flat
        assert question.gold[0].split()[0] in flat
    assert "\x1b" not in said


def test_show_as_json_is_the_line_and_an_unknown_id_is_named(built):
    first = built.read_text(encoding="utf-8").splitlines()[0]
    assert run("show", str(built), "--json")[1].strip() == first
    status, _, said = run("show", str(built), "--id", "nobody")
    assert status == 2 and "nobody" in said


def test_stats_as_table_and_as_json(built):
    status, said, _ = run("stats", str(built))
    assert status == 0
    assert all(title in said for title in ("Challenges", "Telling noise", "Evidence kept", "Kinds of question"))
    figures = json.loads(run("stats", str(built), "--json")[1])
    assert figures["stats"]["challenges"] == 12
    assert 0 <= figures["surface"] <= 1 and 0 <= figures["topic"] <= 1


def test_stats_of_a_pool_show_the_kinds_before_and_after_its_filter(built, tmp_path):
    pool = tmp_path / "pool.sqlite"
    ones = [c for _, c in read_challenges(built)][:2]
    with ChallengeStore(pool, Recipe("s", "p")) as store:
        store.add(Made(ones[0], (0,), Checks(3, 1, 1, {"who": 2, "why": 1}, {"who": 1})))
        store.reject(ones[1], Checks(2, 2, 0, {"why": 2}, {}))
    figures = json.loads(run("stats", str(built), "--pool", str(pool), "--json")[1])
    assert figures["pool_kinds"] == {"before": {"who": 2, "why": 3}, "after": {"who": 1}}
    assert "in the pool" in run("stats", str(built), "--pool", str(pool))[1]
    status, _, said = run("stats", str(built), "--pool", str(built))
    assert status == 2 and "as a pool" in said


def test_verify_passes_what_build_writes(built):
    assert run("verify", str(built)) == (0, "12 challenges keep every law\n", "")
    assert json.loads(run("verify", str(built), "--json")[1]) == {"challenges": 12, "fault": None}


def set_gold(record, gold):
    record["questions"][0]["gold"] = gold


def noise_word(record) -> str:
    start, end = next((s, e) for s, e in record["noise"])
    return record["text"][start:end].split()[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(n_tokens=r["n_tokens"] + 1), "n_tokens"),
        (lambda r: r.update(text=r["text"] + "\u200b"), "canonical"),
        (lambda r: r.update(text=r["text"] + "<|endoftext|>"), "special token"),
        (lambda r: r.update(base_text=r["base_text"] + " More."), "without its noise"),
        (lambda r: r["noise"].insert(0, [5, 3]), "out of order"),
        (lambda r: r["noise"].append([10**6, 10**6 + 1]), "outside the text"),
        (lambda r: r.update(questions=[]), "no question"),
        (lambda r: r["questions"].append(r["questions"][0]), "asked twice"),
        (lambda r: set_gold(r, []), "no gold answer"),
        (lambda r: set_gold(r, ["the"]), "no word that counts"),
        (lambda r: set_gold(r, ["Yes"]), "yes or no"),
        (lambda r: set_gold(r, ["unheard of"]), "occurs in its evidence"),
        (lambda r: r["questions"][0].update(evidence=[0, 10**6]), "outside the text"),
        (lambda r: r["questions"][0].update(evidence=[0, len(r["text"])]), "noise stands in the evidence"),
        (lambda r: set_gold(r, [*r["questions"][0]["gold"], noise_word(r)]), "occurs in the noise"),
        (lambda r: r.update(id="0" * 32, seed="1"), "seed"),
        (lambda r: r.pop("source"), "source"),
    ],
)
def test_verify_names_the_first_law_that_is_broken_by_its_line(built, tmp_path, change, message):
    line = next(number for number, c in read_challenges(built) if number > 3 and len(c.noise) > 1)
    path = changed(built, tmp_path, line, change)
    status, _, said = run("verify", str(path))
    assert status == 1
    assert f"line {line}: " in said and message in said
    assert json.loads(run("verify", str(path), "--json")[1])["fault"]["line"] == line


def test_verify_wants_ids_once_and_for_a_network_texts_too(built, tmp_path):
    lines = built.read_text(encoding="utf-8").splitlines()
    path = tmp_path / "twice.jsonl"
    path.write_text("\n".join([*lines, lines[0]]), encoding="utf-8")
    status, _, said = run("verify", str(path))
    assert status == 1 and "line 13: the id" in said
    record = json.loads(lines[0]) | {"id": "other"}
    path.write_text("\n".join([*lines[:1], json.dumps(record)]), encoding="utf-8")
    assert run("verify", str(path))[0] == 0
    status, _, said = run("verify", str(path), "--single-use")
    assert status == 1 and "line 2: the base text is that of line 1" in said


def test_verify_finds_evidence_that_is_bunched_at_one_end(built, tmp_path):
    path = tmp_path / "bunched.jsonl"
    records = []
    for number, (_, c) in enumerate(list(read_challenges(built)) * 18):
        record = json.loads(challenge_line(c)) | {"id": str(number)}
        record["questions"] = record["questions"][:1]
        records.append(json.dumps(record))
    path.write_text("\n".join(records), encoding="utf-8")
    status, _, said = run("verify", str(path))
    assert status == 1 and "of the evidence" in said and "line" not in said


def test_verify_of_nothing_is_a_fault_and_of_no_file_an_error(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    assert run("verify", str(empty))[0] == 1
    status, _, said = run("verify", str(tmp_path / "absent"))
    assert status == 2 and "cannot be read" in said
    with pytest.raises(ConfigurationError, match="UTF-8"):
        empty.write_bytes(b"\xff\xfe")
        list(read_challenges(empty))


def test_help_lists_what_there_is():
    status, said, _ = run("--help")
    assert status == 0
    assert all(name in said for name in ("build", "show", "stats", "verify"))
