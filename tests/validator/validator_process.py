"""A validator in a process of its own, and what it needs around it: chain, judge, a miner, a peer that is silent."""

import asyncio
import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from bittensor.sp_core import Keypair

from compression_subnet.chain import Axon, load_hotkey, open_chain, spec_version
from compression_subnet.chain.dev.client import DevClient, dev_chain
from compression_subnet.challenge import open_source
from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.registry import find_compressor
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Caller
from compression_subnet.transport.signing import sign_reply

SCRIPT = Path(__file__).parents[2] / "neurons" / "validator.py"


QUICK = (
    *("--netuid", "1", "--wallet.name", "validator", "--challenge.source", "builtin", "--dendrite.allow-private"),
    *("--challenge.min-tokens", "250", "--challenge.max-tokens", "420", "--challenge.questions", "3"),
    *("--challenge.min-questions", "3", "--neuron.challenges", "3", "--neuron.rounds", "1", "--challenge.ready", "0"),
    *("--dendrite.timeout", "600", "--subtensor.timeout", "30", "--judge.timeout", "600"),
    *("--judge.reply-timeout", "600"),
)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def get(port: int, path: str) -> tuple[int, str]:
    try:
        with urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


@contextlib.asynccontextmanager
async def silent_peer(ip: str = "127.0.0.1") -> AsyncIterator[tuple[int, asyncio.Event]]:
    """A server that takes connections and never says a word; gives its port, and whether somebody called."""
    called = asyncio.Event()
    tasks = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        called.set()
        with contextlib.suppress(ConnectionError):
            while await reader.read(65536):
                pass
        writer.close()

    server = await asyncio.start_server(serve, ip, 0)
    try:
        yield server.sockets[0].getsockname()[1], called
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


@contextlib.asynccontextmanager
async def validator(folder: Path, *argv: str) -> AsyncIterator[tuple[asyncio.subprocess.Process, Path]]:
    """Run one, with its log in a file; it is gone in the end."""
    log = folder / "log"
    caches = {"BITTENSOR_RUNTIME_CACHE_DIR": str(folder / "r"), "BTCLI_TOKEN_SYMBOLS_CACHE": str(folder / "t")}
    with log.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "error::ResourceWarning", str(SCRIPT), *QUICK, "--wallet.path", str(folder)),
            *("--neuron.store", str(folder / "v.sqlite"), *argv),
            stdout=out,
            stderr=out,
            env=os.environ | caches,
        )
    try:
        yield process, log
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def corpus_judge() -> Callable[[str, str], str]:
    """A judge that knows the built-in corpus, and answers what stands in the text."""
    gold = {
        question.text: question.gold[0]
        for article in open_source("builtin", get_tokenizer(), 250, 420).articles()
        for question in article.questions
    }
    return lambda text, question: gold[question] if gold[question] in text else "UNANSWERABLE"


@contextlib.asynccontextmanager
async def live_chain(folder: Path, miner: Keypair) -> AsyncIterator[str]:
    """A chain on which the validator of ``folder`` and a miner are registered."""
    me = load_hotkey("validator", "default", folder)
    async with dev_chain(block_time=0.25) as url, DevClient(url) as dev:
        await dev.register(1, me.ss58_address, Keypair.create_from_uri("//Alice").ss58_address)
        await dev.set_stake(me.ss58_address, 1, 10**13)
        await dev.register(1, miner.ss58_address, Keypair.create_from_uri("//Charlie").ss58_address)
        yield url


async def publish(url: str, miner: Keypair, axon: Axon) -> None:
    chain = await open_chain(url, 1, miner, spec_version=spec_version())
    await chain.serve_axon(axon)
    await chain.close()


@contextlib.asynccontextmanager
async def compressing_miner(ip: str, key: Keypair) -> AsyncIterator[Axon]:
    """A miner of one file: it sends what the reference compressor makes of a text, signed."""
    compressor = find_compressor("reference")

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = {k.strip().lower(): v.strip() for k, _, v in (line.partition(":") for line in head.splitlines()[1:])}
        body = await reader.readexactly(int(fields["content-length"]))
        asked = json.loads(body)
        short = compressor.compress(asked["text"], TokenBudget(asked["budget_tokens"], get_tokenizer()))
        reply = json.dumps({"compressed_text": short}).encode()
        caller = Caller(fields["x-bittensor-hotkey"], fields["x-bittensor-nonce"])
        signature = sign_reply(key, caller, request_body=body, body=reply)
        lines = [f"{name}: {value}" for name, value in signature.items()] + [f"content-length: {len(reply)}"]
        writer.write("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode() + reply)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, ip, 0)
    async with server:
        yield Axon(ip, server.sockets[0].getsockname()[1])
