"""What a round costs, who is charged, and how it is cut where it might cost too much."""

import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from test_validator_service import SETTINGS
from validator_fakes import (
    ME,
    ContainmentJudge,
    FixedSupply,
    ScriptedChain,
    ScriptedDendrite,
    challenge,
    keep_first,
)

from compression_subnet.chain.port import Axon
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.cache import AnswerCache, CachedAnswerer
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.endpoint import CallLimits
from compression_subnet.judge.prompt import load_prompt
from compression_subnet.judge.types import Answer, Usage
from compression_subnet.text import get_tokenizer
from compression_subnet.transport import Target
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rounds.results import Assignment, RoundResult
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.rounds.spending import Spending, usage_of
from compression_subnet.validator.service import Validator

PRICES = Prices(1.0, 4.0, 0.5)
EACH = Usage(300, 100, 10)


class PaidJudge(ContainmentJudge):
    """Every answer costs ``EACH``, or nothing that the provider would tell."""

    def __init__(self, usage: Usage = EACH):
        super().__init__()
        self.usage = usage

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        return [replace(a, usage=self.usage) for a in await super().answer(text, questions)]


def spending(max_cost: float | None) -> Spending:
    return Spending(PRICES, max_cost, CallLimits(tries=3), load_prompt(), get_tokenizer())


MINERS = {"a": keep_first(2), "b": keep_first(2), "c": keep_first(4)}


async def run(
    max_cost: float | None, count: int = 6, judge: ContainmentJudge | None = None, parallel: int = 3
) -> tuple[RoundResult, ScriptedDendrite]:
    dendrite = ScriptedDendrite(MINERS)
    round_ = Round(
        dendrite,  # type: ignore[arg-type]
        judge or PaidJudge(),
        get_tokenizer(),
        random.Random(0),
        RoundSettings(deadline=1, concurrency=4, parallel=parallel),
        spending=spending(max_cost),
    )
    assignments = [Assignment(replace(challenge(), id=f"c{i}"), 60) for i in range(count)]
    return await round_.run(assignments, [Target(h, Axon("127.0.0.2", 1)) for h in MINERS], lambda _: None), dendrite


WORST = spending(None).worst_case(Assignment(challenge(), 60), 3)
# three controls and two different replies, five questions each
ONCE = PRICES.cost(Usage(*(25 * n for n in (300, 100, 10))))


async def test_without_a_bound_every_challenge_is_asked_and_its_cost_counted() -> None:
    result, _ = await run(None)
    assert (len(result.challenges), result.cut) == (6, 0)
    assert result.cost == pytest.approx(6 * ONCE)


async def test_identical_replies_are_paid_for_once() -> None:
    result, _ = await run(None, count=1)
    assert usage_of(result.challenges[0]) == Usage(7500, 2500, 250)
    by_miner = {m.hotkey: m.judged.answers[0].answer.usage for m in result.challenges[0].miners if m.judged}
    assert by_miner == {"a": EACH, "b": Usage(), "c": EACH}
    assert {m.hotkey: m.score for m in result.challenges[0].miners}["b"] == pytest.approx(0.4)


@pytest.mark.parametrize("parallel", [1, 3])
@pytest.mark.parametrize("affordable", [1, 2, 4])
async def test_the_bound_is_never_passed_and_what_is_begun_is_begun_for_all(affordable: int, parallel: int) -> None:
    bound = WORST + (affordable - 1) * ONCE + ONCE / 2
    result, dendrite = await run(bound, parallel=parallel)
    assert result.cost <= bound
    assert len(result.challenges) == affordable
    assert result.cut == 6 - affordable
    assert len(dendrite.requests) == affordable
    for one in result.challenges:
        assert {m.hotkey for m in one.miners} == set(MINERS)
        assert all(m.score is not None for m in one.miners)


async def test_a_bound_below_one_challenge_is_an_error_that_names_the_figure() -> None:
    with pytest.raises(ConfigurationError, match=r"may cost up to .*raise it"):
        await run(WORST * 0.99)


async def test_a_provider_that_counts_nothing_is_charged_the_worst_case() -> None:
    result, _ = await run(2.5 * WORST, judge=PaidJudge(Usage()), parallel=1)
    assert (len(result.challenges), result.cut) == (2, 4)
    assert result.cost == pytest.approx(2 * WORST)


def test_the_worst_case_is_beyond_what_can_be_billed() -> None:
    one = challenge()
    budget = one.n_tokens * 60 // 100
    tokens = one.n_tokens + budget + 3 * budget  # a call a question, without any prompt
    assert PRICES.cost(Usage(5 * tokens, 0, 5 * 6 * 64)) * 2 * 3 < WORST
    assert spending(None).worst_case(Assignment(one, 60), 4) > WORST > spending(None).worst_case(Assignment(one, 40), 3)


async def test_tokens_and_money_of_each_party_are_in_the_record(tmp_path: Path) -> None:
    chain = ScriptedChain([ME, *MINERS])
    settings = replace(SETTINGS, challenges=3, prices=PRICES, max_cost=WORST + 1.5 * ONCE)
    with Store(tmp_path / "validator.sqlite") as store, AnswerCache(tmp_path / "answers.sqlite") as cache:
        judge = PaidJudge()
        round_ = Round(
            ScriptedDendrite(MINERS),  # type: ignore[arg-type]
            judge,
            get_tokenizer(),
            random.Random(0),
            RoundSettings(deadline=1, concurrency=4, parallel=1),
            replies=CachedAnswerer(judge, cache, "profile"),
            spending=replace(spending(settings.max_cost)),
        )
        validator = Validator(ME, chain, FixedSupply(), round_, store, settings, random.Random(0))  # type: ignore[arg-type]
        number = (await validator.step()).round_number
        costs = store.read.costs(number)
        cut = store._db.execute("SELECT cut FROM rounds").fetchone()[0]
        asked = len(judge.asked)
    begun = 3 - cut
    assert begun >= 1
    assert sum((usage for usage, _ in costs.values()), Usage()).prompt_tokens == 300 * asked
    assert {party for party in costs if party.startswith("control:")} == {
        "control:ceiling",
        "control:floor",
        "control:baseline",
    }
    # The texts are the same in every challenge: the cache answers after the first.
    assert costs["a"][0] == Usage(1500, 500, 50)
    assert costs["b"][0] == Usage()
    assert costs["control:ceiling"][0] == Usage(*(5 * begun * n for n in (300, 100, 10)))
    for usage, money in costs.values():
        assert money == pytest.approx(PRICES.cost(usage))
