"""A published record: whole, signed, late enough, and nothing in it can be changed."""

import asyncio
import gzip
import hashlib
import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from bittensor.sp_core import Keypair
from recorded_run import record_run

from compression_subnet.errors import AuditError
from compression_subnet.text import get_tokenizer
from compression_subnet.transport.statements import sign_statement
from compression_subnet.validator.audit.export import ExportPolicy, choose_rounds, export_audit
from compression_subnet.validator.audit.manifest import FORMAT, Manifest, manifest_line, signature_line
from compression_subnet.validator.audit.read import is_audit, open_audit
from compression_subnet.validator.audit.verify import Verified, verify_audit
from compression_subnet.validator.records.archive import archive_folder, write_archive
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.round_rows import rounds_in

KEY = Keypair.create_from_uri("//publisher")
ALL = ExportPolicy(delay=0)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "validator.sqlite"
    asyncio.run(record_run(path, KEY.ss58_address))
    return path


@pytest.fixture(scope="module")
def published(run: Path) -> Path:
    """Rounds 2 to 4."""
    out = run.with_name("audit")
    export(run, out, (2, 4))
    return out


def export(
    store: Path, out: Path, wanted: tuple[int, int] | None = None, policy: ExportPolicy = ALL, key: Keypair = KEY
) -> Manifest:
    with open_record(store) as record:
        return export_audit(record.db, store, out, key, wanted, policy, clock=lambda: 1e9)


def verified(path: Path) -> Verified:
    return asyncio.run(verify_audit(path, get_tokenizer()))


def failures(found: Verified) -> list[str]:
    return [f"{check.name}: {check.detail}" for check in found.checks if check.status.value == "fail"]


def test_a_published_record_is_found_good_and_says_what_was_not_checked(published: Path) -> None:
    found = verified(published)
    assert found.good
    assert found.manifest is not None
    assert found.manifest.rounds == (2, 3, 4)
    assert found.manifest.hotkey == KEY.ss58_address
    assert found.rescored is not None
    assert [(r.number, r.averages, r.vectors) for r in found.rescored.rounds] == [
        (1, None, 0),
        (2, 8, 1),
        (3, None, 0),
        (4, 7, 1),
    ]
    assert {c.name: c.status.value for c in found.checks} == {
        "signature": "ok",
        "digests": "ok",
        "manifest": "ok",
        "scores and weights": "ok",
        "averages before": "skipped",
        "chain": "skipped",
    }


def test_from_the_first_round_on_nothing_is_taken_on_trust(run: Path, tmp_path: Path) -> None:
    assert export(run, tmp_path / "all").rounds == (1, 2, 3, 4, 5, 6)
    found = verified(tmp_path / "all")
    assert found.good
    assert "averages before" not in {c.name for c in found.checks}


def test_the_rows_can_be_read_without_us(published: Path) -> None:
    first, _, rest = published.read_bytes().split(b"\n", 2)
    assert json.loads(first)["format"] == FORMAT
    rows = [json.loads(line) for line in gzip.decompress(rest).splitlines()]
    assert sum(isinstance(row, list) and row[0] == "challenges" for row in rows) == 99
    assert not any(isinstance(row, list) and row[0] == "faults" for row in rows)


def test_the_same_rounds_give_the_same_file_but_for_the_signature(run: Path, published: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "again", (2, 4))
    one, other = (path.read_bytes().split(b"\n", 2) for path in (published, tmp_path / "again"))
    assert (one[0], one[2]) == (other[0], other[2])


def test_any_byte_that_is_changed_is_found(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "audit", (1, 1))
    data = (tmp_path / "audit").read_bytes()
    head = data.index(b"\n", data.index(b"\n") + 1) + 1
    # Every byte of the two lines; of the parts those where gzip keeps what it does not read, and some of the others.
    positions = [*range(head + 10), *range(head, len(data), len(data) // 20), *range(len(data) - 8, len(data))]
    path = tmp_path / "changed"
    for position in positions:
        path.write_bytes(data[:position] + bytes([data[position] ^ 0x20]) + data[position + 1 :])
        with pytest.raises(AuditError), open_audit(path):
            pass


@pytest.mark.parametrize("cut", [0, 1, 100, 700, 5000])
def test_a_file_that_is_cut_off_or_longer_is_found(published: Path, tmp_path: Path, cut: int) -> None:
    data = published.read_bytes()
    for changed in (data[:cut], data[: len(data) - cut - 1], data + b"\n" * (cut + 1)):
        (tmp_path / "changed").write_bytes(changed)
        found = verified(tmp_path / "changed")
        assert not found.good
        assert len(failures(found)) == 1


def test_the_signature_is_the_hotkeys_and_over_this_kind_of_file(published: Path, tmp_path: Path) -> None:
    line, _, rest = published.read_bytes().split(b"\n", 2)
    other = Keypair.create_from_uri("//somebody-else")
    for signature in (sign_statement(other, FORMAT, line), sign_statement(KEY, "another kind", line)):
        (tmp_path / "changed").write_bytes(line + b"\n" + signature_line(signature) + b"\n" + rest)
        assert "the signature is not" in failures(verified(tmp_path / "changed"))[0]


def test_an_altered_score_is_found_though_its_validator_signs_it(run: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(run, tmp_path / "forged.sqlite"))
    with closing(sqlite3.connect(store)) as db, db:
        db.execute("UPDATE replies SET score = '1' WHERE hotkey = 'two' AND challenge = 'c40'")
    export(store, tmp_path / "forged", (2, 4))
    (failure,) = failures(verified(tmp_path / "forged"))
    assert failure.startswith("scores and weights: round 2, c40, two, score: recorded 1, recomputed")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"profile": "another"}, "it says of round 2 what its rows do not"),
        ({"epoch": 1}, "it says of round 2 what its rows do not"),
        ({"round": 9}, "the part of round 9 holds round 2"),
        ({"bytes": 10}, "the part of round 2 was altered or is cut off"),
    ],
)
def test_a_manifest_that_lies_is_found_though_it_is_signed(
    published: Path, tmp_path: Path, change: dict[str, object], complaint: str
) -> None:
    line, _, rest = published.read_bytes().split(b"\n", 2)
    manifest = json.loads(line)
    manifest["parts"][1] |= change
    line = json.dumps(manifest).encode()
    signature = sign_statement(KEY, FORMAT, line)
    (tmp_path / "changed").write_bytes(line + b"\n" + signature_line(signature) + b"\n" + rest)
    assert complaint in failures(verified(tmp_path / "changed"))[0]


def test_rows_that_are_signed_and_make_no_record_are_an_error_of_ours(published: Path, tmp_path: Path) -> None:
    with open_audit(published) as audit:
        manifest = audit.manifest
    folder = tmp_path / "parts"
    for lines in (b"nothing", b'["rounds"]\n', b'{"format": 1}\n'):
        part = gzip.compress(lines)
        one = replace(manifest.parts[1], bytes=len(part), sha256=hashlib.sha256(part).hexdigest())
        line = manifest_line(replace(manifest, parts=(one,)))
        folder.mkdir(exist_ok=True)
        path = folder / "audit"
        path.write_bytes(line + b"\n" + signature_line(sign_statement(KEY, FORMAT, line)) + b"\n" + part)
        assert "is signed, and no archive" in failures(verified(path))[0]


def test_rounds_that_are_young_running_unknown_or_reused_are_refused(run: Path, tmp_path: Path) -> None:
    # Epochs of the rounds are 10 apart at most; the newest is 20.
    with pytest.raises(AuditError, match=r"round 2 is 8 epochs old, and is published after 10"):
        export(run, tmp_path / "out", (2, 6), ExportPolicy())
    assert export(run, tmp_path / "out", None, ExportPolicy(delay=8)).rounds == (1, 2)
    with pytest.raises(AuditError, match="no round is 50 epochs old"):
        export(run, tmp_path / "out", None, ExportPolicy(delay=50))
    with pytest.raises(AuditError, match="no round 7"):
        export(run, tmp_path / "out", (5, 8))
    with open_record(run) as record:
        rounds = rounds_in(record.db)
    running = [replace(r, status="running") if r.number == 2 else r for r in rounds]
    with pytest.raises(AuditError, match="round 2 is under way"):
        choose_rounds(running, (1, 3), ALL)
    assert [r.number for r in choose_rounds(running, None, ALL)] == [1]
    with pytest.raises(AuditError, match="round 2 is under way"):
        choose_rounds(running, (2, 2), replace(ALL, force=True))
    reused = [replace(r, terms=replace(r.terms, reuse=True)) for r in rounds if r.terms is not None]
    with pytest.raises(AuditError, match=r"used again .*--force"):
        choose_rounds(reused, (1, 1), ALL)
    assert choose_rounds(reused, (1, 1), ExportPolicy(force=True))
    with pytest.raises(AuditError, match="earlier release"):
        choose_rounds([replace(r, terms=None) for r in rounds], (1, 1), ALL)


def test_only_the_validator_of_the_record_can_publish_it(run: Path, tmp_path: Path) -> None:
    with pytest.raises(AuditError, match="name the validator's wallet"):
        export(run, tmp_path / "out", key=Keypair.create_from_uri("//somebody-else"))
    assert not list(tmp_path.iterdir())


def test_a_round_that_left_the_record_is_published_from_its_archive(run: Path, published: Path, tmp_path: Path) -> None:
    store = Path(shutil.copy(run, tmp_path / "validator.sqlite"))
    with closing(sqlite3.connect(store)) as db, db:
        write_archive(db, 2, archive_folder(store))
        for table in ("answers", "replies", "controls", "requests"):
            db.execute(f"DELETE FROM {table} WHERE challenge IN (SELECT id FROM challenges WHERE round = 2)")
        db.execute("DELETE FROM challenges WHERE round = 2")
        (name,) = (path.name for path in archive_folder(store).iterdir())
        db.execute("UPDATE rounds SET archive = ? WHERE number = 2", (name,))
    export(store, tmp_path / "audit", (2, 4))
    assert verified(tmp_path / "audit").good
    assert (tmp_path / "audit").read_bytes().split(b"\n", 2)[2] == published.read_bytes().split(b"\n", 2)[2]


def test_a_record_and_a_published_one_are_told_apart(run: Path, published: Path) -> None:
    assert is_audit(published)
    assert not is_audit(run)
