"""A published record against a chain that has the weights, one that has others, and one that has forgotten them."""

import json
import shutil
import socket
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from bittensor.sp_core import Keypair
from recorded_run import FreshSupply, validator
from validator_fakes import ContainmentJudge, keep_first

from compression_subnet.chain import Backoff, Committed, WeightsSet, open_chain, spec_version
from compression_subnet.chain.dev.client import DevClient, dev_chain
from compression_subnet.chain.history import open_history
from compression_subnet.doctor.check import Check
from compression_subnet.scoring import WeightRule
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.audit.export import ExportPolicy, export_audit
from compression_subnet.validator.audit.manifest import Manifest
from compression_subnet.validator.audit.verify import verify_audit
from compression_subnet.validator.records.record import open_record
from compression_subnet.validator.records.round_rows import vectors_of
from compression_subnet.validator.records.store import Store

TEMPO = 20
SOON = Backoff(first=0.01, most=0.05)
KEYS = {name: Keypair.create_from_uri(f"//{name}") for name in ("validator", "good", "better", "stranger")}
ME = KEYS["validator"].ss58_address


@asynccontextmanager
async def subnet(commit_reveal: bool, state: Path, port: int) -> AsyncIterator[tuple[str, DevClient]]:
    async with (
        dev_chain(tempo=TEMPO, commit_reveal=commit_reveal, weights_rate_limit=1, state=state, port=port) as url,
        DevClient(url) as dev,
    ):
        yield url, dev


async def one_round(url: str, dev: DevClient, store: Path, publish: Path) -> object:
    """Register everybody, run a round for real against the chain, and publish it; return what the chain said."""
    for name in ("validator", "good", "better"):
        await dev.register(1, KEYS[name].ss58_address, KEYS["stranger"].ss58_address)
    await dev.set_stake(ME, 1, 1000 * 10**9)
    await dev.new_block(3)

    async def advance(seconds: float) -> None:
        await dev.new_block()

    chain = await open_chain(url, 1, KEYS["validator"], spec_version=spec_version(), deadline=10, backoff=SOON)
    async with chain:
        with Store(store) as record:
            miners = {KEYS["good"].ss58_address: keep_first(1), KEYS["better"].ss58_address: keep_first(2)}
            rule = WeightRule(z=0, power=2, min_challenges=1)
            judge, supply = ContainmentJudge(), FreshSupply("")
            one = validator(record, chain, judge, supply, ME, miners, advance, challenges=6, rule=rule)
            step = await one.step()
    with open_record(store) as record:
        export_audit(record.db, store, publish, KEYS["validator"], (1, 1), ExportPolicy(0))
    return step.outcome


async def checked(publish: Path, url: str, deadline: float = 20.0) -> dict[str, Check]:
    def past(manifest: Manifest) -> object:
        return open_history(url, manifest.netuid, deadline=deadline, backoff=SOON)

    found = await verify_audit(publish, get_tokenizer(), past)  # type: ignore[arg-type]
    return {check.name: check for check in found.checks}


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def altered(store: Path, publish: Path, *changes: object) -> Path:
    """Publish a copy of the record with columns of its vector changed, by the validator's own hand."""
    copy = Path(shutil.copy(store, publish.with_suffix(".sqlite")))
    with closing(sqlite3.connect(copy)) as db, db:
        for column, value in zip(changes[::2], changes[1::2], strict=True):
            assert db.execute(f"UPDATE weight_settings SET {column} = ?", (value,)).rowcount
    with open_record(copy) as record:
        export_audit(record.db, copy, publish, KEYS["validator"], (1, 1), ExportPolicy(0))
    return publish


def swapped(store: Path) -> str:
    """Return the uids of a record's vector, two of them exchanged."""
    good, better = KEYS["good"].ss58_address, KEYS["better"].ss58_address
    with open_record(store) as record:
        (vector,) = vectors_of(record.db, 1)
    assert vector.terms is not None
    uids = dict(vector.terms.registered)
    return json.dumps({**uids, good: uids[better], better: uids[good]})


async def test_plain_weights_are_looked_up_on_chain(tmp_path: Path) -> None:
    store, publish, state, port = tmp_path / "v.sqlite", tmp_path / "audit", tmp_path / "chain", free_port()
    async with subnet(False, state, port) as (url, dev):
        outcome = await one_round(url, dev, store, publish)
        assert isinstance(outcome, WeightsSet)
        found = await checked(publish, url)
        assert {check.status.value for check in found.values()} == {"ok"}
        assert "with a validator permit" in found["validator now"].detail
        assert f"block {outcome.block} has the recorded vector, 2 uids" in found["weights of round 1"].detail

        for column, value, complaint in (
            ("set_block", outcome.block - 1, "holds no such call of it"),
            ("set_hash", "0x00", "not 0x00"),
            ("registered", swapped(store), "and the record says"),
        ):
            lie = altered(store, tmp_path / f"lie about {column}", column, value)
            found = await checked(lie, url)
            assert found["scores and weights"].status == "ok", "only the chain can tell"
            assert found["weights of round 1"].status == "fail"
            assert complaint in found["weights of round 1"].detail

        # Weights that the chain never had: a record that is recomputed well, of another run.
        await dev.new_block(2)
        chain = await open_chain(url, 1, KEYS["validator"], spec_version=spec_version(), deadline=10, backoff=SOON)
        async with chain:
            other = await chain.set_weights({2: 65535})
        assert isinstance(other, WeightsSet)
        lie = altered(store, tmp_path / "lie", "set_block", other.block, "set_hash", other.block_hash)
        found = await checked(lie, url)
        assert found["weights of round 1"].status == "fail"
        assert "has {2: 65535}, and the record" in found["weights of round 1"].detail
    async with subnet(False, state, port) as (url, _):  # begun again: it no longer has that block's state
        found = await checked(publish, url)
        assert found["scores and weights"].status == "ok"
        assert "weights of round 1" in found, found["chain"].detail
        assert found["weights of round 1"].status == "skipped"
        assert "no longer has the state of block" in found["weights of round 1"].detail


async def test_committed_weights_are_looked_up_once_they_are_revealed(tmp_path: Path) -> None:
    store, publish = tmp_path / "v.sqlite", tmp_path / "audit"
    async with subnet(True, tmp_path / "chain", free_port()) as (url, dev):
        outcome = await one_round(url, dev, store, publish)
        assert isinstance(outcome, Committed)
        with open_record(store) as record:
            (vector,) = vectors_of(record.db, 1)
        assert vector.terms is not None
        weights = {vector.terms.registered[hotkey]: weight for hotkey, weight in vector.weights.items()}
        found = await checked(publish, url)
        assert found["weights of round 1"].status == "skipped"
        assert "not surely revealed yet" in found["weights of round 1"].detail
        await dev.reveal_weights(1, ME, weights)
        await dev.new_block(2 * (TEMPO + 1))
        found = await checked(publish, url)
        assert found["weights of round 1"].status == "ok"
        assert "has the recorded vector, 2 uids" in found["weights of round 1"].detail


async def test_weights_that_were_revealed_otherwise_are_found(tmp_path: Path) -> None:
    store, publish = tmp_path / "v.sqlite", tmp_path / "audit"
    async with subnet(True, tmp_path / "chain", free_port()) as (url, dev):
        await one_round(url, dev, store, publish)
        await dev.reveal_weights(1, ME, {2: 65535})
        await dev.new_block(3 * (TEMPO + 1))
        found = await checked(publish, url)
        assert found["weights of round 1"].status == "fail"
        assert "was not revealed as the recorded vector" in found["weights of round 1"].detail


async def test_a_chain_that_does_not_answer_is_said_not_to_have_been_asked(tmp_path: Path) -> None:
    store, publish = tmp_path / "v.sqlite", tmp_path / "audit"
    async with subnet(False, tmp_path / "chain", free_port()) as (url, dev):
        await one_round(url, dev, store, publish)
    found = await checked(publish, url, deadline=0.5)
    assert found["chain"].status == "skipped"
    assert found["chain"].detail.startswith("not checked: ")
    assert found["scores and weights"].status == "ok"
