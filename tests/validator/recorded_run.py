"""A validator's record of a run with everything in it: copies, faults, a void round, one that was broken off."""

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path

from validator_fakes import ME, SENTENCES, ContainmentJudge, FixedSupply, ScriptedChain, ScriptedDendrite, keep_first

from compression_subnet.chain.port import Chain, Committed, Refused, WeightsOutcome, WeightsSet
from compression_subnet.challenge import Challenge
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import WeightRule
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Failure, Target
from compression_subnet.validator.records.round_rows import rounds_in
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rewarding.weighting import WeightSettings
from compression_subnet.validator.rounds.results import Assignment
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.service import ServiceSettings, Validator

MINERS = {
    "five": keep_first(5),
    "four": keep_first(4),
    "three": lambda text: " ".join(SENTENCES[1:4]),
    "two": keep_first(2),
    "same": keep_first(2),
    "whole": lambda text: text,
    "gone": Failure.STATUS,
}
SETTINGS = ServiceSettings(
    challenges=33,
    forgetting=0.85,
    rule=WeightRule(z=0.5, power=2, min_challenges=1),
    weights=WeightSettings(send=True, burn=False, margin_blocks=2, poll_seconds=1, tries=1, burn_share=0.1),
    profile="profile",
    spec_version=10_000,
)


class FreshSupply(FixedSupply):
    """Gives challenges with an id of their own and five, four or three questions, so that scores vary."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self.prefix = prefix

    async def draw(self, n: int) -> list[Challenge]:
        drawn = await super().draw(n)
        return [replace(c, id=f"{self.prefix}{c.id}", questions=c.questions[: 5 - i % 3]) for i, c in enumerate(drawn)]


async def no_sleep(seconds: float) -> None:
    """Let no time pass."""


def validator(
    store: Store,
    chain: Chain,
    judge: ContainmentJudge,
    supply: FixedSupply,
    me: str = ME,
    miners: Mapping[str, Callable[[str], str] | Failure] = MINERS,
    sleep: Callable[[float], Awaitable[None]] = no_sleep,
    **settings: object,
) -> Validator:
    """A validator whose miners are scripted, on any chain."""
    round_ = Round(
        ScriptedDendrite(miners),  # type: ignore[arg-type]
        judge,
        get_tokenizer(),
        random.Random(0),
        RoundSettings(deadline=1, concurrency=4, parallel=2),
    )
    return Validator(
        me,
        chain,
        supply,  # type: ignore[arg-type]
        round_,
        store,
        replace(SETTINGS, **settings),  # type: ignore[arg-type]
        random.Random(0),
        sleep,
    )


async def record_run(path: Path, me: str = ME, prefix: str = "") -> None:
    """Write a record of six rounds, over as many epochs: counted 1, 2, 4 and 6; void 3; broken off 5.

    In round 4 a hotkey is registered no more, and its weights are committed; those of round 2 are refused.
    """
    judge, supply = ContainmentJudge(), FreshSupply(prefix)
    outcomes: list[WeightsOutcome] = [
        WeightsSet(128, "0x01"),
        Refused("NeuronNoValidatorPermit", "stake more"),
        Committed(188, "0x04", 77),
        WeightsSet(228, "0x06"),
    ]
    chain = ScriptedChain([me, *MINERS, *({ME} - {me})], outcomes)
    with Store(path) as store:
        for number in range(1, 7):
            chain.number = 100 + 20 * number
            judge.fault = lambda text, question: AnswerStatus.ANSWERED
            if number == 2:
                judge.fault = _some_fail
            if number == 3:
                judge.fault = lambda text, question: AnswerStatus.PROVIDER_FAULT
            if number == 4:
                chain.hotkeys.remove("four")
            one = validator(store, chain, judge, supply, me)
            if number == 5:
                await _broken_off(store, one, judge, supply)
            else:
                await one.step()


def _some_fail(text: str, question: str) -> AnswerStatus:
    if text == " ".join(SENTENCES) and question.startswith("Who"):
        return AnswerStatus.PROVIDER_FAULT
    refused = text == " ".join(SENTENCES[1:4]) and "deep" in question
    return AnswerStatus.CONTENT_FAULT if refused else AnswerStatus.ANSWERED


async def _broken_off(store: Store, one: Validator, judge: ContainmentJudge, supply: FixedSupply) -> None:
    """Record two challenges of a round, as a process that is killed after them leaves it."""
    terms = rounds_in(store.read.db)[-1].terms
    number = store.begin_round(9, "profile", SETTINGS.challenges, terms=terms)
    await one._round.run(
        [Assignment(c, level) for c, level in zip(await supply.draw(2), (20, 60), strict=True)],
        [Target(hotkey, None) for hotkey in MINERS],
        lambda result: store.add(number, result),
    )
