"""A real miner over real HTTP, with a gate and a compressor that the tests control."""

import contextlib
import time

import httpx2
import pytest
from loguru import logger
from miner_harness import Cut, FakeGate, FirstWords, Keys, Miner, ThreadWorker, lane

from compression_subnet.chain.port import Axon
from compression_subnet.listening import bound_socket
from compression_subnet.miner.admission import Admission
from compression_subnet.miner.answerer import Answerer
from compression_subnet.miner.app import create_app
from compression_subnet.miner.limits import AddressLimiter, RateLimiter
from compression_subnet.miner.listen import serving
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.threads import Threads
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.text.tokens import DEFAULT_TOKENIZER, get_tokenizer
from compression_subnet.transport import RequestVerifier


@pytest.fixture
def gate():
    return FakeGate()


@pytest.fixture
async def start_miner(gate):
    """Start a miner around a compressor; everything ends with the test."""
    async with contextlib.AsyncExitStack() as stack:

        async def start(
            compressor=None,
            *,
            strict=True,
            workers=1,
            fallbacks=None,
            per_minute=6000,
            total=6000,
            body_seconds=0.5,
            nonces=None,
            at_once=1000,
            max_connections=64,
            per_address=60_000,
        ):
            metrics = MinerMetrics()
            first = [ThreadWorker(compressor or FirstWords(), strict=strict) for _ in range(workers)]
            lanes = [lane(metrics, "first", *first)]
            lanes += [
                lane(metrics, type(one).__name__, ThreadWorker(one))
                for one in ([Cut()] if fallbacks is None else fallbacks)
            ]
            answerer = Answerer(lanes, metrics)
            stack.push_async_callback(answerer.close)
            await answerer.start()
            threads = Threads(2, "nonces") if nonces is not None else None
            if threads is not None:
                stack.callback(threads.close)
            addresses = AddressLimiter(at_once=at_once, per_minute=per_address, clock=time.monotonic)
            admission = Admission(
                RequestVerifier(Keys.miner.ss58_address, nonces),
                gate,
                RateLimiter(requests_per_minute=per_minute, total_per_minute=total, clock=time.monotonic),
                addresses,
                metrics,
                threads=threads,
                body_seconds=body_seconds,
                clock=time.monotonic,
            )
            sock = bound_socket("127.0.0.2", 0)
            axon = Axon("127.0.0.2", sock.getsockname()[1])
            app = create_app(answerer, Keys.miner, admission, metrics, tokenizer=DEFAULT_TOKENIZER)
            await stack.enter_async_context(
                serving(app, sock, addresses, max_connections=max_connections, shutdown_seconds=1)
            )
            client = await stack.enter_async_context(httpx2.AsyncClient(trust_env=False, timeout=10))
            return Miner(axon, client, metrics)

        yield start


@pytest.fixture
def synapse():
    """Make a request; values can be given."""

    def make(text="one two three four five six seven eight nine ten", **values):
        tokenizer = get_tokenizer()
        base = {
            "challenge_id": "c-1",
            "text": text,
            "target_ratio": 0.4,
            "budget_tokens": max(1, tokenizer.count(text) * 40 // 100),
            "tokenizer": tokenizer.name,
            "tokenizer_sha256": tokenizer.sha256,
            "deadline_seconds": 5.0,
        }
        return CompressionSynapse(**(base | values))

    return make


@pytest.fixture
def lines():
    """What is logged while a test runs."""
    found = []
    number = logger.add(found.append, format="{message}")
    yield found
    logger.remove(number)
