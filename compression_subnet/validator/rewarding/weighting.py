"""Setting weights: at the right block, for the uids of that block, until the chain confirms or time is up."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

from loguru import logger

from compression_subnet.chain.burn import burn_uid
from compression_subnet.chain.port import Chain, Committed, Metagraph, TooEarly, WeightsOutcome, WeightsSet
from compression_subnet.chain.schedule import position, when_to_set
from compression_subnet.errors import ChainError
from compression_subnet.scoring import quantise
from compression_subnet.scoring.weights import U16_MAX
from compression_subnet.validator.records.terms import VectorTerms

__all__ = ["Attempt", "WeightSetter", "WeightSettings", "weight_vector"]


@dataclass(frozen=True, slots=True)
class WeightSettings:
    """How weights are set.

    Attributes:
        send: whether they are sent at all, or only logged.
        burn: whether all weight goes to the subnet owner where nobody has earned any; else nothing is set then.
        burn_share: the owner's share of all weight where somebody has, in [0, 1]; where the owner is not registered,
            nothing is set then.
        margin_blocks: how many blocks before an epoch they are set.
        poll_seconds: how often the chain is asked for its block while waiting for one.
        tries: attempts, those in which the chain cannot be reached included.
    """

    send: bool
    burn: bool
    margin_blocks: int
    poll_seconds: float
    tries: int
    burn_share: float = 0.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """The last vector that was made of what was earned, and what came of it.

    Attributes:
        vector: 16-bit weights by hotkey; empty where there was nothing to set.
        uids: of those hotkeys when the vector was made.
        outcome: what the chain made of it; None where nothing was sent.
        terms: what the vector was made of, beside what was earned; None where none was made.
    """

    vector: Mapping[str, int]
    uids: Mapping[str, int]
    outcome: WeightsOutcome | None
    terms: VectorTerms | None = None

    @property
    def confirmed(self) -> bool:
        """Whether the chain has the weights."""
        return isinstance(self.outcome, WeightsSet | Committed)

    @property
    def by_uid(self) -> dict[int, int]:
        """The vector by uid."""
        return {self.uids[hotkey]: weight for hotkey, weight in self.vector.items()}


class WeightSetter:
    """Sets the weights of ``hotkey`` on ``chain``."""

    def __init__(
        self,
        hotkey: str,
        chain: Chain,
        settings: WeightSettings,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._hotkey = hotkey
        self._chain = chain
        self._settings = settings
        self._sleep = sleep

    async def set(self, earned: Mapping[str, float]) -> Attempt:
        """Set weights in proportion to ``earned``, by hotkey; a chain that cannot be reached is tried again.

        Uids are looked up in the metagraph of the moment: in the hours that a round and its schedule take, one may
        have gone to another hotkey.
        """
        attempt = Attempt({}, {}, None)
        for _ in range(self._settings.tries):
            try:
                metagraph = await (self._due() if self._settings.send else self._chain.metagraph())
                attempt = self._vector(earned, metagraph)
                if not attempt.vector or not self._settings.send:
                    logger.info("weights that are not sent: {}", dict(attempt.by_uid) or "nobody has earned any")
                    return attempt
                outcome = await self._chain.set_weights(attempt.by_uid)
                attempt = replace(attempt, outcome=outcome)
                if attempt.confirmed:
                    logger.info("weights are on chain: {}", outcome)
                    return attempt
                logger.warning("weights are not on chain: {}", outcome)
                if isinstance(outcome, TooEarly):
                    await self.until(outcome.next_block)
                    continue
            except ChainError as error:
                logger.warning("weights are not on chain: {}", error)
            await self._sleep(self._settings.poll_seconds)
        return attempt

    async def until(self, block: int) -> None:
        """Wait for a block.

        Raises:
            ChainError: the chain cannot be read.
        """
        while await self._chain.block() < block:
            await self._sleep(self._settings.poll_seconds)

    async def _due(self) -> Metagraph:
        """Wait for the block near the epoch's end at which weights are to be set; return the subnet at that block."""
        while True:
            metagraph = await self._chain.metagraph()
            here = position(metagraph, self._hotkey, await self._chain.next_epoch_block())
            decision = when_to_set(here, self._settings.margin_blocks)
            if decision.action == "set":
                return metagraph
            logger.info("weights wait until block {}: {}", decision.block, decision.reason)
            await self.until(decision.block)

    def _vector(self, earned: Mapping[str, float], metagraph: Metagraph) -> Attempt:
        registered = {n.hotkey: n.uid for n in metagraph.neurons}
        burn, share = self._settings.burn, self._settings.burn_share
        owner = burn_uid(metagraph) if burn or share else None
        if owner is None and (burn or share):
            logger.warning("the subnet's owner is not registered: nothing can be burned, and its share is nobody's")
        elif share:
            logger.info("{:.2%} of all weight goes to the subnet's owner, uid {}, to be burned", share, owner)
        hotkeys = {uid: hotkey for hotkey, uid in registered.items()}
        terms = VectorTerms(metagraph.block, registered, None if owner is None else hotkeys[owner], burn, share)
        vector = weight_vector(earned, terms)
        return Attempt(vector, {hotkey: registered[hotkey] for hotkey in vector}, None, terms)


def weight_vector(earned: Mapping[str, float], terms: VectorTerms) -> dict[str, int]:
    """Return the 16-bit weights, by hotkey in the order of their uids; empty where there is nothing to set.

    Args:
        earned: by hotkey, not normalised; of those who are registered no more, nothing is left.
        terms: what was so on chain.
    """
    uids = terms.registered
    hotkeys = {uid: hotkey for hotkey, uid in uids.items()}
    here = {uids[hotkey]: weight for hotkey, weight in earned.items() if hotkey in uids}
    total = math.fsum(here.values())
    if terms.burn is not None and total == 0:
        return {terms.burn: U16_MAX} if terms.burn_unearned else {}
    if terms.burn is None and terms.burn_share:
        return {}  # paying it to miners instead would be another vector than the one that was decided on
    if terms.burn is not None and terms.burn_share:
        here = {uid: (1 - terms.burn_share) * weight / total for uid, weight in here.items()}
        here[uids[terms.burn]] = here.get(uids[terms.burn], 0.0) + terms.burn_share
    by_uid = quantise(here)
    return {hotkeys[uid]: weight for uid, weight in by_uid.items()}
