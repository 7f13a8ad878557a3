"""The whole run recomputed at its end: what is in the records, and what left them for archives."""

import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from compression_subnet.errors import StoreError
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.archive import archive_folder, restore
from compression_subnet.validator.rescoring.rescore import rescore
from soak.ledger import reading

__all__ = ["ARCHIVES", "Recomputed", "lost_archives", "recompute"]

ARCHIVES: Final = "*.jsonl.gz"


@dataclass(frozen=True, slots=True)
class Recomputed:
    """A record, recomputed: how many rounds of each status are equal, of these how many in archives; what is wrong."""

    rounds: dict[str, int]
    archived: int
    problems: tuple[str, ...]


def recompute(path: Path) -> Recomputed:
    """Recompute a record, and the archives that it names."""
    try:
        rounds, difference = _rescored(path)
        problems = [f"rescore of {path.name} finds {difference}"] if difference else []
        archived, trouble = _of_archives(path, rounds)
    except sqlite3.Error as error:
        return Recomputed({}, 0, (f"{path.name} cannot be read: {error}",))
    return Recomputed(dict(rounds), archived, (*problems, *trouble))


def _of_archives(path: Path, rounds: Counter[str]) -> tuple[int, list[str]]:
    """Recompute the archives that a record names; count their rounds in ``rounds``."""
    with reading(path) as record:
        names = [row[0] for row in record.db.execute("SELECT archive FROM rounds WHERE archive IS NOT NULL")]
    if not names:
        return 0, []
    with tempfile.TemporaryDirectory() as folder:
        restored = Path(folder) / "restored.sqlite"
        try:
            archived = len(restore([archive_folder(path) / name for name in names], restored))
        except StoreError as error:
            return 0, [f"the archives of {path.name} cannot be restored: {error}"]
        again, difference = _rescored(restored)
    rounds.update(again)
    return archived, [f"rescore of the archives of {path.name} finds {difference}"] if difference else []


def lost_archives(before: Path, kept: Iterable[Path]) -> list[str]:
    """Return the archives in the folder ``before`` whose content is in none of the files that were ``kept``."""
    there = {_digest(file) for file in kept}
    return [file.name for file in sorted(before.glob(ARCHIVES)) if _digest(file) not in there]


def _rescored(path: Path) -> tuple[Counter[str], str]:
    with reading(path) as record:
        found = asyncio.run(rescore(record, get_tokenizer()))
        elsewhere = {row[0] for row in record.db.execute("SELECT number FROM rounds WHERE archive IS NOT NULL")}
    rounds = Counter(one.status for one in found.rounds if one.number not in elsewhere)
    return rounds, str(found.difference) if found.difference else ""


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()
