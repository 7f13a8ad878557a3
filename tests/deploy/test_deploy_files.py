"""The files in deploy/: they parse, and every flag, setting and metric in them is one that there is."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import CollectorRegistry

from compression_subnet.settings import ValidatorSettings, load_settings
from compression_subnet.stopping import CLOSING_SECONDS
from compression_subnet.validator.watching.metrics import ValidatorMetrics

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "compression-subnet-validator.service"
UNITS = sorted([*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")])


def unit(path: Path) -> dict[str, list[str]]:
    """All values of a systemd unit, by key."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        if "=" in line and not line.startswith("#"):
            key, _, value = line.partition("=")
            found.setdefault(key, []).append(value)
    return found


def yaml_of(name: str) -> Any:
    return yaml.safe_load((DEPLOY / name).read_text())


def entrypoint() -> list[str]:
    (line,) = re.findall(r"^ENTRYPOINT (\[.*\])$", (DEPLOY / "Dockerfile").read_text(), re.M)
    return list(json.loads(line))


def pm2() -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    code = f"console.log(JSON.stringify(require({json.dumps(str(DEPLOY / 'validator.config.js'))})))"
    done = subprocess.run(
        [node, "-e", code], capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]}
    )
    (app,) = json.loads(done.stdout)["apps"]
    return dict(app)


def settings_from(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> ValidatorSettings:
    """Load the sample file and these flags, as the validator would; an unknown one ends the test."""
    for name in list(os.environ):
        if name.startswith(("CS_", "BT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CS_CONFIG", str(DEPLOY / "validator.toml"))
    return load_settings(ValidatorSettings, arguments, "validator.py")


def after_script(command: list[str]) -> list[str]:
    (place,) = [i for i, word in enumerate(command) if word.endswith("neurons/validator.py")]
    return command[place + 1 :]


def test_the_sample_file_is_taken_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_from([], monkeypatch)
    for group, values in tomllib.loads((DEPLOY / "validator.toml").read_text()).items():
        for name, value in values.items() if isinstance(values, dict) else ():
            found = getattr(getattr(settings, group), name)
            assert str(found) == str(value), (group, name)


def test_systemds_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_from(after_script(shlex.split(unit(UNIT)["ExecStart"][0])), monkeypatch)
    assert settings.wallet.path == Path("/var/lib/compression-subnet/wallets")


def test_the_containers_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    service = yaml_of("compose.yaml")["services"]["validator"]
    settings = settings_from([*after_script(entrypoint()), *service["command"]], monkeypatch)
    assert settings.neuron.store == Path("/data/validator.sqlite")
    # What is published is what is listened on, and only to the machine itself.
    assert service["ports"] == [f"127.0.0.1:9464:{settings.ops.port}"]
    assert settings.ops.host == "0.0.0.0"
    assert f":{settings.ops.port}/healthz" in (DEPLOY / "Dockerfile").read_text()


def test_pm2s_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    app = pm2()
    settings_from(app["args"], monkeypatch)
    assert (ROOT / app["script"]).is_file()
    assert Path(app["cwd"]) == ROOT
    assert Path(app["env"]["CS_CONFIG"]) == DEPLOY / "validator.toml"


def test_each_supervisor_waits_longer_than_closing_takes_and_leaves_wrong_settings_alone() -> None:
    assert int(unit(UNIT)["TimeoutStopSec"][0]) > CLOSING_SECONDS
    assert unit(UNIT)["RestartPreventExitStatus"] == ["2"]
    grace = yaml_of("compose.yaml")["services"]["validator"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > CLOSING_SECONDS
    app = pm2()
    assert app["kill_timeout"] / 1000 > CLOSING_SECONDS
    assert 2 in app["stop_exit_codes"] and 3 not in app["stop_exit_codes"]


def test_the_image_holds_what_the_compose_file_builds_from() -> None:
    build = yaml_of("compose.yaml")["services"]["validator"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    dockerfile = ROOT / build["dockerfile"]
    kept = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[:1] == "!"}
    copied = {name for line in re.findall(r"^COPY (.*)$", dockerfile.read_text(), re.M) for name in line.split()[:-1]}
    assert copied == kept
    assert all((ROOT / name).exists() for name in copied)


def test_alerts_are_about_metrics_that_there_are() -> None:
    registry = CollectorRegistry()
    ValidatorMetrics(registry)
    names = {metric.name for metric in registry.collect()}
    known = names | {f"{name}_total" for name in names}
    rules = [rule for group in yaml_of("alerts.yml")["groups"] for rule in group["rules"]]
    used = {name for rule in rules for name in re.findall(r"compression_subnet_\w+", rule["expr"])}
    assert len(rules) >= 10 and used
    assert used <= known
    assert all(rule["annotations"]["summary"] for rule in rules)


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_finds_nothing_wrong(path: Path, tmp_path: Path) -> None:
    """Verified as it is, but for programs that are on an operator's machine and not here."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    there = tmp_path / "opt"
    for program in (".venv/bin/python", "deploy/update.sh"):
        (there / program).parent.mkdir(parents=True, exist_ok=True)
        (there / program).write_text("#!/bin/sh\n")
        (there / program).chmod(0o755)
    for one in UNITS:
        (tmp_path / one.name).write_text(one.read_text().replace("/opt/compression-subnet", str(there)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(tmp_path / path.name)], capture_output=True, text=True
    )
    complaints = [line for line in done.stderr.splitlines() if path.name in line]
    assert complaints == [], done.stderr


def test_the_update_script_is_a_shells_and_runs_what_there_is() -> None:
    script = DEPLOY / "update.sh"
    assert os.access(script, os.X_OK)
    subprocess.run(["sh", "-n", str(script)], check=True)
    assert "update --check" in script.read_text() and "update --apply" in script.read_text()
    service = unit(DEPLOY / "compression-subnet-update.service")["ExecStart"][0].split()
    assert service[0].endswith("/deploy/update.sh")
    assert f"{service[1]}.service" == UNIT.name
    assert service[2] == unit(UNIT)["User"][0]


@pytest.mark.parametrize(
    ("active", "check", "apply", "status", "calls"),
    [
        (3, 1, 0, 0, ["is-active"]),
        (0, 0, 0, 0, ["is-active", "--check"]),
        (0, 2, 0, 2, ["is-active", "--check"]),
        (0, 1, 0, 0, ["is-active", "--check", "stop", "--apply --store record", "start"]),
        (0, 1, 1, 1, ["is-active", "--check", "stop", "--apply --store record", "start"]),
    ],
)
def test_the_update_script_stops_a_neuron_only_for_a_newer_release_and_always_starts_it_again(
    tmp_path: Path, active: int, check: int, apply: int, status: int, calls: list[str]
) -> None:
    log = tmp_path / "log"
    programs = {
        "bin/systemctl": f'echo "$1" >> {log}; [ "$1" != is-active ] || exit {active}',
        "bin/runuser": 'shift 3; exec "$@"',
        ".venv/bin/compression-subnet": f'shift; echo "$*" >> {log}; [ "$1" = --check ] && exit {check}; exit {apply}',
    }
    for name, body in programs.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "deploy").mkdir()
    script = shutil.copy(DEPLOY / "update.sh", tmp_path / "deploy")
    environment = {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run([script, "unit", "user", "record"], env=environment, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert log.read_text().splitlines() == calls
