"""The whole examination, against a dev chain and a real socket."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from rich.console import Console

from compression_subnet.chain import Axon, Hotkey, Served, load_hotkey, open_chain, spec_version, throwaway_wallet
from compression_subnet.chain.dev.client import DevClient, dev_chain
from compression_subnet.doctor import Check, DoctorConfig, Status, examine
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.report.doctor import doctor_table


@pytest.fixture(autouse=True)
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's caches on disk are not the user's."""
    monkeypatch.setenv("BITTENSOR_RUNTIME_CACHE_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("BTCLI_TOKEN_SYMBOLS_CACHE", str(tmp_path / "symbols"))


class Reader:
    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        return [Answer(AnswerStatus.ANSWERED, "green")]


@pytest.fixture
async def url() -> AsyncIterator[str]:
    async with dev_chain(block_time=0.25, tempo=20) as address:
        yield address


@pytest.fixture
def hotkey(tmp_path: Path) -> Hotkey:
    throwaway_wallet(tmp_path / "wallets", "w", "h")
    return load_hotkey("w", "h", tmp_path / "wallets")


def config(tmp_path: Path, url: str, role: str, **more: object) -> DoctorConfig:
    values = {"wallet": "w", "hotkey": "h", "deadline": 10.0, **more}
    return DoctorConfig(
        role=role,  # type: ignore[arg-type]
        network=url,
        netuid=1,
        wallet_path=tmp_path / "wallets",
        folder=tmp_path,
        **values,  # type: ignore[arg-type]
    )


def by_name(checks: list[Check]) -> dict[str, Status]:
    assert len({check.name for check in checks}) == len(checks)
    return {check.name: check.status for check in checks}


async def test_a_validator_before_and_after_it_is_put_in_order(tmp_path: Path, url: str, hotkey: Hotkey) -> None:
    before = by_name(await examine(config(tmp_path, url, "validator")))
    assert before["endpoint"] is before["clock"] is before["wallet"] is before["tempo"] is Status.OK
    assert before["registered"] is Status.FAIL
    assert before["stake"] is before["permit"] is before["judge"] is Status.SKIPPED
    async with DevClient(url) as dev:
        await dev.register(1, hotkey.ss58_address, hotkey.ss58_address)
        await dev.set_stake(hotkey.ss58_address, 1, 10**12)
        await dev.set_hyperparameter(1, "weights_rate_limit", 10)
    checks = await examine(config(tmp_path, url, "validator", judge=Reader()))
    assert set(by_name(checks).values()) <= {Status.OK, Status.SKIPPED}, checks


async def test_a_miner_whose_axon_answers_and_whose_axon_does_not(tmp_path: Path, url: str, hotkey: Hotkey) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
        await writer.drain()
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.2", 0)
    axon = Axon("127.0.0.2", server.sockets[0].getsockname()[1])
    async with DevClient(url) as dev:
        await dev.register(1, hotkey.ss58_address, hotkey.ss58_address)
    async with await open_chain(url, 1, hotkey, spec_version=spec_version(), deadline=10) as chain:
        assert isinstance(await chain.serve_axon(axon), Served)
    local = config(tmp_path, url, "miner", axon=axon, allow_private=True, block_patience=0.01)
    async with server:
        found = by_name(await examine(local))
        assert found["axon"] is found["registered"] is found["serving limit"] is Status.OK
        assert found["clock"] is Status.SKIPPED
    await server.wait_closed()
    assert by_name(await examine(local))["axon"] is Status.FAIL


async def test_without_a_wallet_and_without_a_chain_it_still_says_what_it_can(tmp_path: Path) -> None:
    checks = await examine(config(tmp_path, "ws://127.0.0.1:9", "validator", deadline=0.3))
    found = by_name(checks)
    assert found["wallet"] is found["endpoint"] is Status.FAIL
    assert found["tokenizer"] is Status.OK
    assert found["registered"] is found["stake"] is Status.SKIPPED
    assert all(check.remedy for check in checks if check.status in (Status.FAIL, Status.WARN))
    checks = await examine(config(tmp_path, "nowhere", "miner"))
    assert by_name(checks)["endpoint"] is Status.FAIL


async def test_findings_are_json_and_a_table(tmp_path: Path) -> None:
    checks = [
        Check("clock", Status.FAIL, "13 s [bold]behind[/bold]", "synchronise it"),
        Check("disk", Status.OK, "9 GiB"),
    ]
    assert json.loads(json.dumps([asdict(check) for check in checks]))[0]["status"] == "fail"
    console = Console(width=80, record=True, file=(tmp_path / "out").open("w"))
    console.print(doctor_table(checks))
    shown = console.export_text()
    console.file.close()
    assert "13 s [bold]behind[/bold]" in shown and "synchronise it" in shown, "a finding is text, never markup"
