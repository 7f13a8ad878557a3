"""The command, its tables and its page: all there, and nothing from elsewhere."""

import json
import re
import shlex
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compression_subnet.cli import app
from compression_subnet.incentives.results import ScenarioResult, Terms
from compression_subnet.incentives.scenarios import SCENARIOS
from compression_subnet.incentives.simulate import simulate
from compression_subnet.report.incentives_page import incentives_page
from compression_subnet.report.incentives_plot import incentive_plot, shown_kinds
from compression_subnet.report.incentives_words import command, findings

TERMS = Terms(12, 4, 60, 2.0, 2, 5, 0.85, 1, 0)
SHORT = ["--epochs", "5", "--miners", "2"]


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["incentives", "simulate", *arguments], env={"COLUMNS": "100"})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.fixture(scope="module")
def results() -> list[ScenarioResult]:
    return [simulate(scenario, TERMS) for scenario in SCENARIOS.values()]


class Parsed(HTMLParser):
    def __init__(self, page: str):
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_needs_nothing_from_elsewhere(results: list[ScenarioResult]) -> None:
    page = incentives_page(results)
    parsed = Parsed(page)
    assert parsed.open == []
    names = [tag for tag, _ in parsed.tags]
    assert names.count("svg") == len(SCENARIOS)
    assert not {"script", "link", "img", "iframe"} & set(names)
    assert not re.search(r"https?:|url\(|@import", page)
    assert any(a.get("http-equiv") == "Content-Security-Policy" for _, a in parsed.tags)


def test_lines_are_told_apart_without_colour(results: list[ScenarioResult]) -> None:
    page = incentives_page(results)
    copier = next(result for result in results if result.name == "copier")
    plot = incentive_plot(copier)
    for letter in "ABCD":
        assert f">{letter}</text>" in plot
        assert f'<b class="letter">{letter}</b>' in page
    assert len(set(re.findall(r'class="line (line-\d)"', plot))) == 4
    dashes = re.findall(r"\.line-\d \{[^}]*?(?:dasharray: ([^;]*);)?\s\}", page)
    assert len(dashes) == len(set(dashes)) == 4


def test_letters_of_lines_do_not_cover_each_other(results: list[ScenarioResult]) -> None:
    for result in results:
        circles = re.findall(r'<circle class="point point-\d" cx="[\d.]+" cy="([\d.]+)"', incentive_plot(result))
        places = sorted(map(float, circles))
        assert len(places) == len(shown_kinds(result))
        assert all(b - a >= 17 for a, b in pairwise(places))


def test_every_kind_is_in_the_table() -> None:
    shown = run(*SHORT)
    for scenario in SCENARIOS.values():
        for kind in scenario.kinds:
            assert kind.name in shown
    assert "±" in shown and "one honest" in shown and "copies weights" in shown


def test_findings_say_what_became_of_each_kind(results: list[ScenarioResult]) -> None:
    for result in results:
        assert len(findings(result)) == len(SCENARIOS[result.name].kinds)


def test_json_is_the_whole_result_and_defaults_are_a_validators_own() -> None:
    (found,) = json.loads(run(*SHORT, "--scenario", "noise", "--json"))
    terms = found["terms"]
    assert (terms["challenges"], terms["z"], terms["power"], terms["forgetting"]) == (183, 2.0, 2, 0.85)
    assert terms["min_challenges"] == 40
    assert [kind["name"] for kind in found["kinds"]] == ["8 at random", "truncation", "one honest", "honest field"]


def test_files_are_written_and_the_command_on_the_page_gives_the_same_again(tmp_path: Path) -> None:
    run(*SHORT, "--scenario", "clones", "better", "--z", "1", "--out", str(tmp_path / "new"))
    page = (tmp_path / "new" / "index.html").read_text()
    result = json.loads((tmp_path / "new" / "result.json").read_text())
    again = re.search(r"compression-subnet incentives simulate ([^<]*)", page)
    assert again is not None
    assert json.loads(run(*shlex.split(again[1]), "--json")) == result
    assert [one["name"] for one in result] == ["clones", "better"]


def test_an_unknown_scenario_is_refused_with_the_names_of_all() -> None:
    done = CliRunner().invoke(app, ["incentives", "simulate", "--scenario", "nothing"])
    assert done.exit_code == 2
    assert "clones, sybils, better, entrenched, copier, noise" in done.output


def test_the_command_names_every_setting(results: list[ScenarioResult]) -> None:
    said = command(results)
    for flag in ("epochs", "miners", "challenges", "z", "power", "forgetting", "reveal", "seed"):
        assert f"--{flag} " in said
