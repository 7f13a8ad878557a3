"""Rounds that are always the same, written to a record as the service writes them, from wherever that stands."""

import asyncio
import functools
import random
from collections.abc import Callable
from dataclasses import replace

from validator_fakes import ContainmentJudge, ScriptedDendrite, challenge, keep_first

from compression_subnet.chain.port import Axon, WeightsSet
from compression_subnet.scoring import WeightRule
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Failure, Target
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.records.terms import RoundTerms, VectorTerms
from compression_subnet.validator.rewarding.rewards import copies_in, earned_by, updated_averages
from compression_subnet.validator.rewarding.weighting import weight_vector
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult, RoundResult
from compression_subnet.validator.rounds.round import Round, RoundSettings

HOTKEYS = {"good": 1, "other": 2, "dark": 3}
LEVELS = (20, 40, 60)
RULE = WeightRule(z=0, power=2, min_challenges=1)
FORGETTING = 0.85


class Script:
    """The results of each epoch, from 1 on; the challenges' ids are those of the round in which they are written."""

    def __init__(self, results: list[tuple[ChallengeResult, ...]]):
        self._results = results

    @property
    def epochs(self) -> int:
        return len(self._results)

    def result(self, number: int, epoch: int) -> RoundResult:
        """What round ``number`` finds in ``epoch``."""
        return RoundResult(tuple(_named(one, f"r{number}-{i}") for i, one in enumerate(self._results[epoch - 1])), None)

    def play(
        self, store: Store, epochs: int | None = None, after_round: Callable[[int], object] = lambda epoch: None
    ) -> None:
        """Write the rounds of the epochs, up to ``epochs``, that have not counted yet."""
        last = store.read.last_counted()
        for epoch in range(last[1] + 1 if last else 1, (epochs or self.epochs) + 1):
            terms = RoundTerms(1, "me", 1, False, FORGETTING, RULE, HOTKEYS)
            number = store.begin_round(epoch, "profile", len(LEVELS), terms=terms)
            result = self.result(number, epoch)
            for one in result.challenges:
                store.add(number, one)
            averages = updated_averages(store.read.averages(), result, HOTKEYS, epoch, FORGETTING)
            store.finish_round(number, averages)
            made_of = VectorTerms(100 * epoch, HOTKEYS)
            vector = weight_vector(earned_by(averages, RULE, copies_in(result.challenges)), made_of)
            store.record_weights(number, vector, WeightsSet(100 * epoch, "0x1"), made_of)
            after_round(epoch)


@functools.cache
def script_of(epochs: int) -> Script:
    """A script in which what miners know depends on the epoch."""
    return asyncio.run(_script(epochs))


async def _script(epochs: int) -> Script:
    results = []
    for epoch in range(1, epochs + 1):
        miners = {"good": keep_first(1 + epoch % 2), "other": keep_first(epoch % 3), "dark": Failure.UNREACHABLE}
        round_ = Round(
            ScriptedDendrite(miners),  # type: ignore[arg-type]
            ContainmentJudge(),
            get_tokenizer(),
            random.Random(0),
            RoundSettings(deadline=1, concurrency=4, parallel=1),
            clock=lambda: 1.5,
        )
        targets = [Target(hotkey, Axon("127.0.0.2", 8000), uid) for hotkey, uid in HOTKEYS.items()]
        found = await round_.run([Assignment(challenge(), level) for level in LEVELS], targets, lambda _: None)
        results.append(found.challenges)
    return Script(results)


def _named(one: ChallengeResult, id: str) -> ChallengeResult:
    return replace(one, assignment=replace(one.assignment, challenge=replace(one.assignment.challenge, id=id)))
