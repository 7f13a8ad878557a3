"""What the SDK reports of a call, as one of the port's outcomes.

The SDK reports failure in two ways: it raises ``ChainError`` for what it checks before it signs, and returns a
result whose ``success`` is False for what the chain said. Here both become one value. Whatever has an unknown
shape is a failure. Nothing here imports the SDK: its results and errors are read by their attributes.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from compression_subnet.chain.port import Refused, Unreachable

__all__ = ["Inclusion", "RateLimited", "event_of", "failure", "inclusion", "refusal", "reveal_round"]

_REMEDIES: Final = {
    "IncorrectWeightVersionKey": "the subnet asks for a newer validator: upgrade compression-subnet",
    "NeuronNoValidatorPermit": "this hotkey has no validator permit: it needs more stake on this subnet, and an "
    "epoch to pass",
    "NotEnoughStakeToSetWeights": "stake more to this hotkey: its stake weight is under the chain's threshold",
    "StakeAmountTooLow": "stake more to this hotkey: its stake weight is under the chain's threshold",
    "HotKeyNotRegisteredInSubNet": "register this hotkey: btcli subnets register --netuid N",
    "HotKeyNotRegisteredInNetwork": "register this hotkey: btcli subnets register --netuid N",
    "NOT_REGISTERED": "register this hotkey: btcli subnets register --netuid N",
    "WeightVecLengthIsLow": "the subnet wants weights on more miners: wait until more have a score, or have its "
    "owner lower min_allowed_weights",
    "UidVecContainInvalidOne": "a uid in the weights no longer exists: refresh the metagraph and try again",
    "InvalidIpAddress": "set axon.external_ip to an address that other machines reach; the chain refuses loopback",
    "InvalidPort": "set axon.external_port to a port from 1 to 65535",
}

# The transaction may still be, or come to be, in a block.
_FATE_UNKNOWN: Final = frozenset({"Retracted", "FinalityTimeout"})
# Chain-side names of the refusals that time alone heals.
_RATE_LIMITS: Final = frozenset(
    {"SettingWeightsTooFast", "CommittingWeightsTooFast", "RateLimitExceeded", "ServingRateLimitExceeded"}
)


@dataclass(frozen=True, slots=True)
class RateLimited:
    """The call came too early; the caller knows how to find out by how much."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A call that a block holds and that the chain reported on by the event it was to bring about."""

    event: str
    block: int
    block_hash: str
    facts: tuple[Any, ...]
    """What the event says, in the order of its fields."""


def inclusion(result: Any, events: Container[str]) -> Inclusion | None:
    """Return where ``result`` took effect, or None where any part of the proof is missing.

    The proof: ``success`` is True and nothing like it, a block hash, a block number (``extrinsic_id`` is
    ``"block-index"``), and one of the named events of the pallet among those that the call triggered.
    """
    block_hash = getattr(result, "block_hash", None)
    if getattr(result, "success", None) is not True or not isinstance(block_hash, str):
        return None
    number, _, _ = str(getattr(result, "extrinsic_id", None) or "").partition("-")
    if not number.isdecimal():
        return None
    for record in getattr(result, "events", None) or ():
        name, facts = event_of(record)
        if name in events:
            return Inclusion(str(name), int(number), block_hash, facts)
    return None


def failure(result: Any, *, answered: bool) -> Refused | RateLimited | Unreachable:
    """Return what went wrong with a call whose ``result`` proves no success.

    ``answered`` is False where the result's error is that of a broken connection: the call may yet take effect.
    """
    error = getattr(result, "error", None)
    if error is not None:
        return refusal(error, answered=answered)
    success, message = getattr(result, "success", None), str(getattr(result, "message", "") or "no reason was given")
    if success is True:
        return Unreachable("the call is reported as successful, but no block, hash or event of the chain proves it")
    if success is False:
        return Refused("Failed", message)
    return Refused("UnknownResult", f"bittensor returned {type(result).__name__}; install bittensor>=11.3,<12")


def refusal(error: BaseException, *, answered: bool = True) -> Refused | RateLimited | Unreachable:
    """Return what an error of the SDK's means."""
    name = getattr(error, "name", None)
    code = str(getattr(getattr(error, "code", None), "name", "") or "")
    if name in _RATE_LIMITS or (name is None and code == "RATE_LIMITED"):
        return RateLimited()
    text = str(error) or type(error).__name__
    if name in _FATE_UNKNOWN or (name is None and not answered):
        return Unreachable(text)
    reason = str(name or code or type(error).__name__)
    advice = _REMEDIES.get(reason) or str(getattr(error, "remediation", "") or "")
    return Refused(reason, f"{advice} ({text})" if advice else text)


def event_of(record: Any) -> tuple[str | None, tuple[Any, ...]]:
    """Return the name and the facts of a SubtensorModule event, None and nothing for any other.

    Named fields come in their order, and a value that the runtime wraps in a type of its own comes bare.
    """
    if not isinstance(record, Mapping):
        return None, ()
    event = record.get("event", record)
    if not isinstance(event, Mapping) or event.get("module_id") != "SubtensorModule":
        return None, ()
    facts = event.get("attributes")
    if isinstance(facts, Mapping):
        facts = tuple(facts.values())
    return str(event.get("event_id")), tuple(map(_bare, facts)) if isinstance(facts, list | tuple) else ()


def reveal_round(facts: Sequence[Any]) -> int | None:
    """Return the drand round in a ``TimelockedWeightsCommitted`` event, None where it holds none.

    Its facts are the account, the subnet, the commitment's hash and the round.
    """
    return int(facts[3]) if len(facts) > 3 and isinstance(facts[3], int) else None


def _bare(value: Any) -> Any:
    while isinstance(value, list | tuple) and len(value) == 1:
        value = value[0]
    return value
