"""Which function carries out which call, and which calls are free of fee."""

from collections.abc import Mapping
from typing import Final

from compression_subnet.chain.dev.pallets import accounts, registration, serving, weights
from compression_subnet.chain.dev.pallets.context import Handler

__all__ = ["CALLS", "FREE_CALLS"]

_WEIGHTS: Final[Mapping[str, Handler]] = {
    "set_weights": weights.set_weights,
    "set_mechanism_weights": weights.set_mechanism_weights,
    "commit_timelocked_weights": weights.commit_timelocked_weights,
    "commit_timelocked_mechanism_weights": weights.commit_timelocked_mechanism_weights,
}

CALLS: Final[Mapping[tuple[str, str], Handler]] = {
    ("System", "remark"): accounts.remark,
    ("Balances", "transfer_keep_alive"): accounts.transfer_keep_alive,
    ("SubtensorModule", "burned_register"): registration.burned_register,
    ("SubtensorModule", "serve_axon"): serving.serve_axon,
    **{("SubtensorModule", name): call for name, call in _WEIGHTS.items()},
}

FREE_CALLS: Final = frozenset(("SubtensorModule", name) for name in (*_WEIGHTS, "serve_axon"))
"""``Pays::No``: guarded by checks of the transaction pool instead of by a price."""
