"""Everything around a running validator that an operator leans on: watchdog, metrics and health, while it runs."""

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable

from loguru import logger
from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector

from compression_subnet.challenge import ChallengeStore
from compression_subnet.errors import StoreError
from compression_subnet.ops import Conditions, Progress
from compression_subnet.ops.server import ops_app, serving_ops
from compression_subnet.ops.watchdog import Watchdog
from compression_subnet.settings import ValidatorSettings
from compression_subnet.validator.rewarding.weighting import Attempt
from compression_subnet.validator.watching.metrics import ValidatorMetrics
from compression_subnet.validator.watching.operations import CONDITIONS, Operations
from compression_subnet.validator.watching.patience import longest_silence

__all__ = ["closed_within", "operating", "sampled"]

SAMPLE_SECONDS = 15.0


@contextlib.asynccontextmanager
async def operating(
    settings: ValidatorSettings, hotkey: str, *, is_prepared: bool, show: Callable[[Attempt], None] | None = None
) -> AsyncIterator[Operations]:
    """Watch a validator, and serve what is seen, while the context lasts.

    Args:
        settings: the validator's.
        hotkey: its SS58 address.
        is_prepared: whether its articles are written or prepared ahead, which takes longer.
        show: as for ``Operations``.

    Raises:
        ConfigurationError: the port of ``ops.port`` cannot be listened on.
    """
    usual = longest_silence(settings, is_prepared=is_prepared)
    seconds = usual if settings.neuron.watchdog is None else settings.neuron.watchdog
    progress = Progress()
    conditions = Conditions(*CONDITIONS)
    registry = CollectorRegistry()
    for collector in (ProcessCollector, PlatformCollector, GCCollector):
        collector(registry=registry)
    operations = Operations(hotkey, progress, ValidatorMetrics(registry), conditions, show=show)
    with contextlib.ExitStack() as stack:
        alive: Callable[[], str] = str
        if seconds:
            if seconds < usual:
                logger.warning(
                    "neuron.watchdog is {:.0f} s, and a round that is in order may be silent for {:.0f}", seconds, usual
                )
            alive = stack.enter_context(Watchdog(progress, seconds)).fault
        url = stack.enter_context(
            serving_ops(ops_app(registry, alive, conditions), settings.ops.host, settings.ops.port)
        )
        if url is not None:
            logger.info("metrics and health are at {}", url)
        yield operations


@contextlib.asynccontextmanager
async def sampled(
    pool: ChallengeStore, operations: Operations, sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
) -> AsyncIterator[None]:
    """Look at the pool every ``SAMPLE_SECONDS`` while the context lasts: its file belongs to this thread."""

    async def look() -> None:
        while True:
            try:
                operations.pool_has(pool.ready())
            except (StoreError, sqlite3.Error) as error:
                logger.debug("the pool cannot be counted: {}", error)
            await sleep(SAMPLE_SECONDS)

    task = asyncio.create_task(look(), name="sampling")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def closed_within(close: Callable[[], Awaitable[None]], seconds: float) -> None:
    """Close something that may wait for a peer that hangs; after ``seconds`` it is left as it is."""
    try:
        async with asyncio.timeout(seconds):
            await close()
    except TimeoutError:
        logger.warning("a connection did not close within {:g} s and was left", seconds)
