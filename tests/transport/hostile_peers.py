"""What a peer under a test's control reads, signs and sends, byte by byte."""

import json
from dataclasses import dataclass

from bittensor.sp_core import Keypair

from compression_subnet.transport import Caller
from compression_subnet.transport.signing import sign_reply

VALIDATOR = Keypair.create_from_uri("//Alice")
MINER = Keypair.create_from_uri("//Bob")


@dataclass
class Asked:
    """A request as the peer got it."""

    line: bytes
    headers: dict
    body: bytes

    @property
    def caller(self):
        return Caller(self.headers["x-bittensor-hotkey"], self.headers["x-bittensor-nonce"])


async def read_request(reader):
    head = await reader.readuntil(b"\r\n\r\n")
    line, *fields = head[:-4].split(b"\r\n")
    headers = {k.lower().decode(): v.strip().decode() for k, v in (f.split(b":", 1) for f in fields)}
    return Asked(line, headers, await reader.readexactly(int(headers["content-length"])))


def http(body, *, status=b"200 OK", headers=None, length=None):
    fields = {"content-length": str(len(body) if length is None else length)} | (headers or {})
    head = b"".join(f"{name}: {value}\r\n".encode("latin-1") for name, value in fields.items())
    return b"HTTP/1.1 " + status + b"\r\n" + head + b"\r\n" + body


def signed_http(asked, body, *, by=MINER, headers=None, **more):
    signature = sign_reply(by, asked.caller, request_body=asked.body, body=body)
    return http(body, headers=signature | (headers or {}), **more)


def reply_json(text):
    return json.dumps({"compressed_text": text}).encode()


def sending(make):
    """A peer that sends the bytes that ``make(asked)`` returns, and closes."""

    async def behave(asked, writer):
        writer.write(make(asked))
        await writer.drain()

    return behave


async def outcome_of(peer, dendrite, request, behave, deadline=5.0):
    return await dendrite.ask(await peer(behave), request, deadline)
