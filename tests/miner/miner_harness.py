"""Keys, a gate, compressors and a handle on a running miner, for tests over real HTTP."""

import asyncio
import contextlib
import time

from bittensor.sp_core import Keypair

from compression_subnet.miner.gate import Refusal
from compression_subnet.protocol import COMPRESS_PATH
from compression_subnet.transport import Target
from compression_subnet.transport.signing import sign_request


class Keys:
    validator = Keypair.create_from_uri("//Alice")
    miner = Keypair.create_from_uri("//Bob")
    stranger = Keypair.create_from_uri("//Eve")
    no_permit = Keypair.create_from_uri("//Charlie")


class FakeGate:
    """Lets the validator in; the others are refused for known reasons."""

    def __init__(self):
        self.refusals = {
            Keys.validator.ss58_address: None,
            Keys.no_permit.ss58_address: Refusal.NO_PERMIT,
        }

    def refusal(self, hotkey):
        return self.refusals.get(hotkey, Refusal.UNREGISTERED)


class FirstWords:
    """Keeps the first words that fit."""

    def compress(self, text, budget):
        kept = ""
        for word in text.split():
            if not budget.fits(f"{kept} {word}".strip()):
                return kept
            kept = f"{kept} {word}".strip()
        return kept


def cut(text, budget):
    """A fall-back that cannot be mistaken for the compressor's result."""
    return text[: budget.tokens]


class Miner:
    """Where a running miner is, and raw or signed ways to talk to it."""

    def __init__(self, axon, client):
        self.axon = axon
        self.target = Target(Keys.miner.ss58_address, axon)
        self.url = f"http://{axon.ip}:{axon.port}"
        self.client = client

    async def post(self, body, headers=None, *, by=Keys.validator, to=Keys.miner, nonce=None, path=COMPRESS_PATH):
        if headers is None:
            headers = sign_request(by, path=path, body=body, receiver=to.ss58_address, nonce=nonce)
        return await self.client.post(self.url + path, content=body, headers=headers)


def said(response):
    return response.status_code, response.json()


def body_of(synapse):
    return synapse.model_dump_json().encode()


def head(headers, *more):
    lines = ["POST /v1/compress HTTP/1.1", "host: x", *(f"{k}: {v}" for k, v in headers.items()), *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


async def raw(miner, start, pieces=(), pause=0.0):
    """Send bytes as they are, and return all that comes back."""
    reader, writer = await asyncio.open_connection(miner.axon.ip, miner.axon.port)

    async def send():
        writer.write(start)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    sending = asyncio.create_task(send())
    answer = b""
    try:
        with contextlib.suppress(ConnectionResetError):
            while chunk := await reader.read(65536):
                answer += chunk
        return answer
    finally:
        sending.cancel()
        await asyncio.wait({sending})
        if not sending.cancelled():
            sending.exception()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


class Slow:
    """Takes its time, and counts how many threads are in it."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.threads = 0
        self.most = 0

    def compress(self, text, budget):
        self.threads += 1
        self.most = max(self.most, self.threads)
        time.sleep(self.seconds)
        self.threads -= 1
        return "slow"
