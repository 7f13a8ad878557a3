"""The SDK's metagraph as the port's: plain values, checked where the chain's word is taken."""

import ipaddress
from collections.abc import Mapping
from typing import Any, Final

from compression_subnet.chain.port import Axon, Hyperparameters, Metagraph, Neuron
from compression_subnet.errors import ChainError, InputError

__all__ = ["RAO_PER_TAO", "check_weights", "metagraph_of", "parse_axon"]

RAO_PER_TAO: Final = 10**9
_U16_MAX: Final = 65535


def metagraph_of(graph: Any) -> Metagraph:
    """Return the port's view of the SDK's ``Metagraph``.

    Raises:
        ChainError: the runtime's answer lacks a field, which means that SDK and chain are of different ages.
    """
    try:
        return Metagraph(
            netuid=int(graph.netuid),
            block=int(graph.block),
            owner_hotkey=str(graph.owner_hotkey),
            neurons=tuple(_neuron(neuron) for neuron in graph.neurons),
            hyperparameters=_hyperparameters(graph.raw),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ChainError(
            f"the chain describes the subnet in a form that is not known here ({error!r}): upgrade bittensor"
        ) from error


def parse_axon(address: str | None) -> Axon | None:
    """Return the address in ``"ip:port"`` or ``"[ip]:port"``; None where there is none or it has no port."""
    if not address:
        return None
    host, _, port = address.rpartition(":")
    number = int(port)
    if number == 0:
        return None
    return Axon(ip=str(ipaddress.ip_address(host.strip("[]"))), port=number)


def _neuron(neuron: Any) -> Neuron:
    return Neuron(
        uid=int(neuron.uid),
        hotkey=str(neuron.hotkey),
        coldkey=str(neuron.coldkey),
        stake=int(neuron.total_stake.rao) / RAO_PER_TAO,
        validator_permit=bool(neuron.validator_permit),
        axon=parse_axon(neuron.axon),
        last_update=int(neuron.last_update),
        registered_at=int(neuron.block_at_registration),
        incentive=float(neuron.incentive),
        dividends=float(neuron.dividends),
        trust=float(neuron.trust),
    )


def _hyperparameters(raw: Mapping[str, Any]) -> Hyperparameters:
    return Hyperparameters(
        tempo=int(raw["tempo"]),
        weights_rate_limit=int(raw["weights_rate_limit"]),
        min_allowed_weights=int(raw["min_allowed_weights"]),
        weights_version=int(raw["weights_version"]),
        commit_reveal=bool(raw["commit_reveal_weights_enabled"]),
        commit_reveal_epochs=int(raw["commit_reveal_period"]),
        immunity_period=int(raw["immunity_period"]),
        serving_rate_limit=int(raw["serving_rate_limit"]),
        max_uids=int(raw["max_uids"]),
    )


def check_weights(weights: Mapping[int, int]) -> dict[int, int]:
    """Return ``weights`` without its zeros, which mean the same to the chain as no entry.

    Raises:
        InputError: it is empty, or not a map of uids to integers in [0, 65535] with 65535 the largest. The SDK
            would scale anything else, and the chain would not get what the record says.
    """
    for uid, weight in weights.items():
        if type(uid) is not int or not 0 <= uid <= _U16_MAX:
            raise InputError(f"uid {uid!r} is not an integer in [0, {_U16_MAX}]")
        if type(weight) is not int or not 0 <= weight <= _U16_MAX:
            raise InputError(f"the weight of uid {uid} is {weight!r}, not an integer in [0, {_U16_MAX}]")
    if max(weights.values(), default=0) != _U16_MAX:
        raise InputError(f"the largest weight must be {_U16_MAX}; scale the vector before it is set")
    return {uid: weight for uid, weight in sorted(weights.items()) if weight}
