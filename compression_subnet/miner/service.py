"""A miner from start to end: warm up, listen, publish the address, answer until told to stop, close everything."""

import asyncio
import contextlib
import signal
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final

from loguru import logger

from compression_subnet.chain.port import Axon, Chain
from compression_subnet.compressors.base import Compressor
from compression_subnet.compressors.baselines import head_truncation
from compression_subnet.errors import TransportError
from compression_subnet.miner.admission import Admission
from compression_subnet.miner.answerer import Answerer
from compression_subnet.miner.app import create_app
from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.follower import Follower
from compression_subnet.miner.gate import MetagraphGate
from compression_subnet.miner.limits import RateLimiter
from compression_subnet.miner.listen import bound_socket, serving
from compression_subnet.text.tokens import get_tokenizer
from compression_subnet.transport.signing import Hotkey, RequestVerifier

__all__ = ["run"]

# Together with the server's shutdown these stay under ten seconds.
_CHAIN_CLOSE_SECONDS: Final = 2.0
_CANCEL_SECONDS: Final = 1.0


async def run(
    config: MinerConfig,
    chain: Chain,
    hotkey: Hotkey,
    compressor: Compressor,
    *,
    stop: asyncio.Event | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Serve ``compressor`` until told to stop; then end within ten seconds.

    The port is bound first, so that a taken one is known at once; the address is published last, when the miner
    can answer. Nothing is taken back from the chain at the end. ``chain`` is closed.

    Args:
        config: settings.
        chain: the subnet.
        hotkey: the miner's; requests must be bound to it, and it signs replies.
        compressor: what is served.
        stop: ends the miner when set; where None, SIGTERM and SIGINT do.
        clock: monotonic, in seconds.

    Raises:
        ConfigurationError: the address cannot be listened on.
        CompressorError: the compressor does not work.
        TokenizerError: the tokenizer is absent or altered.
        TransportError: the HTTP server failed.
    """
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(_closed, chain)
        if stop is None:
            stop = stack.enter_context(_signals())
        sock = stack.enter_context(bound_socket(config.ip, config.port))
        axon = Axon(
            ip=config.external_ip if config.external_ip is not None else config.ip,
            port=config.external_port if config.external_port is not None else sock.getsockname()[1],
        )
        answerer = Answerer(
            compressor,
            get_tokenizer(config.tokenizer),
            fallback=head_truncation,
            workers=config.workers,
            strict_budget=config.strict_budget,
            clock=clock,
        )
        stack.callback(answerer.close)
        gate = MetagraphGate(
            min_stake=config.min_stake,
            require_permit=config.require_permit,
            allow_unregistered=config.allow_unregistered,
        )
        follower = Follower(chain, gate, hotkey.ss58_address, axon, seconds=config.metagraph_seconds)
        limiter = RateLimiter(
            requests_per_minute=config.requests_per_minute, total_per_minute=config.total_per_minute, clock=clock
        )
        verifier = RequestVerifier(hotkey.ss58_address)
        admission = Admission(verifier, gate, limiter, body_seconds=config.body_seconds, clock=clock)
        if not await _before(stop, _ready(answerer, follower)):
            return
        app = create_app(answerer, hotkey, admission, clock=clock)
        server = await stack.enter_async_context(
            serving(app, sock, max_connections=config.max_connections, shutdown_seconds=config.shutdown_seconds)
        )
        logger.info("{} listens on {} port {}", hotkey.ss58_address, config.ip, sock.getsockname()[1])
        if not await _before(stop, _work(follower, server)):
            logger.info("stopping; the address stays on chain")


async def _ready(answerer: Answerer, follower: Follower) -> None:
    """Load the compressor and the first metagraph, side by side; a chain that is away is no reason not to start."""
    look = asyncio.create_task(follower.look(), name="miner first look")
    try:
        await answerer.warm_up()
        await look
    finally:
        look.cancel()
        await asyncio.wait({look}, timeout=_CANCEL_SECONDS)


async def _work(follower: Follower, server: asyncio.Task[None]) -> None:
    """Follow the chain for as long as the server runs; either's end is a failure."""
    follow = asyncio.create_task(follower.follow(), name="miner chain")
    try:
        await asyncio.wait({follow, server}, return_when=asyncio.FIRST_COMPLETED)
        if follow.done():
            follow.result()
        raise TransportError("the HTTP server ended by itself") from server.exception()
    finally:
        follow.cancel()
        await asyncio.wait({follow}, timeout=_CANCEL_SECONDS)


async def _before(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Run ``work`` until it ends or ``stop`` is set; return whether it ended by itself."""
    task, stopped = asyncio.create_task(work), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        return task.done()
    finally:
        task.cancel()
        stopped.cancel()
        await asyncio.wait({task, stopped}, timeout=2 * _CANCEL_SECONDS)


async def _closed(chain: Chain) -> None:
    try:
        async with asyncio.timeout(_CHAIN_CLOSE_SECONDS):
            await chain.close()
    except TimeoutError:
        logger.warning("the connection to the chain did not close within {} s", _CHAIN_CLOSE_SECONDS)


@contextlib.contextmanager
def _signals() -> Iterator[asyncio.Event]:
    """Yield an event that SIGTERM and SIGINT set while the context lasts; for the main thread."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    numbers = (signal.SIGTERM, signal.SIGINT)
    for number in numbers:
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
