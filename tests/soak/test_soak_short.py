"""Seven epochs of the soak; ``make soak`` runs two hundred, of another plan each time."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SEED = 2
"""Of a plan that damages the record, kills, fails disk, clock, chain and judge, and changes the subnet in every way."""
KINDS = {"chain-slow", "chain-drop", "disk-error", "kill", "grow", "damage", "block-jump", "shrink", "judge"}


def soak(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "soak", *flags], cwd=ROOT, capture_output=True, text=True)


def test_a_validator_goes_on_through_faults_of_every_sort_and_its_record_stays_true(tmp_path: Path) -> None:
    output = tmp_path / "outcome.json"
    done = soak("--seed", str(SEED), "--epochs", "7", "--folder", str(tmp_path / "soak"), "--output", str(output))
    assert done.returncode == 0, done.stdout + done.stderr
    outcome = json.loads(output.read_text())
    assert outcome["problems"] == []
    assert set(outcome["faults"]) == KINDS | {"clock-jump", "swap"}
    assert outcome["starts"] == 3 + sum(outcome["exits"].values())
    assert outcome["set_aside"] == 1
    assert outcome["rounds"]["counted"] >= 5
    assert sum(outcome["rounds"].values()) >= 7
    assert outcome["vectors"] >= 3


def test_it_shows_its_plan_and_how_to_replay_it() -> None:
    done = soak("--seed", "11", "--epochs", "4", "--from-epoch", "2", "--plan")
    assert done.stderr == "" and done.returncode == 0
    assert "python -m soak --seed 11 --epochs 4" in done.stdout
    assert "disk-full" in done.stdout and "kill" not in done.stdout


def test_it_refuses_to_begin_after_the_end() -> None:
    done = soak("--seed", "1", "--epochs", "4", "--from-epoch", "4")
    assert done.returncode == 2 and "epochs 0 to 3" in done.stderr
