"""What this package writes to the chain: weights, and the address of an axon.

Nothing is reported as done but what a block proves. Where no answer comes, the call may take effect all the same:
it is kept in mind, and the next call looks on chain for what became of it before it sends anything.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from compression_subnet.chain.calls import Caller
from compression_subnet.chain.outcomes import Inclusion, RateLimited, failure, inclusion, refusal, reveal_round
from compression_subnet.chain.port import (
    Axon,
    Committed,
    Refused,
    Served,
    ServeOutcome,
    TooEarly,
    Unreachable,
    WeightsOutcome,
    WeightsSet,
)
from compression_subnet.chain.reads import check_weights
from compression_subnet.chain.standing import (
    WEIGHTS_EVENTS,
    WeightsStanding,
    axon_standing,
    confirmation,
    weights_standing,
)
from compression_subnet.chain.wallets import Hotkey
from compression_subnet.errors import ChainError, ChainUnreachable

if TYPE_CHECKING:
    from bittensor import Client

__all__ = ["Writer"]

# Blocks for which a signed call stays valid: long enough for a slow pool, short enough that one which was given
# up on cannot surface much later.
_ERA: Final = 32
_AXON_PROTOCOL: Final = 4  # HTTP, by the field's convention


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A call for weights of which it is not known whether it took effect."""

    weights: Mapping[int, int]
    last_update: int
    """The hotkey's last update on chain before the call was sent."""


class Writer:
    """Writes as one hotkey to one subnet."""

    def __init__(self, caller: Caller, netuid: int, hotkey: Hotkey, spec_version: int):
        self._caller = caller
        self._netuid = netuid
        self._hotkey = hotkey
        self._spec_version = spec_version
        # A signer's calls are numbered: two at a time would take each other's number.
        self._turn = asyncio.Lock()
        self._unsettled: _Attempt | None = None

    async def set_weights(self, weights: Mapping[int, int]) -> WeightsOutcome:
        """Set this hotkey's weights, as ``port.Chain`` says.

        Raises:
            InputError: the weights are not in the port's form.
        """
        wanted = check_weights(weights)

        async def write() -> WeightsOutcome:
            async with self._turn:
                return await self._set_weights(wanted)

        try:
            return await self._caller.within_deadline(write)
        except ChainUnreachable as error:
            return Unreachable(str(error))
        except ChainError as error:
            return Refused("ChainError", str(error))

    async def serve_axon(self, axon: Axon) -> ServeOutcome:
        """Publish ``axon``, as ``port.Chain`` says; nothing is sent where the chain shows it already."""

        async def write() -> ServeOutcome:
            async with self._turn:
                return await self._serve_axon(axon)

        try:
            return await self._caller.within_deadline(write)
        except ChainUnreachable as error:
            return Unreachable(str(error))
        except ChainError as error:
            return Refused("ChainError", str(error))

    async def _set_weights(self, weights: Mapping[int, int]) -> WeightsOutcome:
        standing = await self._weights_standing()
        settled = await self._settle(weights, standing)
        if settled is not None:
            return settled
        if standing.uid is None:
            return Refused(
                "NotRegistered",
                f"register {self._hotkey.ss58_address}: btcli subnets register --netuid {self._netuid}",
            )
        if standing.block < standing.next_block:
            return TooEarly(standing.next_block, standing.last_update)
        share = max(weights.values()) / sum(weights.values())
        if len(weights) > 1 and share > standing.largest_share:
            return Refused(
                "MaxWeightExceeded",
                f"the largest share is {share:.4f}, the subnet allows {standing.largest_share:.4f}: have its owner "
                "raise max_weight_limit",
            )
        # Kept from before the call is sent until its fate is known: cancellation may strike at any point between.
        # After calls for different weights, the next update may be by any of them, and proves none.
        before = self._unsettled
        same = before is None or before.weights == weights
        self._unsettled = _Attempt(weights if same else {}, standing.last_update)
        outcome = await self._send(
            lambda sdk: sdk.SetWeights(
                netuid=self._netuid,
                weights={uid: float(weight) for uid, weight in weights.items()},
                version_key=self._spec_version,
            ),
            WEIGHTS_EVENTS,
        )
        if isinstance(outcome, Unreachable):
            return outcome
        if isinstance(outcome, RateLimited | Refused):
            self._unsettled = before
            if isinstance(outcome, Refused) and before is None:
                return outcome
            # Perhaps refused for an earlier call of ours, which surfaced in the meantime.
            standing = await self._weights_standing()
            settled = await self._settle(weights, standing)
            if settled is not None:
                return settled
            if isinstance(outcome, Refused):
                return outcome
            return TooEarly(max(standing.next_block, standing.block + 1), standing.last_update)
        drand = reveal_round(outcome.facts)
        if outcome.event != "WeightsSet" and drand is None:
            return Unreachable("the chain took a commitment, but its event does not say when it is revealed")
        self._unsettled = None
        if drand is None:
            return WeightsSet(outcome.block, outcome.block_hash)
        return Committed(outcome.block, outcome.block_hash, drand)

    async def _weights_standing(self) -> WeightsStanding:
        return await self._caller.read(lambda client: weights_standing(client, self._netuid, self._hotkey.ss58_address))

    async def _settle(self, weights: Mapping[int, int], standing: WeightsStanding) -> WeightsSet | Committed | None:
        """Return the proof of an earlier call that took effect, if it was for the same weights."""
        attempt, uid, block = self._unsettled, standing.uid, standing.last_update
        if attempt is None or uid is None or block <= attempt.last_update:
            return None
        proof = await self._caller.read(
            lambda client: confirmation(client, self._netuid, uid, self._hotkey.ss58_address, block)
        )
        self._unsettled = None
        return proof if attempt.weights == weights else None

    async def _serve_axon(self, axon: Axon) -> ServeOutcome:
        hotkey = self._hotkey.ss58_address
        standing = await self._caller.read(lambda client: axon_standing(client, self._netuid, hotkey))
        if standing.published == axon:
            return Served(standing.block_hash)
        if standing.block < standing.next_block:
            return TooEarly(standing.next_block, standing.published_at)
        outcome = await self._send(
            lambda sdk: sdk.ServeAxon(
                netuid=self._netuid,
                ip=axon.ip,
                port=axon.port,
                protocol=_AXON_PROTOCOL,
                version=self._spec_version,
            ),
            ("AxonServed",),
        )
        if isinstance(outcome, RateLimited):
            return TooEarly(max(standing.next_block, standing.block + 1), standing.published_at)
        if isinstance(outcome, Refused | Unreachable):
            return outcome
        return Served(outcome.block_hash)

    async def _send(
        self, intent: Callable[[Any], Any], events: tuple[str, ...]
    ) -> Inclusion | Refused | RateLimited | Unreachable:
        import bittensor

        from compression_subnet.chain import sdk

        async def submit(client: "Client") -> Any:
            return await client.execute(
                intent(bittensor), self._hotkey, period=_ERA, wait_for_inclusion=True, wait_for_finalization=False
            )

        try:
            result = await self._caller.send(submit)
        except ChainError:
            raise
        except Exception as error:
            return refusal(error, answered=not sdk.fate_open(error))
        proof = inclusion(result, events)
        if proof is not None:
            return proof
        cause = getattr(result, "error", None)
        return failure(result, answered=cause is None or not sdk.fate_open(cause))
