"""From averages to weights on chain: after a round, or from the record alone where no round can be written."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from loguru import logger

from compression_subnet.chain.port import Metagraph
from compression_subnet.errors import StoreFull
from compression_subnet.scoring import Average, WeightRule
from compression_subnet.validator.records.round_rows import rounds_in
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rewarding.rewards import earned_by, recorded_copies
from compression_subnet.validator.rewarding.warmth import WarmRule, Warmth, warmth_of
from compression_subnet.validator.rewarding.weighting import Attempt, WeightSetter
from compression_subnet.validator.watching.observer import Observer, Phase

__all__ = ["Settled", "Settlement"]


@dataclass(frozen=True, slots=True)
class Settled:
    """What came of it.

    Attributes:
        round_number: whose averages these are.
        warmth: how warm the validator is.
        attempt: at setting weights; None where it is not warm.
    """

    round_number: int
    warmth: Warmth
    attempt: Attempt | None


class Settlement:
    """Sets weights from averages, once the validator is warm.

    Args:
        hotkey: the validator's.
        store: its record.
        setter: sets weights.
        rule: how margins are paid.
        warm: when averages are enough.
        observer: is told.
    """

    def __init__(
        self, hotkey: str, store: Store, setter: WeightSetter, rule: WeightRule, warm: WarmRule, observer: Observer
    ):
        self._hotkey = hotkey
        self._store = store
        self._setter = setter
        self._rule = rule
        self._warm = warm
        self._observer = observer

    async def of_round(
        self,
        number: int,
        epoch: int,
        averages: Mapping[str, Average],
        copies: Collection[frozenset[str]],
        metagraph: Metagraph,
        rule: WeightRule | None = None,
    ) -> Settled:
        """Set weights from a round's averages, by ``rule`` where it had another, and record what came of it.

        Weights that the chain has and the record has no room for are an error in the log, and done all the same.

        Raises:
            StoreError: the record cannot be read, or not be written though there is room.
        """
        warmth = self._warmth(averages, epoch, metagraph)
        self._observer.found_warmth(warmth)
        if not warmth.warm:
            logger.warning("no weights yet: {}", warmth)
            with _where_there_is_room():
                self._store.fault("not_warm", str(warmth))
            return Settled(number, warmth, None)
        self._observer.entered(Phase.SETTING)
        if copies:
            logger.warning("{} groups of hotkeys answer with each other's replies", len(copies))
        attempt = await self._setter.set(earned_by(averages, rule or self._rule, copies))
        with _where_there_is_room():
            self._store.record_weights(number, attempt.vector, attempt.outcome, attempt.terms)
        self._observer.set_weights(attempt)
        return Settled(number, warmth, attempt)

    async def of_record(self, metagraph: Metagraph) -> Settled | None:
        """Set weights from the last averages in the record; None where no round ever counted.

        The epoch is that round's: for as long as no round can be written the validator stays as warm as it was then.

        Raises:
            StoreError: the record cannot be read.
        """
        last = self._store.read.last_counted()
        if last is None:
            return None
        number, epoch = last
        copies = recorded_copies(self._store.read, number)
        # A round is paid by the rule that it was recorded with: only so can its weights be recomputed.
        terms = next((r.terms for r in rounds_in(self._store.read.db) if r.number == number), None)
        rule = terms.rule if terms is not None else None
        return await self.of_round(number, epoch, self._store.read.averages(), copies, metagraph, rule)

    def look(self, metagraph: Metagraph) -> None:
        """Tell how warm the record is as it stands, before a round; nothing is written.

        Raises:
            StoreError: the record cannot be read.
        """
        last = self._store.read.last_counted()
        if last is not None:
            self._observer.found_warmth(self._warmth(self._store.read.averages(), last[1], metagraph))

    def _warmth(self, averages: Mapping[str, Average], epoch: int, metagraph: Metagraph) -> Warmth:
        serving = [n.hotkey for n in metagraph.neurons if n.axon is not None and n.hotkey != self._hotkey]
        rounds = self._store.read.counted_since(epoch - self._warm.stale_epochs + 1)
        return warmth_of(averages, serving, epoch, rounds, self._rule.min_challenges, self._warm)


@contextmanager
def _where_there_is_room() -> Iterator[None]:
    try:
        yield
    except StoreFull as error:
        logger.error("not recorded, but done all the same: {}", error)
