"""The lanes of a miner from its settings: the compressor on its devices, then those that replace it."""

import time
from collections.abc import Callable
from dataclasses import replace

from compression_subnet.compressors.base import CompressorOptions
from compression_subnet.miner.config import MinerConfig
from compression_subnet.miner.lane import Lane
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.worker_process import Worker, WorkerProcess, WorkerSpec

__all__ = ["build_lanes", "lane_specs"]


def lane_specs(config: MinerConfig) -> list[list[WorkerSpec]]:
    """Return, for each compressor of the chain, the specification of each of its workers.

    Of the fall-backs only those count that come after the compressor itself, where it is one of them: the others
    are no cheaper.
    """
    first = [
        WorkerSpec(
            config.compressor,
            replace(config.options, device=device),
            config.tokenizer,
            strict=config.strict_budget,
        )
        for device in config.devices
        for _ in range(config.workers)
    ]
    names = config.fallbacks
    if config.compressor in names:
        names = names[names.index(config.compressor) + 1 :]
    return [first, *([WorkerSpec(name, CompressorOptions(), config.tokenizer, strict=True)] for name in names)]


def build_lanes(
    config: MinerConfig,
    metrics: MinerMetrics,
    *,
    make_worker: Callable[[WorkerSpec], Worker] = WorkerProcess,
    clock: Callable[[], float] = time.monotonic,
) -> list[Lane]:
    """Return the lanes, not started, the compressor's own first."""
    return [
        Lane(
            specs[0].compressor,
            [make_worker(spec) for spec in specs],
            batch_tokens=config.options.batch_tokens,
            batch_wait=config.batch_wait,
            metrics=metrics,
            clock=clock,
        )
        for specs in lane_specs(config)
    ]
