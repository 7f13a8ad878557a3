"""``compression-subnet doctor`` as an operator runs it, against a dev chain."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from compression_subnet.chain.dev.client import DevClient, dev_chain
from compression_subnet.chain.wallets import throwaway_wallet

NAMES = {
    "validator": {"wallet", "endpoint", "registered", "stake", "permit", "rate limit", "version", "judge", "disk"},
    "miner": {"wallet", "endpoint", "registered", "serving limit", "axon", "tokenizer", "clock"},
}


async def doctor(*argv: str) -> tuple[int, str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "compression_subnet.cli", "doctor", *argv),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(120):
        out, err = await process.communicate()
    return process.returncode or 0, out.decode(), err.decode()


@pytest.mark.parametrize("role", ["validator", "miner"])
async def test_a_finding_for_each_check_and_the_exit_status_of_the_worst(
    role: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITTENSOR_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("BTCLI_TOKEN_SYMBOLS_CACHE", str(tmp_path / "symbols"))
    wallet = throwaway_wallet(tmp_path / "wallets", "w", "default")
    async with dev_chain(block_time=0.5) as url:
        async with DevClient(url) as dev:
            hotkey = wallet.hotkey.ss58_address
            await dev.register(1, hotkey, wallet.coldkeypub.ss58_address)
            await dev.set_stake(hotkey, 1, 10**13)
        flags = ["--netuid", "1", "--subtensor.chain-endpoint", url]
        flags += ["--wallet.path", str(tmp_path / "wallets"), "--wallet.name", "w"]
        flags += ["--miner"] if role == "miner" else ["--judge.base-url", "http://127.0.0.1:9/v1"]
        status, out, err = await doctor(*flags, "--json")
    assert err == ""
    checks = {check["name"]: check for check in json.loads(out)}
    assert NAMES[role] <= set(checks)
    assert checks["registered"]["status"] == "ok"
    # Nothing listens at the judge's address, and the miner has no address that validators could call.
    bad = checks["judge" if role == "validator" else "axon"]
    assert bad["status"] == "fail"
    assert bad["remedy"]
    assert status == 1


async def test_a_flag_that_does_not_exist_is_an_error_with_a_suggestion() -> None:
    status, out, err = await doctor("--netuid", "1", "--walet.name", "w")
    assert (status, out) == (2, "")
    assert "did you mean --wallet.name?" in err
