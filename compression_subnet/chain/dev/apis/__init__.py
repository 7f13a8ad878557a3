"""Runtime APIs: what a node computes from its state on a client's request."""

from compression_subnet.chain.dev.apis.table import call_runtime_api

__all__ = ["call_runtime_api"]
