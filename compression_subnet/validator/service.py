"""The validator as a service: one round an epoch, weights after it, until it is told to stop."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from loguru import logger

from compression_subnet.chain.port import Chain, Committed, WeightsOutcome, WeightsSet
from compression_subnet.challenge import assign_levels
from compression_subnet.errors import ChainError, CompressionSubnetError
from compression_subnet.judge.cost import Prices
from compression_subnet.scoring import WeightRule
from compression_subnet.scoring.controls import Void
from compression_subnet.transport import Target
from compression_subnet.validator.results import Assignment, RoundResult
from compression_subnet.validator.rewards import copies_in, earned_by, epoch_number, updated_averages
from compression_subnet.validator.round import Round
from compression_subnet.validator.store import Store
from compression_subnet.validator.supply import Supply
from compression_subnet.validator.weighting import WeightSetter, WeightSettings

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
        weights: how they are set.
        profile: hash of everything that scores depend on.
        prices: of the judge's tokens.
        max_cost: most that a round's answers may cost; None is no bound.
    """

    challenges: int
    forgetting: float
    rule: WeightRule
    weights: WeightSettings
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
        self._weights = WeightSetter(hotkey, chain, settings.weights, sleep)

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
            done += step.confirmed or not self._settings.weights.send
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
        return await self._reward(number, epoch, {n.hotkey for n in metagraph.neurons}, result)

    async def _reward(self, number: int, epoch: int, registered: set[str], result: RoundResult) -> Step:
        averages = updated_averages(self._store.read.averages(), result, registered, epoch, self._settings.forgetting)
        # Before anything is asked of the chain: an outage there must not cost a round that is paid for.
        self._store.finish_round(number, averages, cut=result.cut)
        copies = copies_in(result.challenges)
        if copies:
            logger.warning("{} groups of hotkeys answer with each other's replies", len(copies))
        attempt = await self._weights.set(earned_by(averages, self._settings.rule, copies))
        outcome = attempt.outcome
        self._store.record_weights(
            number,
            attempt.vector,
            type(outcome).__name__ if outcome is not None else "NotSent",
            repr(outcome) if outcome is not None else "",
        )
        return Step(number, None, attempt.by_uid, outcome)

    async def _next_epoch(self) -> None:
        """Wait for the next epoch; a chain that cannot be asked is asked again by the next step."""
        try:
            await self._weights.until(await self._chain.next_epoch_block() + 1)
        except ChainError as error:
            logger.warning("the next epoch is not known: {}", error)
            await self._sleep(self._settings.weights.poll_seconds)
