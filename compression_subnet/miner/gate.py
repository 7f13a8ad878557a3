"""Whom a miner answers: validators of its subnet, as the newest metagraph has them."""

from enum import StrEnum
from typing import Protocol

from compression_subnet.chain.port import Metagraph, Neuron

__all__ = ["Gate", "MetagraphGate", "Refusal"]


class Refusal(StrEnum):
    """Why a hotkey is not answered. For the miner's log; a caller is never told."""

    NOT_READY = "the metagraph has not been read yet"
    UNREGISTERED = "not registered on this subnet"
    NO_PERMIT = "no validator permit"
    LOW_STAKE = "stake under the threshold"


class Gate(Protocol):
    """Decides whom to answer."""

    def refusal(self, hotkey: str) -> Refusal | None:
        """Return why ``hotkey`` is not answered, or None where it is. Any string will do; it never raises."""


class MetagraphGate:
    """A gate over the latest metagraph it was shown. Each question is answered from one metagraph as a whole.

    Args:
        min_stake: least stake weight, in alpha.
        require_permit: whether a validator permit is needed.
        allow_unregistered: whether everyone is answered.
    """

    def __init__(self, *, min_stake: float, require_permit: bool, allow_unregistered: bool = False):
        self._min_stake = min_stake
        self._require_permit = require_permit
        self._allow_unregistered = allow_unregistered
        self._neurons: dict[str, Neuron] | None = None

    def update(self, metagraph: Metagraph) -> None:
        """Judge by ``metagraph`` from now on."""
        self._neurons = {neuron.hotkey: neuron for neuron in metagraph.neurons}

    def refusal(self, hotkey: str) -> Refusal | None:
        """Return why ``hotkey`` is not answered, or None where it is."""
        if self._allow_unregistered:
            return None
        if self._neurons is None:
            return Refusal.NOT_READY
        neuron = self._neurons.get(hotkey)
        if neuron is None:
            return Refusal.UNREGISTERED
        if self._require_permit and not neuron.validator_permit:
            return Refusal.NO_PERMIT
        if not neuron.stake >= self._min_stake:
            return Refusal.LOW_STAKE
        return None
