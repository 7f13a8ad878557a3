"""Miners of every manner, each behind a port of its own in this process."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from bittensor.sp_core import Keypair

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.protocol import COMPRESS_PATH
from compression_subnet.text import get_tokenizer
from compression_subnet.transport.signing import RequestRefused, RequestVerifier, sign_reply
from soak.http import Request, response, serving

__all__ = ["HOST", "MANNERS", "Fleet", "Manner", "Miner"]

HOST: Final = "127.0.0.2"
"""The chain takes no 127.0.0.1."""


class Manner(StrEnum):
    """How a miner behaves."""

    GOOD = "good"
    FAIR = "fair"
    BAD = "bad"
    COPY = "copy"
    """Replies what the first good one replies."""
    OVER = "over budget"
    SLOW = "slow"
    HANGING = "hanging"
    LYING = "lying signature"
    GARBAGE = "garbage"
    DARK = "dark"
    """Has an address at which nobody listens."""
    FLAPPING = "flapping"
    """Is there in every other epoch."""
    MUTE = "no address"


MANNERS: Final[Mapping[Manner, int]] = {
    Manner.GOOD: 10,
    Manner.FAIR: 8,
    Manner.BAD: 9,
    Manner.COPY: 6,
    Manner.OVER: 5,
    Manner.SLOW: 5,
    Manner.HANGING: 3,
    Manner.LYING: 4,
    Manner.GARBAGE: 5,
    Manner.DARK: 3,
    Manner.FLAPPING: 4,
    Manner.MUTE: 2,
}
"""How many of the 64 first miners there are of each."""


@dataclass(slots=True)
class Miner:
    """One miner; ``key`` may change under its feet."""

    key: Any
    manner: Manner
    port: int

    @property
    def hotkey(self) -> str:
        """Address of its hotkey."""
        return str(self.key.ss58_address)


class Fleet:
    """All miners. They know every answer, so that the good ones need no model.

    Args:
        gold: accepted answers by question.
        asked: called at each request.
        rng: decides what the garbage is.
    """

    def __init__(self, gold: Mapping[str, tuple[str, ...]], asked: Callable[[], None], rng: random.Random):
        self._golds = tuple(dict.fromkeys(text for answers in gold.values() for text in answers))
        self._asked = asked
        self._rng = rng
        self._made = 0
        self._stranger = Keypair.create_from_uri("//Stranger")
        self._stack = AsyncExitStack()
        self._answers = lru_cache(64)(self._find_answers)
        self.epoch = 0
        self.miners: dict[str, Miner] = {}

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Fleet"]:
        """Serve what is added until the context ends."""
        async with self._stack:
            yield self

    async def add(self, manner: Manner) -> Miner:
        """Start a miner with a hotkey that nobody had before."""
        miner = Miner(self.new_key(), manner, 0)

        async def handle(request: Request) -> bytes | None:
            self._asked()
            return await self._reply(miner, request)

        port = await self._stack.enter_async_context(serving(handle, HOST))
        # A dark miner's is the discard port, on which nothing listens.
        miner.port = 9 if manner is Manner.DARK else port
        self.miners[miner.hotkey] = miner
        return miner

    def new_key(self) -> Any:
        """Return a key pair that nobody had before."""
        self._made += 1
        return Keypair.create_from_uri(f"//Soak//{self._made}")

    def swap(self, hotkey: str) -> str:
        """Give the miner of ``hotkey`` another one, and return it."""
        miner = self.miners.pop(hotkey)
        miner.key = self.new_key()
        self.miners[miner.hotkey] = miner
        return miner.hotkey

    async def _reply(self, miner: Miner, request: Request) -> bytes | None:
        try:
            caller = RequestVerifier(miner.hotkey).verify(request.headers, request.body, path=COMPRESS_PATH)
        except RequestRefused:
            return response(b'{"detail":"refused"}', status="401 Unauthorized")
        asked = json.loads(request.body)
        match miner.manner:
            case Manner.HANGING:
                await asyncio.sleep(3600)
            case Manner.GARBAGE:
                return self._garbage()
            case Manner.FLAPPING if self.epoch % 2:
                return None
            case Manner.SLOW:
                await asyncio.sleep(0.4 * asked["deadline_seconds"])
        text = self._compress(miner.manner, asked["text"], asked["budget_tokens"])
        body = json.dumps({"compressed_text": text}).encode()
        by = self._stranger if miner.manner is Manner.LYING else miner.key
        return response(body, headers=sign_reply(by, caller, request_body=request.body, body=body))

    def _compress(self, manner: Manner, text: str, budget: int) -> str:
        match manner:
            case Manner.OVER:
                return text
            case Manner.BAD:
                return head_truncation("Nothing of note. " + text[: len(text) // 2], _budget(budget))
        answers = self._answers(text, budget)
        return answers if manner is not Manner.FAIR else answers[: 2 * len(answers) // 3]

    def _find_answers(self, text: str, budget: int) -> str:
        found = sorted((text.index(gold), gold) for gold in self._golds if gold in text)
        return head_truncation(". ".join(gold for _, gold in found) or text, _budget(budget))

    def _garbage(self) -> bytes:
        return self._rng.choice(
            (
                b"\x00\xff" * 200,
                b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nnot json!",
                b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{",
                response(b'{"compressed_text":' + b"[" * 20_000),
                response(b"x" * 200_000),
                response(b"{}", status="500 Internal Server Error"),
                response(b'{"compressed_text":"\\ud800 \\u0000 {x} \\u001b[31m"}'),
                response(b"", status="302 Found", headers={"location": "http://[::1"}),
            )
        )


def _budget(tokens: int) -> TokenBudget:
    return TokenBudget(tokens, get_tokenizer())
