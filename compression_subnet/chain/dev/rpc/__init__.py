"""The JSON-RPC interface: a node's own methods, and the development methods that no real chain has."""

from compression_subnet.chain.dev.rpc.author import author_methods
from compression_subnet.chain.dev.rpc.dev import READ_ONLY, dev_methods
from compression_subnet.chain.dev.rpc.dispatcher import Dispatcher, method_of
from compression_subnet.chain.dev.rpc.fault import fault_methods
from compression_subnet.chain.dev.rpc.reads import chain_methods, state_methods, system_methods
from compression_subnet.chain.dev.rpc.session import Session

__all__ = [
    "READ_ONLY",
    "Dispatcher",
    "Session",
    "author_methods",
    "chain_methods",
    "dev_methods",
    "fault_methods",
    "method_of",
    "state_methods",
    "system_methods",
]
