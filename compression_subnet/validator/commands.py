"""``compression-subnet rescore`` and ``audit``. What they need is imported when they run."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from compression_subnet.validator.records.record import Record

__all__ = ["audit_explain", "audit_export", "audit_show", "audit_verify", "rescore"]

Store = Annotated[Path, typer.Option(help="File of the validator's record (neuron.store).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Round = Annotated[int | None, typer.Option("--round", min=1, help="Number of the round.")]


def rescore(
    store: Store = Path("validator.sqlite"),
    number: Annotated[int | None, typer.Option("--round", min=1, help="One round alone; all if not given.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every verdict, score, average and weight from the record, without a model, and compare.

    Exit status 0 where all is equal; 1 with the first difference.
    """
    from rich.console import Console

    from compression_subnet.report.rescore import rescored_json, rescored_table
    from compression_subnet.text import get_tokenizer
    from compression_subnet.validator.rescoring import rescore as rescoring

    progress = Console(stderr=True)
    with _snapshot(store) as record:
        found = asyncio.run(
            rescoring.rescore(
                record,
                get_tokenizer(),
                number,
                lambda one: progress.print(f"round {one.number}: {one.challenges} challenges, {one.replies} replies"),
            )
        )
    _show(rescored_json(found) if as_json else rescored_table(found), as_json)
    raise typer.Exit(0 if found.equal else 1)


def audit_export(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(help="File to write.")],
    store: Store = Path("validator.sqlite"),
    rounds: Annotated[
        str | None, typer.Option(help="A-B, or one number; all that are old enough if not given.")
    ] = None,
    delay: Annotated[
        int | None, typer.Option(min=0, help="Epochs that must have passed since a round's own; 10 if not given.")
    ] = None,
    force: Annotated[bool, typer.Option(help="Publish also what gives answers or weights away.")] = False,
) -> None:
    """Write a record that anybody may read and check, signed by the validator's hotkey.

    The wallet is named by a validator's own flags: --wallet.name, --wallet.hotkey, --wallet.path. Rounds are published
    some epochs after their own, when neither their answers nor their weights can leak.
    """
    from compression_subnet.chain.wallets import load_hotkey
    from compression_subnet.settings import AuditSettings, load_settings
    from compression_subnet.validator.audit.export import DELAY_EPOCHS, ExportPolicy, export_audit

    wallet = load_settings(AuditSettings, ctx.args, "compression-subnet audit export").wallet
    hotkey = load_hotkey(wallet.name, wallet.hotkey, wallet.path)
    policy = ExportPolicy(DELAY_EPOCHS if delay is None else delay, force)
    with _snapshot(store) as record:
        manifest = export_audit(record.db, store, out, hotkey, _range(rounds), policy)
    print(f"{out}: rounds {', '.join(map(str, manifest.rounds))}, signed by {manifest.hotkey}")


def audit_verify(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="File that `audit export` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Check a published record: its signature and digests, every score and weight in it, and the chain.

    The chain is asked where it is named: --subtensor.network or --subtensor.chain_endpoint; --subtensor.timeout is the
    deadline of a call. Exit status 0 where nothing that was checked failed, and what was not checked is listed; else 1.
    """
    from rich.console import Console

    from compression_subnet.chain.history import open_history
    from compression_subnet.report.audit import verified_json
    from compression_subnet.report.doctor import doctor_table
    from compression_subnet.settings import AuditSettings, load_settings
    from compression_subnet.text import get_tokenizer
    from compression_subnet.validator.audit.verify import verify_audit

    settings = load_settings(AuditSettings, ctx.args, "compression-subnet audit verify")
    chain = settings.subtensor if any("subtensor" in argument for argument in ctx.args) else None
    progress = Console(stderr=True)
    found = asyncio.run(
        verify_audit(
            file,
            get_tokenizer(),
            None if chain is None else lambda m: open_history(chain.endpoint, m.netuid, deadline=chain.timeout),
            lambda one: progress.print(f"round {one.number}: equal"),
        )
    )
    _show(verified_json(found) if as_json else doctor_table(found.checks), as_json)
    raise typer.Exit(0 if found.good else 1)


def audit_show(
    file: Annotated[Path, typer.Argument(help="File that `audit export` wrote, or a validator's record.")],
    hotkey: Annotated[str, typer.Option(help="The miner's.")],
    number: Round = None,
    as_json: AsJson = False,
) -> None:
    """Show what a miner got, challenge by challenge: figures alone, no question and no answer."""
    from compression_subnet.report.audit import breakdown_json, breakdown_page
    from compression_subnet.validator.audit.breakdown import breakdown

    with _either(file) as record:
        found = breakdown(record.db, hotkey, None if number is None else {number})
    _show(breakdown_json(found) if as_json else breakdown_page(found), as_json)


def audit_explain(
    store: Annotated[Path, typer.Option(help="A validator's record, or a file of `audit export`.")] = Path(
        "validator.sqlite"
    ),
    uid: Annotated[int | None, typer.Option(min=0, help="Whose weight.")] = None,
    hotkey: Annotated[str | None, typer.Option(help="Whose weight, in place of --uid.")] = None,
    number: Round = None,
    block: Annotated[
        int | None, typer.Option(min=1, help="The weights that were on chain at this block, in place of --round.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show why a hotkey has the weight that it has: every step from its scores to the chain."""
    from compression_subnet.errors import ConfigurationError
    from compression_subnet.report.audit import explanation_json, explanation_table
    from compression_subnet.validator.audit.explain import explain_weight

    if (uid is None) == (hotkey is None) or (number is not None and block is not None):
        raise ConfigurationError("give one of --uid and --hotkey, and at most one of --round and --block")
    with _either(store) as record:
        found = explain_weight(record, hotkey=hotkey, uid=uid, number=number, block=block)
    _show(explanation_json(found) if as_json else explanation_table(found), as_json)


@contextmanager
def _snapshot(path: Path) -> "Iterator[Record]":
    """Open a record as it is at this moment, while its validator may write on."""
    from compression_subnet.validator.records.record import open_record

    with open_record(path) as record:
        record.db.execute("BEGIN")
        yield record


@contextmanager
def _either(path: Path) -> "Iterator[Record]":
    from compression_subnet.validator.audit.read import is_audit, open_audit

    if is_audit(path):
        with open_audit(path) as audit:
            yield audit.record
    else:
        with _snapshot(path) as record:
            yield record


def _range(given: str | None) -> tuple[int, int] | None:
    from compression_subnet.errors import ConfigurationError

    if given is None:
        return None
    first, _, last = given.partition("-")
    try:
        return int(first), int(last or first)
    except ValueError:
        raise ConfigurationError(f"--rounds is {given!r}; give A-B, such as 3-7, or one number") from None


def _show(what: Any, as_json: bool) -> None:
    from rich.console import Console

    if as_json:
        print(json.dumps(what, indent=2, ensure_ascii=False))
    else:
        Console().print(what)
