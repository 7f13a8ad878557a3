"""A dev chain: a Bittensor chain in one process, to which the unmodified SDK and btcli connect by websocket.

Run it with ``python -m compression_subnet.chain.dev``, or from Python with ``dev_chain``. What no real chain has is
behind JSON-RPC methods whose names begin with ``dev_``: ``rpc/dev.py`` lists them, ``faults.py`` the faults, and
``DevClient`` calls them. ``yuma`` is pure and serves simulations as well.
"""

from compression_subnet.chain.dev.client import DevClient, dev_chain

__all__ = ["DevClient", "dev_chain"]
