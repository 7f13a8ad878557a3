"""Setting weights: at the right block, for the uids of that block, until the chain confirms or time is up."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from loguru import logger

from compression_subnet.chain.burn import burn_uid
from compression_subnet.chain.port import Chain, Committed, Metagraph, TooEarly, WeightsOutcome, WeightsSet
from compression_subnet.chain.schedule import position, when_to_set
from compression_subnet.errors import ChainError
from compression_subnet.scoring import quantise
from compression_subnet.scoring.weights import U16_MAX

__all__ = ["Attempt", "WeightSetter", "WeightSettings"]


@dataclass(frozen=True, slots=True)
class WeightSettings:
    """How weights are set.

    Attributes:
        send: whether they are sent at all, or only logged.
        burn: whether all weight goes to the subnet owner where nobody has earned any; else nothing is set then.
        margin_blocks: how many blocks before an epoch they are set.
        poll_seconds: how often the chain is asked for its block while waiting for one.
        tries: attempts, those in which the chain cannot be reached included.
    """

    send: bool
    burn: bool
    margin_blocks: int
    poll_seconds: float
    tries: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """The last vector that was made of what was earned, and what came of it.

    Attributes:
        vector: 16-bit weights by hotkey; empty where there was nothing to set.
        uids: of those hotkeys when the vector was made.
        outcome: what the chain made of it; None where nothing was sent.
    """

    vector: Mapping[str, int]
    uids: Mapping[str, int]
    outcome: WeightsOutcome | None

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
                attempt = Attempt(attempt.vector, attempt.uids, outcome)
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
        here = {hotkey: weight for hotkey, weight in earned.items() if hotkey in registered}
        by_uid = quantise({registered[hotkey]: weight for hotkey, weight in here.items()})
        if not by_uid and self._settings.burn:
            owner = burn_uid(metagraph)
            if owner is None:
                logger.warning("nobody has earned any weight, and the subnet's owner is not registered to burn it")
            else:
                by_uid = {owner: U16_MAX}
        hotkeys = {uid: hotkey for hotkey, uid in registered.items()}
        vector = {hotkeys[uid]: weight for uid, weight in by_uid.items()}
        return Attempt(vector, {hotkey: registered[hotkey] for hotkey in vector}, None)
