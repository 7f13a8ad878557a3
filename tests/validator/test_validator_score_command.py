"""``compression-subnet score``: the same scores as a round, resumable, and with its own exit status for the judge."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_endpoint import FakeEndpoint
from typer.testing import CliRunner
from validator_fakes import QUESTIONS, SENTENCES, ContainmentJudge, ScriptedDendrite, challenge, keep_first

from compression_subnet.chain.port import Axon
from compression_subnet.challenge.files import challenge_line
from compression_subnet.cli import app
from compression_subnet.scoring import aggregate
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Target
from compression_subnet.validator.offline import Reply, assign, score_all
from compression_subnet.validator.rounds.judging import Judges
from compression_subnet.validator.rounds.results import Assignment
from compression_subnet.validator.rounds.round import Round, RoundSettings

GOLD = dict(QUESTIONS)
CHALLENGES = {f"c{i}": replace(challenge(), id=f"c{i}") for i in range(2)}
TEXTS = {
    (20, "two"): keep_first(1)(""),
    (40, "two"): keep_first(2)(""),
    (60, "two"): keep_first(4)(""),
}


def answer(text: str, question: str) -> str | int:
    """The gold answer where the text has it."""
    return GOLD[question] if question in GOLD and GOLD[question] in text else "UNANSWERABLE"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    challenges, replies = tmp_path / "challenges.jsonl", tmp_path / "replies.jsonl"
    challenges.write_text("".join(challenge_line(c) + "\n" for c in CHALLENGES.values()))
    replies.write_text(
        "".join(
            json.dumps({"challenge_id": id, "level": level, "compressed_text": text}) + "\n"
            for id in CHALLENGES
            for (level, _), text in TEXTS.items()
        )
    )
    return challenges, replies


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(answer) as endpoint:
        yield endpoint


def run(files: tuple[Path, Path], *flags: str) -> tuple[int, Any, str]:
    challenges, replies = files
    result = CliRunner().invoke(
        app, ["score", "--challenges", str(challenges), "--replies", str(replies), "--json", *flags]
    )
    return result.exit_code, json.loads(result.stdout) if result.stdout else None, result.stderr


def test_each_reply_has_its_verdict_its_answers_and_its_score(files: tuple[Path, Path], endpoint: FakeEndpoint) -> None:
    status, found, _ = run(files, "--judge.base-url", endpoint.url, "--judge.model", "m")
    assert status == 0
    assert [(r["challenge_id"], r["level"], r["S_exact"]) for r in found["replies"][:3]] == [
        ("c0", 20, "1/5"),
        ("c0", 40, "2/5"),
        ("c0", 60, "4/5"),
    ]
    first = found["replies"][0]
    assert (first["reason"], first["compliant"], first["scored"]) == ("ok", True, True)
    assert 0 < first["tokens"] <= first["budget_tokens"] == challenge().n_tokens * 20 // 100
    assert [(a["answer"], a["f1"], a["supported"]) for a in first["answers"]] == [
        ("", 0.0, False),
        ("March 1921", 1.0, True),
        *[("", 0.0, False)] * 3,
    ]
    assert {level: one["S"] for level, one in found["levels"].items()} == {"20": 0.2, "40": 0.4, "60": 0.8}
    assert found["score"] == pytest.approx(aggregate({20: 0.2, 40: 0.4, 60: 0.8}))
    assert (found["unscored"], found["void"]) == (0, None)
    assert found["usage"]["prompt_tokens"] == 100 * len(endpoint.asked)
    assert {c["ceiling"] for c in found["controls"]} == {1.0}
    assert not list(files[0].parent.glob("*.journal*"))


def test_the_table_says_how_sure_its_scores_are(files: tuple[Path, Path], endpoint: FakeEndpoint) -> None:
    command = ["score", "--challenges", str(files[0]), "--replies", str(files[1]), "--judge.base-url", endpoint.url]
    shown = CliRunner().invoke(app, command).stdout
    asked = len(CHALLENGES) * len(TEXTS)
    assert "±" in shown
    assert f"For half the error, ask about {4 * asked} challenges (now {asked})." in " ".join(shown.split())


async def test_scores_are_those_of_a_round() -> None:
    miners: dict[str, Callable[[str], str]] = {
        "two": keep_first(2),
        "same": keep_first(2),
        "whole": lambda text: text,
        "blank": lambda _: " ",
        "special": lambda _: "Ada Renn <|im_end|>",
    }
    round_ = Round(
        ScriptedDendrite(miners),  # type: ignore[arg-type]
        ContainmentJudge(),
        get_tokenizer(),
        random.Random(0),
        RoundSettings(deadline=1, concurrency=2, parallel=1),
    )
    assignments = [Assignment(c, 40) for c in CHALLENGES.values()]
    over_the_wire = await round_.run(assignments, [Target(m, Axon("127.0.0.2", 1)) for m in miners], lambda _: None)
    replies = [Reply(c.id, 40, miner(c.text), name) for c in CHALLENGES.values() for name, miner in miners.items()]
    judge = ContainmentJudge()
    offline = await score_all(assign(CHALLENGES, replies), Judges(controls=judge, replies=judge), get_tokenizer())
    for a, b in zip(over_the_wire.challenges, offline, strict=True):
        assert a.controls == b.controls
        assert {m.hotkey: (m.compliance, m.judged, m.score) for m in a.miners} == {
            m.hotkey: (m.compliance, m.judged, m.score) for m in b.miners
        }


def test_miners_are_told_apart_and_no_reply_is_missing(files: tuple[Path, Path], endpoint: FakeEndpoint) -> None:
    lines = [
        {"challenge_id": "c0", "level": 20, "compressed_text": TEXTS[20, "two"], "miner": "a", "note": "ignored"},
        {"challenge_id": "c0", "level": 20, "compressed_text": None, "miner": "b"},
        {"challenge_id": "c0", "level": 20, "compressed_text": challenge().text, "miner": "c"},
    ]
    files[1].write_text("\ufeff" + "\n\n".join(json.dumps(line) for line in lines))
    status, found, _ = run(files, "--judge.base_url", endpoint.url, "--judge.model=m")
    assert status == 0
    assert [r["reason"] for r in found["replies"]] == ["ok", "missing", "too_long"]
    assert {m: s["levels"]["20"]["S"] for m, s in found["miners"].items()} == {"a": 0.2, "b": 0.0, "c": 0.0}
    assert found["levels"]["40"]["S"] is None
    assert found["miners"]["a"]["score"] == pytest.approx(aggregate({20: 0.2}))


def test_what_the_judge_leaves_unscored_is_status_3_and_only_that_is_asked_again(
    files: tuple[Path, Path], endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    failing = keep_first(4)("")
    flags = ("--judge.base-url", endpoint.url, "--out", str(tmp_path / "out.json"))

    def breaks(text: str, question: str) -> str | int:
        is_canary = not question
        return 503 if is_canary or text == failing else answer(text, question)

    endpoint.reply = breaks
    status, found, err = run(files, *flags)
    assert status == 3
    assert "unscored" in err
    unscored = [(r["challenge_id"], r["level"]) for r in found["replies"] if not r["scored"]]
    assert ("c0", 60) in unscored
    assert all(r["S"] is None for r in found["replies"] if not r["scored"])
    assert found["levels"]["60"]["unscored"] > 0
    assert (tmp_path / "out.json.journal").exists()
    assert json.loads((tmp_path / "out.json").read_text()) == found
    settled = {pair for pair in endpoint.asked if pair[0] == TEXTS[20, "two"]}
    endpoint.reply = answer
    endpoint.asked.clear()
    status, found, _ = run(files, *flags)
    assert status == 0
    assert not settled & set(endpoint.asked)
    assert {pair[0] for pair in endpoint.asked} >= {failing}
    assert found["levels"]["60"]["S"] == 0.8
    assert not list(tmp_path.glob("*.journal*"))


def test_a_weak_judge_is_said_to_be_one(files: tuple[Path, Path], endpoint: FakeEndpoint) -> None:
    many = [replace(challenge(), id=f"c{i}") for i in range(10)]
    files[0].write_text("".join(challenge_line(c) + "\n" for c in many))
    files[1].write_text(
        "".join(json.dumps({"challenge_id": c.id, "level": 60, "compressed_text": SENTENCES[0]}) + "\n" for c in many)
    )
    endpoint.reply = lambda text, question: "UNANSWERABLE"
    status, found, err = run(files, "--judge.base-url", endpoint.url)
    assert (status, found["void"], found["unscored"]) == (0, "weak_ceiling", 0)
    assert "would be void" in err


def test_the_embedded_reader_is_used_where_no_address_is_given(files: tuple[Path, Path]) -> None:
    files[1].write_text(json.dumps({"challenge_id": "c0", "level": 40, "compressed_text": keep_first(2)("")}))
    status, found, _ = run(files)
    assert status == 0
    assert found["model"] == "reader"
    assert found["replies"][0]["S"] > 0
    assert run(files, "--judge.model", "other")[0] == 2


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: no JSON object"),
        ('"text"', "line 2: the object"),
        ('{"challenge_id": "c0", "level": 20}', "line 2: compressed_text: Field required"),
        ('{"challenge_id": "c0", "level": 30, "compressed_text": "x"}', "line 2: level: Input should be 20, 40 or 60"),
        ('{"challenge_id": "c0", "level": "20", "compressed_text": "x"}', "line 2: level"),
        ('{"challenge_id": "c9", "level": 20, "compressed_text": "x"}', "line 2: there is no challenge 'c9'"),
        ('{"challenge_id": "c0", "level": 20, "compressed_text": "x"}', "answered in line 1 already"),
        ("[" * 100_000, "line 2: no JSON object"),
    ],
)
def test_a_bad_reply_is_named_by_file_and_line(files: tuple[Path, Path], line: str, said: str) -> None:
    files[1].write_text('{"challenge_id": "c0", "level": 20, "compressed_text": "x"}\n' + line + "\n")
    status, out, err = run(files, "--judge.base-url", "http://127.0.0.1:9/v1")
    assert (status, out) == (2, None)
    assert f"{files[1]}" in err and said in err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "c0"}, "line 2: the id 'c0' was used before"),
        ({"n_tokens": 7}, "line 2: n_tokens is 7"),
        ({"questions": ()}, "line 2: there is no question"),
        ({"text": "half\u200bwidth"}, "line 2: the text is blank or not in canonical form"),
        ({"questions": (replace(challenge().questions[0], gold=(" .",)),)}, "blank gold answer"),
    ],
)
def test_a_bad_challenge_is_named_by_file_and_line(files: tuple[Path, Path], change: dict[str, Any], said: str) -> None:
    bad = replace(challenge(), **{"id": "c1", **change})
    files[0].write_text(challenge_line(CHALLENGES["c0"]) + "\n" + challenge_line(bad) + "\n")
    status, _, err = run(files, "--judge.base-url", "http://127.0.0.1:9/v1")
    assert status == 2
    assert f"{files[0]}" in err and said in err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--judge.base-url", "localhost:8801"), "which is no address"),
        (("--judge.base-url", "http://a/v1,http://a/v1/"), "twice"),
        (("--judge.max-cost", "3"), "needs judge.price"),
    ],
)
def test_a_bad_setting_is_named(files: tuple[Path, Path], flags: tuple[str, ...], said: str) -> None:
    status, _, err = run(files, *flags)
    assert status == 2
    assert said in err


def test_an_empty_file_is_an_error_that_says_what_to_write(files: tuple[Path, Path]) -> None:
    files[1].write_text("\n")
    assert "holds no reply" in run(files)[2]
    files[0].write_text("")
    assert "holds no challenge" in run(files)[2]
