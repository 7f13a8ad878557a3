"""What can be found out about a record that somebody else published."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from compression_subnet.doctor.check import Check, Status, fail, ok, skipped, worst
from compression_subnet.errors import AuditError, ChainError
from compression_subnet.text import Tokenizer
from compression_subnet.validator.audit.manifest import Manifest
from compression_subnet.validator.audit.onchain import ChainPast, check_chain
from compression_subnet.validator.audit.read import Audit, open_audit
from compression_subnet.validator.records.round_rows import vectors_of
from compression_subnet.validator.rescoring.rescore import Rescored, RescoredRound, rescore

__all__ = ["OpenPast", "Verified", "verify_audit"]

OpenPast = Callable[[Manifest], AbstractAsyncContextManager[ChainPast]]
"""Opens the past of the subnet that a manifest names."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The findings about a file.

    Attributes:
        manifest: what it says of itself; None where that is not signed.
        rescored: what came of recomputing it; None where it was not read.
        checks: everything that was checked, and what could not be, in order.
    """

    manifest: Manifest | None
    rescored: Rescored | None
    checks: tuple[Check, ...]

    @property
    def good(self) -> bool:
        """Whether nothing that was checked failed."""
        return worst(self.checks) is not Status.FAIL


async def verify_audit(
    path: Path,
    tokenizer: Tokenizer,
    open_past: OpenPast | None = None,
    done: Callable[[RescoredRound], None] = lambda one: None,
) -> Verified:
    """Check a published record: signature, digests, every score and weight, and what the chain had.

    Args:
        path: the file.
        tokenizer: the pinned one.
        open_past: makes the past of the subnet that the manifest names; None is to leave the chain alone.
        done: called after each round that is equal.

    Raises:
        StoreError: the file cannot be read. That it was altered is a finding.
    """
    try:
        with open_audit(path) as audit:
            return await _examine(audit, tokenizer, open_past, done)
    except AuditError as error:
        return Verified(None, None, (fail("file", str(error), "ask its publisher for the file again"),))


async def _examine(
    audit: Audit, tokenizer: Tokenizer, open_past: OpenPast | None, done: Callable[[RescoredRound], None]
) -> Verified:
    manifest = audit.manifest
    checks = [
        ok("signature", f"by {manifest.hotkey}, over all of it"),
        ok("digests", f"of {len(manifest.parts)} parts with {sum(p.bytes for p in manifest.parts)} bytes"),
        _check_terms(audit),
    ]
    rescored = await rescore(audit.record, tokenizer, done=done)
    checks += _of_scores(rescored, manifest)
    if open_past is None:
        checks.append(skipped("chain", "not checked: name one with --subtensor.network"))
    else:
        vectors = [(n, vector) for n in manifest.rounds for vector in vectors_of(audit.record.db, n)]
        try:
            async with open_past(manifest) as past:
                checks += await check_chain(past, manifest.hotkey, vectors)
        except ChainError as error:
            checks.append(skipped("chain", f"not checked: {error}"))
    return Verified(manifest, rescored, tuple(checks))


def _check_terms(audit: Audit) -> Check:
    """Check that the manifest says of each round what its rows say."""
    manifest = audit.manifest
    rows = audit.record.db.execute(
        "SELECT number, epoch, profile, spec_version, netuid, hotkey FROM rounds LEFT JOIN terms ON round = number"
    ).fetchall()
    before = {part.round for part in manifest.parts if part.status == "before"}
    found = {tuple(row) for row in rows if row[0] not in before}
    said = {
        (p.round, p.epoch, p.profile, p.spec_version, manifest.netuid, manifest.hotkey)
        for p in manifest.parts
        if p.round not in before
    }
    if found != said:
        number = min(row[0] for row in found ^ said)
        return fail("manifest", f"it says of round {number} what its rows do not", "ask its publisher what it is")
    profiles = {p.profile for p in manifest.parts}
    return ok("manifest", f"subnet {manifest.netuid}, rounds {_span(manifest)}, profile {', '.join(sorted(profiles))}")


def _of_scores(rescored: Rescored, manifest: Manifest) -> list[Check]:
    found = rescored.difference
    if found is not None:
        where = ", ".join(part for part in (found.challenge, found.hotkey, found.field) if part)
        detail = f"round {found.round}, {where}: recorded {found.recorded}, recomputed {found.recomputed}"
        return [fail("scores and weights", detail, "do not trust the scores in this file")]
    rounds = rescored.rounds
    checks = [
        ok(
            "scores and weights",
            f"equal: {sum(r.scores for r in rounds)} scores, {sum(r.averages or 0 for r in rounds)} averages, "
            f"{sum(r.vectors for r in rounds)} vectors of {len(manifest.rounds)} rounds",
        )
    ]
    if before := next((p for p in manifest.parts if p.status == "before"), None):
        checks.append(skipped("averages before", f"those after round {before.round} are taken as they are"))
    return checks


def _span(manifest: Manifest) -> str:
    numbers = manifest.rounds
    return f"{numbers[0]} to {numbers[-1]}" if numbers else "none"
