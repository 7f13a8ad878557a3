import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from compression_subnet import __version__
from compression_subnet.cli import app
from compression_subnet.text import get_tokenizer

TEXT = (
    "The survey of Port Halden began in March 1921 under Ada Renn. Two barges came from the yard at Oskarnes. "
    "It rained for most of the spring. The deepest sounding was forty metres, off Gull Point. "
) * 4


def run(*argv: str, text: str | bytes | None = None) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(argv), input=text)
    return result.exit_code, result.stdout, result.stderr


def test_version() -> None:
    assert run("--version") == (0, f"{__version__}\n", "")


def test_compress_from_standard_input() -> None:
    status, out, _ = run("compress", "-", "--level", "40", text=TEXT)
    assert status == 0
    assert 0 < get_tokenizer().count(out.strip()) <= get_tokenizer().count(TEXT) * 40 // 100


@pytest.mark.parametrize("name", ["reference", "truncation", "random"])
@pytest.mark.parametrize("level", [20, 40, 60])
def test_compress_as_json(tmp_path: Path, name: str, level: int) -> None:
    file = tmp_path / "text.txt"
    file.write_text(TEXT)
    status, out, _ = run("compress", str(file), "--level", str(level), "--compressor", name, "--json")
    data = json.loads(out)
    assert status == 0
    assert {"compressed_text", "tokens", "budget_tokens", "tokens_in", "compressor", "seconds"} <= set(data)
    assert data["tokens"] == get_tokenizer().count(data["compressed_text"]) <= data["budget_tokens"]
    assert data["compressor"] == name


@pytest.mark.parametrize(
    ("argv", "text", "said"),
    [
        (("compress", "/nowhere.txt"), None, "/nowhere.txt cannot be read"),
        (("compress", "-"), b"\xff\xfe\x00", "not UTF-8"),
        (("compress", "-", "--compressor", "referense"), b"text", "reference"),
        (("compress", "-", "--compressor", "no.such.module:Thing"), b"text", "no.such.module"),
        (("judge", "serve", "--port", "0", "--gguf", "/nowhere.gguf"), None, "/nowhere.gguf"),
    ],
)
def test_errors_are_one_line_that_names_the_fix(argv: tuple[str, ...], text: bytes | None, said: str) -> None:
    status, out, err = run(*argv, text=text)
    assert status == 2
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_compressors_are_listed() -> None:
    assert set(run("compressors")[1].split()) >= {"reference", "truncation", "random"}
