"""Writing a record that anybody may read: whole rounds, signed, and no earlier than their answers are dead."""

import contextlib
import hashlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Final

from compression_subnet import __version__
from compression_subnet.chain.wallets import Hotkey
from compression_subnet.database import open_database, transaction
from compression_subnet.errors import AuditError, StoreError
from compression_subnet.transport.statements import sign_statement
from compression_subnet.validator.audit.manifest import FORMAT, Manifest, Part, manifest_line, signature_line
from compression_subnet.validator.records.archive import archive_folder, archive_path, restore, write_archive
from compression_subnet.validator.records.round_rows import RecordedRound, round_before, rounds_in
from compression_subnet.validator.records.schema import MIGRATIONS, RECORD

__all__ = ["DELAY_EPOCHS", "PRIVATE_TABLES", "ExportPolicy", "choose_rounds", "export_audit"]

DELAY_EPOCHS: Final = 10
"""Epochs after a round's own before it is published, by default: half a day of 72-minute epochs.

A challenge is asked once, so its answers are dead when its round ends. Weights are not: where a subnet hides them by
commit-reveal, a file that came before the reveal would show them. No subnet is known to hide them longer than this.
"""
PRIVATE_TABLES: Final = frozenset({"faults"})
"""Of the operator's own house: what failed, with addresses of providers. No score depends on it."""


@dataclass(frozen=True, slots=True)
class ExportPolicy:
    """What may be published.

    Attributes:
        delay: epochs that must have passed since a round's own.
        force: publish what gives answers away, all the same.
    """

    delay: int = DELAY_EPOCHS
    force: bool = False


def choose_rounds(
    rounds: Sequence[RecordedRound], wanted: tuple[int, int] | None, policy: ExportPolicy
) -> list[RecordedRound]:
    """Return the rounds to publish, in order.

    Args:
        rounds: headers of all that the record has.
        wanted: first and last; None is all that are old enough.
        policy: what may be published.

    Raises:
        AuditError: there are none, or one that is wanted may not be published; the message says why and what to do.
    """
    newest = max((r.epoch for r in rounds), default=0)
    if wanted is None:
        known = dropwhile(lambda r: r.terms is None, rounds)
        chosen = list(takewhile(lambda r: _fault(r, newest, policy) is None, known))
    else:
        first, last = wanted
        chosen = [r for r in rounds if first <= r.number <= last]
        missing = next((n for n in range(first, last + 1) if n not in {r.number for r in chosen}), None)
        if missing is not None or first > last:
            raise AuditError(f"the record has no round {missing or first} of the rounds {first}-{last}")
        if fault := next((found for r in chosen if (found := _fault(r, newest, policy))), None):
            raise AuditError(fault)
    if not chosen:
        raise AuditError(
            f"no round is {policy.delay} epochs old yet: wait, or lower --delay where answers and weights cannot leak"
        )
    reused = next((r.number for r in chosen if r.terms is not None and r.terms.reuse), None)
    if reused is not None and not policy.force:
        raise AuditError(
            f"round {reused} was made of texts that are used again (challenge.reuse): to publish it gives away answers "
            "of rounds to come; --force does so all the same"
        )
    return chosen


def _fault(one: RecordedRound, newest: int, policy: ExportPolicy) -> str | None:
    """Return why a round may not be published, or None."""
    if one.status == "running":
        return f"round {one.number} is under way: its answers are alive; end the range before it"
    if one.terms is None:
        return f"round {one.number} was recorded by an earlier release, without what weights depend on"
    if newest - one.epoch < policy.delay and not policy.force:
        return (
            f"round {one.number} is {newest - one.epoch} epochs old, and is published after {policy.delay}: wait, or "
            "lower --delay where neither answers nor weights can leak"
        )
    return None


def export_audit(
    db: sqlite3.Connection,
    record: Path,
    out: Path,
    hotkey: Hotkey,
    wanted: tuple[int, int] | None = None,
    policy: ExportPolicy | None = None,
    clock: Callable[[], float] = time.time,
) -> Manifest:
    """Write rounds of a record to the file ``out``, and return its manifest.

    Args:
        db: the record, open; read inside one transaction while its validator runs.
        record: its file, beside which archived rounds lie.
        out: replaced in one step at the end.
        hotkey: the validator's, which signs.
        wanted: first and last round; None is all that are old enough.
        policy: what may be published.
        clock: seconds since 1970.

    Raises:
        AuditError: nothing may be published, or not by this hotkey.
        StoreError: the record cannot be read, or ``out`` not be written.
    """
    rounds = rounds_in(db)
    chosen = choose_rounds(rounds, wanted, policy or ExportPolicy())
    netuid = _common_subnet(chosen, hotkey.ss58_address)
    before = round_before(rounds, chosen[0].number)
    partial = out.with_name(f"{out.name}.partial")
    try:
        with tempfile.TemporaryDirectory(prefix="compression-subnet-audit-") as name:
            files = list(_files(db, record, Path(name), before, chosen))
            manifest = Manifest(
                format=FORMAT,
                version=__version__,
                netuid=netuid,
                hotkey=hotkey.ss58_address,
                made=int(clock()),
                reused=any(r.terms is not None and r.terms.reuse for r in chosen),
                parts=tuple(_part(one, file, one is before) for one, file in files),
            )
            line = manifest_line(manifest)
            with partial.open("wb") as target:
                target.write(line + b"\n" + signature_line(sign_statement(hotkey, FORMAT, line)) + b"\n")
                for _, file in files:
                    with file.open("rb") as source:
                        shutil.copyfileobj(source, target)
            partial.replace(out)
    except OSError as error:
        raise StoreError(f"{out} cannot be written: {error}; free space, or name another file") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    return manifest


def _common_subnet(chosen: Sequence[RecordedRound], address: str) -> int:
    terms = [r.terms for r in chosen if r.terms is not None]
    if other := next((t.hotkey for t in terms if t.hotkey != address), None):
        raise AuditError(f"the record is hotkey {other}'s, and the wallet's is {address}: name the validator's wallet")
    if len({t.netuid for t in terms}) > 1:
        raise AuditError("these rounds are of two subnets: publish each subnet's with --rounds")
    return terms[0].netuid


def _files(
    db: sqlite3.Connection, record: Path, folder: Path, before: RecordedRound | None, chosen: Sequence[RecordedRound]
) -> Iterator[tuple[RecordedRound, Path]]:
    """Yield each round with a file of its rows."""
    if before is not None:
        yield before, _averages_file(db, before.number, folder)
    for one in chosen:
        if one.archive is None:
            yield one, _file(db, one.number, folder)
            continue
        restored = folder / f"{one.number}.sqlite"
        restore([archive_folder(record) / one.archive], restored)
        with closing(sqlite3.connect(restored)) as archived:
            yield one, _file(archived, one.number, folder)
        restored.unlink()


def _file(db: sqlite3.Connection, number: int, folder: Path) -> Path:
    write_archive(db, number, folder, without=PRIVATE_TABLES)
    return archive_path(folder, number)


def _averages_file(db: sqlite3.Connection, number: int, folder: Path) -> Path:
    """Return a file with a round's header, terms and averages, its challenges said to be elsewhere."""
    path = folder / "before.sqlite"
    with closing(open_database(path, MIGRATIONS, RECORD)) as copy:
        with transaction(copy):
            for table, column in (("rounds", "number"), ("terms", "round"), ("average_history", "round")):
                for row in db.execute(f"SELECT * FROM {table} WHERE {column} = ?", (number,)):
                    copy.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", tuple(row))
            copy.execute("UPDATE rounds SET archive = 'an earlier audit file'")
        return _file(copy, number, folder)


def _part(one: RecordedRound, file: Path, is_before: bool) -> Part:
    with file.open("rb") as data:
        sha256 = hashlib.file_digest(data, "sha256").hexdigest()
    return Part(
        round=one.number,
        epoch=one.epoch,
        status="before" if is_before else one.status,  # type: ignore[arg-type]
        profile=one.profile,
        spec_version=one.terms.spec_version if one.terms is not None else 0,
        bytes=file.stat().st_size,
        sha256=sha256,
    )
