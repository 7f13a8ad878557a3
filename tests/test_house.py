"""The rules of the house that a machine can hold: who imports whom, and what an import costs."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "compression_subnet"
FILES = sorted(PACKAGE.rglob("*.py"))

# Which third-party package may be imported by which of our folders.
CONFINED = {
    "bittensor": {"chain", "transport"},
    "openai": {"judge"},
    "torch": {"compressors", "encoders", "judge"},
    "transformers": {"compressors", "encoders", "judge"},
}
# Folders that know nothing of the others.
PURE = {"text": {"text", "errors"}, "scoring": {"scoring", "text", "errors"}, "errors": {"errors"}}


def imports(path: Path) -> set[str]:
    """Full names of all modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def folder(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    for name in imports(path):
        top = name.split(".")[0]
        if top in CONFINED:
            assert folder(path) in CONFINED[top], f"{top} is for {CONFINED[top]}"
        if top == "compression_subnet" and folder(path) in PURE and "." in name:
            assert name.split(".")[1] in PURE[folder(path)], name


@pytest.mark.parametrize("module", ["compression_subnet", "compression_subnet.cli", "compression_subnet.scoring"])
def test_an_import_is_silent_and_light(module: str) -> None:
    heavy = "('torch', 'transformers', 'bittensor', 'openai', 'bpe_openai')"
    code = f"import sys, {module}; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
