"""What the transaction pool asks of an extrinsic before it takes it.

Calls that are free of fee are guarded here by the pallet's own checks; the pallet's errors then reach the client as
numbers (``common/src/transaction_error.rs`` and ``guards/`` of the public source).
"""

from typing import Final

from compression_subnet.chain.dev.errors import DispatchFailure, PoolRefusal, custom_refusal
from compression_subnet.chain.dev.extrinsics import Extrinsic
from compression_subnet.chain.dev.pallets import CALLS, FREE_CALLS, accounts, serving, subnets, weights
from compression_subnet.chain.dev.state import Storage

__all__ = ["CUSTOM_NUMBERS", "check_validity", "fee_of"]

CUSTOM_NUMBERS: Final = {
    "NotEnoughStakeToSetWeights": 1,
    "SubnetNotExists": 3,
    "SettingWeightsTooFast": 6,
    "CommittingWeightsTooFast": 6,
    "HotKeyNotRegisteredInNetwork": 10,
    "InvalidIpAddress": 11,
    "ServingRateLimitExceeded": 12,
    "InvalidPort": 13,
    "InputLengthsUnequal": 18,
    "HotKeyNotRegisteredInSubNet": 19,
}
"""Number of a pallet's error when the pool refuses for it; 255 (bad request) for every other.

18 and 19 come of batch and EVM calls, which the dev chain does not have: ``dev_fault pool`` gives any number.
"""

_BAD_REQUEST: Final = 255
_PLAIN: Final = ("set_weights", "set_mechanism_weights")
_SEALED: Final = ("commit_timelocked_weights", "commit_timelocked_mechanism_weights")


def fee_of(pallet: str, call: str) -> int:
    """Return what including the call costs, in rao."""
    return 0 if (pallet, call) in FREE_CALLS else accounts.FEE


def check_validity(storage: Storage, block: int, extrinsic: Extrinsic) -> None:
    """Check an extrinsic's nonce, its signer's means and its call, against the state before block ``block``.

    Raises:
        PoolRefusal: as a node's pool would refuse it.
    """
    if (extrinsic.pallet, extrinsic.call) not in CALLS:
        raise PoolRefusal("Transaction call is not expected")
    if extrinsic.nonce < accounts.nonce(storage, extrinsic.signer):
        raise PoolRefusal("Transaction is outdated")
    cost = fee_of(extrinsic.pallet, extrinsic.call) + extrinsic.tip
    if cost and accounts.balance(storage, extrinsic.signer) < cost:
        raise PoolRefusal("Inability to pay some fees (e.g. account balance too low)")
    try:
        _check_call(storage, block, extrinsic)
    except DispatchFailure as failure:
        raise custom_refusal(CUSTOM_NUMBERS.get(str(failure), _BAD_REQUEST)) from failure


def _check_call(storage: Storage, block: int, extrinsic: Extrinsic) -> None:
    call, signer, arguments = extrinsic.call, extrinsic.signer, extrinsic.arguments
    if call == "serve_axon":
        address = (arguments["netuid"], arguments["ip"], arguments["port"], arguments["ip_type"])
        serving.check_serving(storage, block, signer, *address)
    elif call in _PLAIN or call in _SEALED:
        _check_weights(storage, block, signer, extrinsic)


def _check_weights(storage: Storage, block: int, signer: str, extrinsic: Extrinsic) -> None:
    arguments = extrinsic.arguments
    netuid = arguments["netuid"]
    if extrinsic.call in _SEALED and len(weights.commit_bytes(arguments["commit"])) > weights.MAX_COMMIT_BYTES:
        # Such a call cannot be decoded by the live runtime at all.
        raise PoolRefusal("Runtime error: Execution failed", 1002, "Verification Error")
    if subnets.stake_weight(storage, netuid, signer)[0] < int(storage.get("StakeThreshold")):
        raise DispatchFailure("NotEnoughStakeToSetWeights")
    if extrinsic.call in _PLAIN and not storage.get("CommitRevealWeightsEnabled", netuid):
        uid = subnets.uid_of(storage, netuid, signer)
        if uid is None:
            return  # passes the pool and fails in its block
        if not weights.passes_rate_limit(storage, block, netuid, arguments.get("mecid", 0), uid):
            raise DispatchFailure("SettingWeightsTooFast")
