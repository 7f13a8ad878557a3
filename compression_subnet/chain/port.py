"""What a validator and a miner need of a chain, in our own words.

No type of the SDK leaves the adapter: everything here is a frozen value, and ``Chain`` is the whole contract.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Protocol

__all__ = [
    "Axon",
    "Chain",
    "Committed",
    "Hyperparameters",
    "Metagraph",
    "Neuron",
    "Refused",
    "ServeOutcome",
    "Served",
    "TooEarly",
    "Unreachable",
    "WeightsOutcome",
    "WeightsSet",
]


@dataclass(frozen=True, slots=True)
class Axon:
    """Where a neuron says that it can be reached."""

    ip: str
    port: int


@dataclass(frozen=True, slots=True)
class Neuron:
    """One registered hotkey of a subnet, as the chain describes it."""

    uid: int
    hotkey: str
    coldkey: str
    stake: float
    """Stake weight on this subnet, in alpha."""
    validator_permit: bool
    axon: Axon | None
    last_update: int
    """Block at which this neuron last set weights."""
    registered_at: int
    incentive: float
    dividends: float
    trust: float


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """The subnet's settings that a neuron must respect. Periods are in blocks unless they say otherwise."""

    tempo: int
    weights_rate_limit: int
    min_allowed_weights: int
    weights_version: int
    commit_reveal: bool
    commit_reveal_epochs: int
    immunity_period: int
    serving_rate_limit: int
    max_uids: int


@dataclass(frozen=True, slots=True)
class Metagraph:
    """The whole subnet at one block."""

    netuid: int
    block: int
    owner_hotkey: str
    neurons: tuple[Neuron, ...]
    """In the order of their uids."""
    hyperparameters: Hyperparameters

    def by_hotkey(self, hotkey: str) -> Neuron | None:
        """Return the neuron of ``hotkey``, or None where it is not registered."""
        return next((n for n in self.neurons if n.hotkey == hotkey), None)


@dataclass(frozen=True, slots=True)
class WeightsSet:
    """The chain confirmed the weights."""

    block: int
    block_hash: str


@dataclass(frozen=True, slots=True)
class Committed:
    """The chain took a time-locked commitment, to be revealed in the given drand round."""

    block: int
    block_hash: str
    reveal_round: int


@dataclass(frozen=True, slots=True)
class TooEarly:
    """The rate limit has not passed; nothing was sent or kept."""

    next_block: int
    """The first block at which the chain may say yes."""
    last_block: int | None = None
    """The block from which the limit counts: for weights, the hotkey's last update (or registration)."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The chain or the SDK said no."""

    reason: str
    """Short name of the error, such as ``NeuronNoValidatorPermit``."""
    remedy: str
    """What an operator can do about it."""


@dataclass(frozen=True, slots=True)
class Unreachable:
    """No answer within the deadline: whether the call took effect is not known."""

    detail: str


@dataclass(frozen=True, slots=True)
class Served:
    """The axon's address is on chain."""

    block_hash: str


WeightsOutcome = WeightsSet | Committed | TooEarly | Refused | Unreachable
ServeOutcome = Served | TooEarly | Refused | Unreachable


class Chain(Protocol):
    """One subnet of one chain, seen by one hotkey.

    Every call ends within the deadline that the implementation was given. Reads raise ``ChainUnreachable`` when
    it passes and ``ChainError`` when the chain's answer is an error; writes return their outcome as a value.
    """

    async def block(self) -> int:
        """Return the number of the newest block."""

    async def metagraph(self) -> Metagraph:
        """Return the subnet as of the newest block.

        Raises:
            ChainError: the subnet does not exist.
        """

    async def next_epoch_block(self) -> int:
        """Return the block at which the subnet's next epoch runs."""

    async def weights(self) -> Mapping[int, Mapping[int, float]]:
        """Return the weights on chain: setter's uid to receiver's uid to share; each row's shares sum to 1."""

    async def serve_axon(self, axon: Axon) -> ServeOutcome:
        """Publish the address at which this hotkey answers; an address that is on chain already is not sent again."""

    async def set_weights(self, weights: Mapping[int, int]) -> WeightsOutcome:
        """Set this hotkey's weights: uid to an integer in [0, 65535], the largest of them 65535.

        Plain or commit-reveal, as the subnet asks; with the package's spec version as version key. After
        ``Unreachable``, call again: where the earlier call was for the same weights and took effect, the outcome is
        its proof and nothing is sent.

        Raises:
            InputError: the weights are not in this form.
        """

    def blocks(self) -> AsyncIterator[int]:
        """Yield the newest block's number, then each new one's, through reconnects; after a gap, the newest alone."""

    async def close(self) -> None:
        """Release the connection; further calls raise ``ChainError``."""
