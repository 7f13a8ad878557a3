"""The validator as a service: one round an epoch, weights after it, until it is told to stop."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from loguru import logger

from compression_subnet.chain.port import Chain, Committed, TooEarly, WeightsOutcome, WeightsSet
from compression_subnet.chain.schedule import position, when_to_set
from compression_subnet.challenge import assign_levels
from compression_subnet.errors import ChainError, CompressionSubnetError
from compression_subnet.judge.cost import Prices
from compression_subnet.scoring import WeightRule
from compression_subnet.scoring.controls import Void
from compression_subnet.transport import Target
from compression_subnet.validator.results import Assignment, RoundResult
from compression_subnet.validator.rewards import copies_in, epoch_number, updated_averages, weight_vector
from compression_subnet.validator.round import Round
from compression_subnet.validator.store import Store
from compression_subnet.validator.supply import Supply

__all__ = ["ServiceSettings", "Step", "Validator"]

MAX_FAILURES: Final = 20
"""Steps that may fail in a row before the process ends, for a supervisor to start it afresh."""
MAX_BACKOFF_SECONDS: Final = 300.0


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """What the service is told.

    Attributes:
        challenges: a round, over all levels.
        forgetting: λ, the factor by which an epoch's scores fade in the next.
        rule: how margins are paid.
        set_weights: whether weights are set at all, or only logged.
        margin_blocks: how many blocks before an epoch weights are set.
        poll_seconds: how often the chain is asked for its block while waiting for one.
        weight_tries: attempts to set one round's weights.
        profile: hash of everything that scores depend on.
        prices: of the judge's tokens.
        max_cost: most that a round's answers may cost; None is no bound.
    """

    challenges: int
    forgetting: float
    rule: WeightRule
    set_weights: bool
    margin_blocks: int
    poll_seconds: float
    weight_tries: int
    profile: str
    prices: Prices = field(default_factory=Prices)
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What one round came to.

    Attributes:
        round_number: in the record.
        void: why it moved nobody, or None.
        vector: 16-bit weights by uid that were computed; empty where nobody has earned any, or the round is void.
        outcome: what the chain made of them; None where nothing was sent.
    """

    round_number: int
    void: Void | None
    vector: dict[int, int]
    outcome: WeightsOutcome | None

    @property
    def confirmed(self) -> bool:
        """Whether the chain has this round's weights."""
        return isinstance(self.outcome, WeightsSet | Committed)


class Validator:
    """Runs rounds for ``hotkey`` on ``chain``; everything it leans on is passed in."""

    def __init__(
        self,
        hotkey: str,
        chain: Chain,
        supply: Supply,
        round_: Round,
        store: Store,
        settings: ServiceSettings,
        rng: random.Random,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        self._hotkey = hotkey
        self._chain = chain
        self._supply = supply
        self._round = round_
        self._store = store
        self._settings = settings
        self._rng = rng
        self._sleep = sleep

    async def run(self, rounds: int | None = None) -> bool:
        """Run rounds until ``rounds`` of them have their weights on chain, or for ever; return whether it went well.

        A step that fails is tried again with back-off; after ``MAX_FAILURES`` in a row it gives up.
        """
        done = failures = 0
        while rounds is None or done < rounds:
            try:
                step = await self.step()
            except CompressionSubnetError as error:
                failures += 1
                if failures >= MAX_FAILURES:
                    logger.critical("{} steps failed in a row; the last: {}", failures, error)
                    return False
                wait = min(MAX_BACKOFF_SECONDS, 2.0**failures)
                logger.error("no round: {}; trying again in {:.0f} s", error, wait)
                await self._sleep(wait)
                continue
            failures = 0
            done += step.confirmed or not self._settings.set_weights
            if rounds is None or done < rounds:
                await self._next_epoch()
        return True

    async def step(self) -> Step:
        """Run one round, record it, and set weights.

        Raises:
            ChainError: the chain cannot be read, or this hotkey is not registered.
            JudgeError: the judge cannot be reached to filter questions.
            StoreError: the record cannot be written.
        """
        metagraph = await self._chain.metagraph()
        if metagraph.by_hotkey(self._hotkey) is None:
            raise ChainError(
                f"hotkey {self._hotkey} is not registered on subnet {metagraph.netuid}; register it with btcli"
            )
        targets = [Target(n.hotkey, n.axon) for n in metagraph.neurons if n.hotkey != self._hotkey]
        challenges = await self._supply.draw(self._settings.challenges)
        levels = assign_levels(len(challenges), self._rng)
        epoch = epoch_number(metagraph)
        number = self._store.begin_round(
            epoch, self._settings.profile, len(challenges), self._settings.prices, self._settings.max_cost
        )
        logger.info("round {}: {} challenges for {} hotkeys", number, len(challenges), len(targets))
        result = await self._round.run(
            [Assignment(c, level) for c, level in zip(challenges, levels, strict=True)],
            targets,
            lambda one: self._store.add(number, one),
        )
        logger.info("round {}: its answers cost {:.4f}", number, result.cost)
        if result.cut:
            logger.warning(
                "round {}: {} of {} challenges were begun for nobody, since they might have cost more than {:g}",
                number,
                result.cut,
                len(challenges),
                self._settings.max_cost,
            )
        if result.void is not None:
            self._store.finish_round(number, None, result.void.value, result.cut)
            logger.error("round {} is void ({}): nobody's average moves", number, result.void)
            return Step(number, result.void, {}, None)
        return await self._reward(number, epoch, result)

    async def _reward(self, number: int, epoch: int, result: RoundResult) -> Step:
        metagraph = await self._chain.metagraph()
        uids = {n.hotkey: n.uid for n in metagraph.neurons}
        averages = updated_averages(self._store.read.averages(), result, uids.keys(), epoch, self._settings.forgetting)
        self._store.finish_round(number, averages, cut=result.cut)
        copies = copies_in(result.challenges)
        if copies:
            logger.warning("{} groups of hotkeys answer with each other's replies", len(copies))
        vector = weight_vector(averages, uids, self._settings.rule, copies)
        outcome = await self._set_weights(vector)
        hotkeys = {n.uid: n.hotkey for n in metagraph.neurons}
        self._store.record_weights(
            number,
            {hotkeys[uid]: value for uid, value in vector.items()},
            type(outcome).__name__ if outcome is not None else "NotSent",
            repr(outcome) if outcome is not None else "",
        )
        return Step(number, None, vector, outcome)

    async def _set_weights(self, vector: dict[int, int]) -> WeightsOutcome | None:
        if not vector:
            logger.warning("no hotkey has earned any weight: nothing is set")
            return None
        if not self._settings.set_weights:
            logger.info("would set weights: {}", vector)
            return None
        outcome: WeightsOutcome | None = None
        for _ in range(self._settings.weight_tries):
            await self._due()
            outcome = await self._chain.set_weights(vector)
            if isinstance(outcome, WeightsSet | Committed):
                logger.info("weights are on chain: {}", outcome)
                break
            logger.warning("weights are not on chain: {}", outcome)
            if isinstance(outcome, TooEarly):
                await self._until(outcome.next_block)
            else:
                await self._sleep(self._settings.poll_seconds)
        return outcome

    async def _due(self) -> None:
        """Wait for the block near the epoch's end at which weights are to be set."""
        while True:
            metagraph = await self._chain.metagraph()
            here = position(metagraph, self._hotkey, await self._chain.next_epoch_block())
            decision = when_to_set(here, self._settings.margin_blocks)
            if decision.action == "set":
                return
            logger.info("weights wait until block {}: {}", decision.block, decision.reason)
            await self._until(decision.block)

    async def _next_epoch(self) -> None:
        """Wait for the next epoch; a chain that cannot be asked is asked again by the next step."""
        try:
            await self._until(await self._chain.next_epoch_block() + 1)
        except ChainError as error:
            logger.warning("the next epoch is not known: {}", error)
            await self._sleep(self._settings.poll_seconds)

    async def _until(self, block: int) -> None:
        while await self._chain.block() < block:
            await self._sleep(self._settings.poll_seconds)
