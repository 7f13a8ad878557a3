"""The unmodified btcli against the dev chain, as an operator runs it."""

import asyncio
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from compression_subnet.chain.dev import dev_chain

BTCLI = shutil.which("btcli", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
ALICE = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"


async def run(url: str, home: Path, command: str) -> Any:
    assert BTCLI is not None
    process = await asyncio.create_subprocess_exec(
        *(BTCLI, *command.split(), "--network", url, "--json"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"HOME": str(home)},
    )
    output, complaints = await process.communicate()
    assert process.returncode == 0, f"{command}: {complaints.decode()}"
    return json.loads(output)


@pytest.mark.skipif(BTCLI is None, reason="btcli is not installed beside this Python")
async def test_btcli_reads_the_chain(tmp_path: Path) -> None:
    commands = ("query metagraph --netuid 1", "query subnet-hyperparameters --netuid 1", "subnets list")
    async with dev_chain(tempo=20) as url:
        metagraph, queried, listed = await asyncio.gather(*(run(url, tmp_path, command) for command in commands))
    assert metagraph["owner_hotkey"] == ALICE and metagraph["num_uids"] == 1
    assert queried["tempo"] == 20
    assert {subnet["netuid"]: subnet["neurons"] for subnet in listed} == {0: 0, 1: 1}
