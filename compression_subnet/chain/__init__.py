"""The chain: what a neuron needs of it (``port``), and bittensor's way of giving that (``adapter``).

``open_chain`` gives a ``Chain``; the SDK is imported when it is called. ``when_to_set`` and ``burn_uid`` are pure.
"""

from compression_subnet.chain.adapter import BittensorChain, open_chain
from compression_subnet.chain.burn import burn_uid
from compression_subnet.chain.connection import Backoff
from compression_subnet.chain.port import (
    Axon,
    Chain,
    Committed,
    Hyperparameters,
    Metagraph,
    Neuron,
    Refused,
    Served,
    ServeOutcome,
    TooEarly,
    Unreachable,
    WeightsOutcome,
    WeightsSet,
)
from compression_subnet.chain.schedule import Decision, Position, Reason, position, when_to_set
from compression_subnet.chain.version import spec_version
from compression_subnet.chain.wallets import Hotkey, load_hotkey, throwaway_wallet

__all__ = [
    "Axon",
    "Backoff",
    "BittensorChain",
    "Chain",
    "Committed",
    "Decision",
    "Hotkey",
    "Hyperparameters",
    "Metagraph",
    "Neuron",
    "Position",
    "Reason",
    "Refused",
    "ServeOutcome",
    "Served",
    "TooEarly",
    "Unreachable",
    "WeightsOutcome",
    "WeightsSet",
    "burn_uid",
    "load_hotkey",
    "open_chain",
    "position",
    "spec_version",
    "throwaway_wallet",
    "when_to_set",
]
