"""What a guide quotes of the program, and what the program really says."""

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
SPACE = re.compile(r"\s+")


@cache
def sayings() -> tuple[str, ...]:
    """Every string of the package, f-strings piece by piece."""
    found: list[str] = []
    for path in sorted((ROOT / "compression_subnet").rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text()))
        found += [SPACE.sub(" ", n.value) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return tuple(found)


def not_said_by_the_code(rows: Sequence[str], named: Sequence[str] = ()) -> list[str]:
    """Return the quoted words in the first column of a table of symptoms that are in no string of the package.

    Of a quotation with an ellipsis each part is looked for; flags, very short parts, and those ``named`` are not.
    """
    parts = [
        part.strip(" ?():;")
        for row in rows
        for words in re.findall(r"`([^`]+)`", row.split("|")[1])
        for part in words.split("…")
    ]
    looked_for = [p for p in parts if len(p) >= 6 and not p.startswith("--") and p not in ("round_seconds", "missing")]
    assert len(looked_for) > len(rows) / 2
    return [part for part in looked_for if part not in named and not any(part in one for one in sayings())]
