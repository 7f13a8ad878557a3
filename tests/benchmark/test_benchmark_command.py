"""The command line of the benchmark."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from compression_subnet.benchmark.results import read_result
from compression_subnet.benchmark.settings import BenchmarkSettings, changed_flags
from compression_subnet.cli import app
from compression_subnet.setting_groups import ChallengeSettings
from compression_subnet.settings import load_settings

BASE = ("--compressor", "truncation", "--compressor", "random", "--proxy", "--challenges", "4")


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["benchmark", *arguments], env={"COLUMNS": "100"})
    return done.exit_code, done.stdout, done.stderr


def test_it_prints_a_table_and_writes_page_and_result(tmp_path: Path) -> None:
    out, extra = tmp_path / "out", tmp_path / "extra.json"
    flags = ("--levels", "20", "40", "--seed", "5", "--noise-share", "0.5", "--out", str(out), "--json", str(extra))
    status, said, err = run(*BASE, *flags, "--challenge.max-tokens", "1500", "--dendrite.timeout", "20")
    assert status == 0, err
    assert "S(20)" in said and "S(40)" in said and "S(60)" not in said and "random" in said
    found = read_result(out / "result.json")
    assert found == read_result(extra)
    assert (found.levels, found.seed, found.deadline, found.data) == ((20, 40), 5, 20.0, "builtin")
    assert found.flags == ("--challenge.max_tokens", "1500", "--challenge.noise_share", "0.5")
    assert all(c.noise for c in found.challenges)
    page = (out / "index.html").read_text()
    assert "truncation" in page and found.challenges[0].id in page
    assert {p.name for p in out.iterdir()} == {
        "challenges.jsonl", "index.html", "logs", "replies.jsonl", "result.json"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--levels", "0"), "no levels"),
        (("--levels", "twenty"), "no levels"),
        (("--levels", "20", "20"), "repeats one"),
        (("--challenges", "1"), "too few"),
        (("--data", "squad:"), "is unknown"),
        (("--data", "written"), "leave out challenge.source written, or give it texts"),
        (("--challenge.near-misses",), "leave out challenge.near_misses"),
        (("--compressor", "random"), "each once"),
        (("--compressor", "referense"), "did you mean reference"),
        (("--challenge.max-tokns", "5"), "did you mean --challenge.max_tokens"),
        (("--out", "/dev/null/x"), "name another --out"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(flags: tuple[str, ...], said: str) -> None:
    status, _, err = run(*BASE, *flags)
    assert status == 2
    assert said in err.replace("\n", " ")


def test_texts_can_be_rewritten_as_a_validators_are(tmp_path: Path) -> None:
    texts = []
    for flags in ((), ("--challenge.rewrite",), ("--challenge.rewrite",)):
        out = tmp_path / f"{len(texts)}.json"
        assert run(*BASE, "--levels", "20", *flags, "--json", str(out))[0] == 0
        texts.append([c.text for c in read_result(out).challenges])
    assert texts[0] != texts[1] == texts[2]


def test_levels_can_be_given_in_any_of_three_ways() -> None:
    for levels in (("--levels", "20", "60"), ("--levels", "20,60"), ("--levels=20 60",)):
        status, said, err = run("--compressor", "truncation", "--proxy", "--challenges", "2", *levels)
        assert status == 0, err
        assert "S(20)" in said and "S(60)" in said and "S(40)" not in said


def test_the_flags_of_a_result_give_its_settings() -> None:
    settings = ChallengeSettings(source="builtin", min_tokens=100, join=True, reuse=False, noise_share=0.5)
    flags = changed_flags(settings)
    loaded = load_settings(BenchmarkSettings, [*flags, "--challenge.source", "builtin"], "test")
    assert loaded.challenge == settings
    assert changed_flags(ChallengeSettings(source="builtin")) == ()
