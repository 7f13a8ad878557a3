"""The validator as a service: one round an epoch, weights after it, until it is told to stop."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from loguru import logger

from compression_subnet.chain.port import Chain, Metagraph
from compression_subnet.challenge import assign_levels
from compression_subnet.errors import ChainError, CompressionSubnetError, StoreError, StoreFull
from compression_subnet.judge.cost import Prices
from compression_subnet.scoring import WeightRule
from compression_subnet.scoring.copies import MIN_COMMON
from compression_subnet.transport import Target
from compression_subnet.validator.records.retention import Retention
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.records.terms import RoundTerms
from compression_subnet.validator.rewarding.rewards import copies_in, epoch_number, updated_averages
from compression_subnet.validator.rewarding.settlement import Settlement
from compression_subnet.validator.rewarding.standings import log_standings
from compression_subnet.validator.rewarding.warmth import WarmRule
from compression_subnet.validator.rewarding.weighting import WeightSetter, WeightSettings
from compression_subnet.validator.rounds.coverage import Coverage, common_challenges, plan
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult, RoundResult
from compression_subnet.validator.rounds.round import Round
from compression_subnet.validator.rounds.supply import Supply
from compression_subnet.validator.steps import Step, step_of
from compression_subnet.validator.watching.observer import Observer, Phase, Unobserved

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
        spec_version: of this package, which goes with weights.
        reuse: whether base texts and noise may come again.
        coverage: how many miners are asked a challenge.
        warm: when averages are enough to make weights of.
        min_free_bytes: on the record's disk, below which no round is begun.
    """

    challenges: int
    forgetting: float
    rule: WeightRule
    weights: WeightSettings
    profile: str
    prices: Prices = field(default_factory=Prices)
    max_cost: float | None = None
    spec_version: int = 0
    reuse: bool = False
    coverage: Coverage = field(default_factory=Coverage)
    warm: WarmRule = field(default_factory=WarmRule)
    min_free_bytes: int = 0


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
        observer: Observer | None = None,
        retention: Retention | None = None,
    ):
        self._hotkey = hotkey
        self._chain = chain
        self._supply = supply
        self._round = round_
        self._store = store
        self._settings = settings
        self._rng = rng
        self._sleep = sleep
        self._observer = observer or Unobserved()
        self._retention = retention
        self._weights = WeightSetter(hotkey, chain, settings.weights, sleep)
        self._settlement = Settlement(hotkey, store, self._weights, settings.rule, settings.warm, self._observer)

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
                self._observer.failed(error)
                self._note(error)
                if failures >= MAX_FAILURES:
                    logger.critical("{} steps failed in a row; the last: {}", failures, error)
                    return False
                wait = min(MAX_BACKOFF_SECONDS, 2.0**failures)
                logger.error("no round: {}; trying again in {:.0f} s", error, wait)
                await self._sleep(wait)
                continue
            failures = 0
            self._observer.succeeded()
            done += not step.full and (step.confirmed or not self._settings.weights.send)
            await self._tidy()
            if rounds is None or done < rounds:
                await self._next_epoch()
        return True

    async def step(self) -> Step:
        """Run one round, record it, and set weights; where there is no room for a round, set those of the last one.

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
        self._settlement.look(metagraph)
        try:
            return await self._scored(metagraph)
        except StoreFull as error:
            self._observer.failed(error)
            logger.error("no round, and weights of the last averages: {}", error)
            return step_of(await self._settlement.of_record(metagraph), full=True)

    async def _scored(self, metagraph: Metagraph) -> Step:
        self._store.check_space(self._settings.min_free_bytes)
        targets = [Target(n.hotkey, n.axon, n.uid) for n in metagraph.neurons if n.hotkey != self._hotkey]
        self._observer.entered(Phase.DRAWING)
        challenges = await self._supply.draw(self._settings.challenges)
        levels = assign_levels(len(challenges), self._rng)
        hotkeys = [target.hotkey for target in targets]
        asked = plan(levels, hotkeys, self._store.read.averages(), self._rng, self._settings.coverage)
        if self._settings.coverage.miners_per_challenge is not None:
            shared = common_challenges(levels, asked, len(hotkeys))
            if shared < MIN_COMMON:
                logger.warning(
                    "two miners share {:.1f} challenges of this round, and copies are seen from {} on; "
                    "raise neuron.miners_per_challenge or neuron.challenges",
                    shared,
                    MIN_COMMON,
                )
        epoch = epoch_number(metagraph)
        registered = {n.hotkey: n.uid for n in metagraph.neurons}
        number = self._store.begin_round(
            epoch,
            self._settings.profile,
            len(challenges),
            self._settings.prices,
            self._settings.max_cost,
            RoundTerms(
                metagraph.netuid,
                self._hotkey,
                self._settings.spec_version,
                self._settings.reuse,
                self._settings.forgetting,
                self._settings.rule,
                registered,
            ),
        )
        logger.info("round {}: {} challenges for {} hotkeys", number, len(challenges), len(targets))
        self._observer.entered(Phase.ASKING)

        def finished(one: ChallengeResult) -> None:
            self._store.add(number, one)
            self._observer.scored_challenge()

        result = await self._round.run(
            [Assignment(c, level, who) for c, level, who in zip(challenges, levels, asked, strict=True)],
            targets,
            finished,
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
            self._observer.finished_round(number, result, None)
            logger.error("round {} is void ({}): nobody's average moves", number, result.void)
            return Step(number, result.void, {}, None)
        return await self._reward(number, epoch, metagraph, result)

    async def _reward(self, number: int, epoch: int, metagraph: Metagraph, result: RoundResult) -> Step:
        registered = {n.hotkey for n in metagraph.neurons}
        averages = updated_averages(self._store.read.averages(), result, registered, epoch, self._settings.forgetting)
        # Before anything is asked of the chain: an outage there must not cost a round that is paid for.
        self._store.finish_round(number, averages, cut=result.cut)
        self._observer.finished_round(number, result, averages)
        log_standings(number, averages, len(result.challenges))
        return step_of(
            await self._settlement.of_round(number, epoch, averages, copies_in(result.challenges), metagraph)
        )

    async def _tidy(self) -> None:
        """Archive what is due, while no round is written; a failure is told, and tried again after the next round."""
        if self._retention is None:
            return
        self._observer.entered(Phase.TIDYING)
        try:
            await self._retention.run(lambda: self._observer.entered(Phase.TIDYING))
        except StoreError as error:
            self._note(error)
            logger.error("old rounds stay in the record: {}", error)

    def _note(self, error: CompressionSubnetError) -> None:
        """Record a fault, unless it is the record that is at fault."""
        try:
            self._store.fault(type(error).__name__, str(error))
        except StoreError as another:
            logger.debug("not recorded: {}", another)

    async def _next_epoch(self) -> None:
        """Wait for the next epoch; a chain that cannot be asked is asked again by the next step."""
        self._observer.entered(Phase.WAITING)
        try:
            await self._weights.until(await self._chain.next_epoch_block() + 1)
        except ChainError as error:
            logger.warning("the next epoch is not known: {}", error)
            await self._sleep(self._settings.weights.poll_seconds)
