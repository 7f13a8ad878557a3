"""docs/validator.md says nothing that is not so: its flags, files, commands, metrics and the log's own words exist."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import typer
from guides import not_said_by_the_code
from prometheus_client import CollectorRegistry

from compression_subnet.cli import app
from compression_subnet.settings import ValidatorSettings
from compression_subnet.validator.watching.metrics import ValidatorMetrics

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs" / "validator.md").read_text()
SYMPTOMS = GUIDE[GUIDE.index("## 9. Symptoms") :]
ROWS = [line for line in SYMPTOMS.splitlines() if line.startswith("|")][2:]


def known_flags() -> set[str]:
    flags = {"--dry-run", "--netuid", "--help"}
    for group, field in ValidatorSettings.model_fields.items():
        nested = getattr(field.annotation, "model_fields", {})
        flags |= {f"--{group}.{name.replace('_', '-')}" for name in nested}
    return flags


def test_every_flag_with_a_dot_is_a_setting() -> None:
    used = set(re.findall(r"--[a-z]+\.[a-z][a-z-]*[a-z]", GUIDE))
    assert len(used) > 15
    assert used <= known_flags()


def test_names_in_the_table_of_settings_are_settings() -> None:
    table = GUIDE[GUIDE.index("| group | look at |") : GUIDE.index("The watchdog's patience")]
    for line in table.splitlines():
        for group in re.findall(r"`--([a-z]+)\.\*`", line)[:1]:
            names = {n for g in re.findall(r"`--([a-z]+)\.\*`", line) for n in _fields(g)}
            for name in re.findall(r"`([a-z_]+)`", line):
                assert name in names, (group, name)


def _fields(group: str) -> set[str]:
    return set(getattr(ValidatorSettings.model_fields[group].annotation, "model_fields", {}))


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"(?:^    |bin/)compression-subnet ((?:[a-z]+ ?)+)", GUIDE, re.M)))
)
def test_every_command_exists(command: str) -> None:
    words = command.split()
    group: object = typer.main.get_command(app)
    for word in words:
        commands = getattr(group, "commands", None)
        if commands is None:
            break
        assert word in commands, command
        group = commands[word]


def test_every_file_it_names_is_there() -> None:
    for name in re.findall(r"\((\.\./)?([a-z_]+(?:/[a-z_.-]+)*\.(?:md|yml))[),#]", GUIDE):
        assert (ROOT / "docs" / (name[0] + name[1])).is_file(), name
    for name in set(re.findall(r"deploy/[a-zA-Z.-]+[a-zA-Z]", GUIDE)) - {"deploy/wallets", "deploy/judge.env"}:
        assert list(ROOT.glob(name + "*")), name


def test_every_metric_it_names_is_there() -> None:
    registry = CollectorRegistry()
    ValidatorMetrics(registry)
    known = {m.name + ("_total" if m.type == "counter" else "") for m in registry.collect()}
    prefix = "compression_subnet_validator_"
    table = GUIDE[GUIDE.index("| metric, after") : GUIDE.index("[deploy/alerts.yml]")]
    lines = table.splitlines()[2:]
    named = {name for line in lines if line for name in re.findall(r"`([a-z_]+)`", line.split("|")[1])}
    labels = {"quantile", "reason"}
    assert {prefix + name for name in named - labels} <= known
    assert len(named) > 15


def test_the_symptoms_are_in_the_words_of_the_code() -> None:
    assert len(ROWS) >= 25
    assert not_said_by_the_code(ROWS) == []


def test_the_sample_settings_are_those_that_the_guide_explains() -> None:
    sample = tomllib.loads((ROOT / "deploy" / "validator.toml").read_text())
    for group in sample:
        assert group == "netuid" or f"--{group}." in GUIDE, group


def test_shell_lines_can_be_split() -> None:
    for block in re.findall(r"(?:^    .*\n)+", GUIDE, re.M):
        for line in block.splitlines():
            shlex.split(line, comments=True)
