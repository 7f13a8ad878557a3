"""``new-compressor``: what it writes works at once."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compression_subnet.cli import app


def new(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["new-compressor", *arguments])
    return done.exit_code, done.stdout, done.stderr


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(folder)}


def test_the_new_package_passes_its_own_test_and_can_be_run(tmp_path: Path) -> None:
    status, said, err = new("rare-words", "--dir", str(tmp_path / "mine"))
    assert (status, err) == (0, "")
    folder = tmp_path / "mine" / "rare-words"
    assert str(folder) in said and "rare_words:RareWords" in said
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()) == [
        "README.md", "pyproject.toml", "rare_words.py", "tests/test_rare_words.py"
    ]  # fmt: skip
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning"]
    done = subprocess.run(tests, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout
    command = [sys.executable, "-m", "compression_subnet.cli", "compress", "-", "--compressor", "rare_words:RareWords"]
    text = "The harbour was deepened in 1921. It rained. Ada Renn paid for it, with 300 crowns of her own."
    done = subprocess.run(command, env=environment(folder), input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert 0 < len(done.stdout.strip()) < len(text)


def test_its_files_say_what_they_should(tmp_path: Path) -> None:
    assert new("a1-b", "--dir", str(tmp_path))[0] == 0
    folder = tmp_path / "a1-b"
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["compression_subnet.compressors"]
    assert points == {"a1-b": "a1_b:A1B"}
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"] == ["a1_b.py"]
    for file in folder.rglob("*.py"):
        ast.parse(file.read_text())
    assert not [f for f in folder.rglob("*") if f.is_file() and "$" in f.read_text()]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Rare", "small letters"),
        ("rare_words", "small letters"),
        ("9lives", "small letters"),
        ("rare--words", "small letters"),
        ("../rare", "small letters"),
        ("", "small letters"),
        ("x" * 41, "small letters"),
        ("reference", "already"),
        ("import", "Python has already"),
        ("json", "Python has already"),
        ("numpy", "Python has already"),
        ("compression-subnet", "Python has already"),
    ],
)
def test_a_bad_name_is_refused(name: str, said: str, tmp_path: Path) -> None:
    status, _, err = new(name, "--dir", str(tmp_path))
    assert status == 2
    assert said in err
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rare-words").mkdir()
    status, _, err = new("rare-words", "--dir", str(tmp_path))
    assert (status, "exists already" in err) == (2, True)
    assert not list((tmp_path / "rare-words").iterdir())
    (tmp_path / "file").write_text("")
    assert "cannot be written" in new("rare-words", "--dir", str(tmp_path / "file"))[2]
