"""A miner from start to end: warm up, listen, publish the address, answer until cancelled, close everything."""

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Final

from loguru import logger

from compression_subnet.chain.port import Axon, Chain
from compression_subnet.errors import TransportError
from compression_subnet.listening import bound_socket
from compression_subnet.miner.admission import Admission
from compression_subnet.miner.answerer import Answerer
from compression_subnet.miner.app import create_app
from compression_subnet.miner.build import build_lanes
from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.follower import Follower
from compression_subnet.miner.gate import MetagraphGate
from compression_subnet.miner.limits import AddressLimiter, RateLimiter
from compression_subnet.miner.listen import serving
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.nonces import open_nonces
from compression_subnet.miner.tasks import all_or_none
from compression_subnet.miner.threads import Threads
from compression_subnet.miner.worker_process import Worker, WorkerProcess, WorkerSpec
from compression_subnet.ops import Conditions, Progress
from compression_subnet.ops.server import ops_app, serving_ops
from compression_subnet.transport.signing import Hotkey, RequestVerifier

__all__ = ["run"]

# Together with the server's shutdown these stay under ten seconds.
_CHAIN_CLOSE_SECONDS: Final = 2.0
_NONCE_THREADS: Final = 4
_PULSE_SECONDS: Final = 1.0
# An event loop that has not run for so long is blocked.
_BLOCKED_SECONDS: Final = 30.0


async def run(
    config: MinerConfig,
    chain: Chain,
    hotkey: Hotkey,
    *,
    make_worker: Callable[[WorkerSpec], Worker] = WorkerProcess,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Serve a compressor until cancelled; then end within ten seconds.

    The port is bound first, so that a taken one is known at once; the address is published last, when the miner
    can answer. Nothing is taken back from the chain at the end. ``chain`` is closed.

    Args:
        config: settings.
        chain: the subnet.
        hotkey: the miner's; requests must be bound to it, and it signs replies.
        make_worker: of the compressor and of the fall-backs.
        clock: monotonic, in seconds; the event loop's own.

    Raises:
        ConfigurationError: an address cannot be listened on, or a setting is unusable.
        CompressorError: a compressor does not work.
        StoreError: the file of nonces cannot be used.
        TransportError: the HTTP server failed.
    """
    async with contextlib.AsyncExitStack() as stack:
        stack.push_async_callback(_closed, chain)
        sock = stack.enter_context(bound_socket(config.ip, config.port))
        axon = Axon(
            ip=config.external_ip if config.external_ip is not None else config.ip,
            port=config.external_port if config.external_port is not None else sock.getsockname()[1],
        )
        metrics, conditions, progress = MinerMetrics(), Conditions("compressor", "chain", "axon"), Progress(clock)
        ops = ops_app(metrics.registry, lambda: _blocked(progress), conditions)
        if (url := stack.enter_context(serving_ops(ops, config.ops_host, config.ops_port))) is not None:
            logger.info("metrics, healthz and readyz are at {}", url)
        gate = MetagraphGate(
            min_stake=config.min_stake,
            require_permit=config.require_permit,
            allow_unregistered=config.allow_unregistered,
        )
        addresses = AddressLimiter(
            at_once=config.connections_per_address, per_minute=config.connections_per_minute, clock=clock
        )
        admission = _admission(config, stack, gate, addresses, metrics, hotkey, clock)
        answerer = Answerer(build_lanes(config, metrics, make_worker=make_worker, clock=clock), metrics, clock=clock)
        stack.push_async_callback(answerer.close)
        follower = Follower(chain, gate, hotkey.ss58_address, axon, conditions, seconds=config.metagraph_seconds)
        # Side by side; a chain that is away is no reason not to start.
        await all_or_none([answerer.start(), _looked(follower)])
        server = await stack.enter_async_context(
            serving(
                create_app(answerer, hotkey, admission, metrics, tokenizer=config.tokenizer, clock=clock),
                sock,
                addresses,
                max_connections=config.max_connections,
                shutdown_seconds=config.shutdown_seconds,
            )
        )
        logger.info("{} listens on {} port {}", hotkey.ss58_address, config.ip, sock.getsockname()[1])
        try:
            await _work(follower, server, answerer, conditions, progress)
        except asyncio.CancelledError:
            logger.info("stopping; the address stays on chain")
            raise


def _admission(
    config: MinerConfig,
    stack: contextlib.AsyncExitStack,
    gate: MetagraphGate,
    addresses: AddressLimiter,
    metrics: MinerMetrics,
    hotkey: Hotkey,
    clock: Callable[[], float],
) -> Admission:
    nonces, threads = open_nonces(config.nonce_store, hotkey.ss58_address), None
    if nonces is not None:
        stack.callback(nonces.close)
        threads = Threads(_NONCE_THREADS, "nonces")
        stack.callback(threads.close)
    limiter = RateLimiter(
        requests_per_minute=config.requests_per_minute, total_per_minute=config.total_per_minute, clock=clock
    )
    return Admission(
        RequestVerifier(hotkey.ss58_address, nonces),
        gate,
        limiter,
        addresses,
        metrics,
        threads=threads,
        body_seconds=config.body_seconds,
        clock=clock,
    )


async def _looked(follower: Follower) -> None:
    await follower.look()


async def _work(
    follower: Follower,
    server: asyncio.Task[None],
    answerer: Answerer,
    conditions: Conditions,
    progress: Progress,
) -> None:
    """Follow the chain and care for the workers for as long as the server runs; any one's end is a failure."""
    await all_or_none([follower.follow(), answerer.watch(), _pulse(answerer, conditions, progress), _served(server)])


async def _served(server: asyncio.Task[None]) -> None:
    await asyncio.wait({server})
    raise TransportError("the HTTP server ended by itself") from server.exception()


async def _pulse(answerer: Answerer, conditions: Conditions, progress: Progress) -> None:
    """Tell the operator's port, for ever, that the event loop runs, and whether there is a worker."""
    progress.enter("serving")
    while True:
        progress.beat()
        if answerer.running():
            conditions.well("compressor")
        else:
            conditions.ill("compressor", "no worker runs")
        await asyncio.sleep(_PULSE_SECONDS)


def _blocked(progress: Progress) -> str:
    silent = progress.silent_seconds
    # Loading a model may take long; a supervisor must not end that.
    if progress.phase == "serving" and silent > _BLOCKED_SECONDS:
        return f"the event loop has not run for {silent:.0f} s"
    return ""


async def _closed(chain: Chain) -> None:
    try:
        async with asyncio.timeout(_CHAIN_CLOSE_SECONDS):
            await chain.close()
    except TimeoutError:
        logger.warning("the connection to the chain did not close within {} s", _CHAIN_CLOSE_SECONDS)
