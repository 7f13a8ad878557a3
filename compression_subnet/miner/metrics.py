"""What a miner counts, for Prometheus. Labels hold names of ours only, never what a stranger sent."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from compression_subnet.miner.work import Fault

__all__ = ["MinerMetrics"]

_SECONDS: Final = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0)
_TEXTS: Final = (1, 2, 4, 8, 16, 32, 64, 128)


class MinerMetrics:
    """The miner's metrics, in a registry of their own.

    Attributes:
        registry: what is served.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "compression_subnet_miner_requests", "Requests, by outcome.", ["outcome"], registry=self.registry
        )
        self.refusals = Counter(
            "compression_subnet_miner_refusals", "Requests refused, by reason.", ["reason"], registry=self.registry
        )
        self.seconds = Histogram(
            "compression_subnet_miner_request_seconds",
            "Time from a permitted request's first byte to its reply.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.batch = Histogram(
            "compression_subnet_miner_batch_texts",
            "Texts of a batch.",
            ["compressor"],
            buckets=_TEXTS,
            registry=self.registry,
        )
        self.queue = Gauge(
            "compression_subnet_miner_queue_texts", "Texts that wait.", ["compressor"], registry=self.registry
        )
        self.ready = Gauge(
            "compression_subnet_miner_workers_ready", "Workers that run.", ["compressor"], registry=self.registry
        )
        self.restarts = Counter(
            "compression_subnet_miner_worker_restarts", "Workers started anew.", ["compressor"], registry=self.registry
        )
        self.fallbacks = Counter(
            "compression_subnet_miner_fallbacks",
            "Texts that a compressor left to the next one, by why.",
            ["compressor", "kind"],
            registry=self.registry,
        )
        self.tokens_in = Counter(
            "compression_subnet_miner_tokens_in", "Tokens of texts that were answered.", registry=self.registry
        )
        self.tokens_out = Counter("compression_subnet_miner_tokens_out", "Tokens of replies.", registry=self.registry)

    def fell_back(self, compressor: str, fault: Fault) -> None:
        """Count that ``compressor`` did not answer, and why."""
        self.fallbacks.labels(compressor, fault.value).inc()

    def answered(self, tokens_in: int, tokens_out: int) -> None:
        """Count a reply's tokens."""
        self.tokens_in.inc(tokens_in)
        self.tokens_out.inc(tokens_out)
