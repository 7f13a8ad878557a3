"""A dev chain: a Bittensor chain in one process, to which the unmodified SDK and btcli connect by websocket.

Run it with ``python -m compression_subnet.chain.dev``, or from Python with ``dev_chain``.
"""

from compression_subnet.chain.dev.client import DevClient, dev_chain

__all__ = ["DevClient", "dev_chain"]
