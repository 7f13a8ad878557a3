"""Keys, a gate, compressors, workers and a handle on a running miner, for tests over real HTTP."""

import asyncio
import contextlib
import time

from bittensor.sp_core import Keypair

from compression_subnet.errors import CompressorError
from compression_subnet.miner.gate import Refusal
from compression_subnet.miner.lane import Lane
from compression_subnet.miner.speed import Speed
from compression_subnet.miner.threads import Threads
from compression_subnet.miner.work import Fault, Work, do_work, takes_batches
from compression_subnet.miner.worker_process import Ready
from compression_subnet.protocol import COMPRESS_PATH
from compression_subnet.text.tokens import get_tokenizer
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


class Cut:
    """A fall-back that cannot be mistaken for the compressor's result."""

    def compress(self, text, budget):
        return text[: budget.tokens].strip()


class ThreadWorker:
    """A compressor of the test's own, in a thread of this process."""

    def __init__(self, compressor, *, strict=True):
        self.compressor = compressor
        self.strict = strict
        self.threads = None

    async def start(self):
        self.threads = Threads(1, "worker")
        (result,), _ = await self.run([Work("The first text of all. It is short.", 100)])
        if result.fault is Fault.FAILED:
            raise CompressorError(result.detail)
        return Ready(takes_batches(self.compressor), Speed(1e-6))

    async def run(self, batch):
        start = time.monotonic()
        work = lambda: do_work(self.compressor, batch, get_tokenizer(), strict=self.strict)  # noqa: E731
        return await self.threads.run(work), time.monotonic() - start

    async def ended(self):
        await asyncio.Event().wait()

    async def stop(self):
        if self.threads is not None:
            self.threads.close()


def lane(metrics, name, *workers, batch_tokens=16384, batch_wait=0.01, clock=time.monotonic):
    return Lane(name, workers, batch_tokens=batch_tokens, batch_wait=batch_wait, metrics=metrics, clock=clock)


class Miner:
    """Where a running miner is, and raw or signed ways to talk to it."""

    def __init__(self, axon, client, metrics):
        self.axon = axon
        self.metrics = metrics
        self.target = Target(Keys.miner.ss58_address, axon)
        self.where = (axon.ip, axon.port)
        self.url = f"http://{axon.ip}:{axon.port}"
        self.client = client

    def counted(self, name, **labels):
        """The value of one of the miner's metrics."""
        return self.metrics.registry.get_sample_value(f"compression_subnet_miner_{name}", labels) or 0.0

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


async def raw(miner, start, pieces=(), pause=0.0, source="127.0.0.1"):
    """Send bytes as they are, and return all that comes back."""
    reader, writer = await asyncio.open_connection(*miner.where, local_addr=(source, 0))

    async def send():
        writer.write(start)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)

    sending = asyncio.create_task(send())
    answer = b""
    try:
        with contextlib.suppress(ConnectionError):
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
