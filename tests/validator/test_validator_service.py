import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from validator_fakes import ME, ContainmentJudge, FixedSupply, ScriptedChain, ScriptedDendrite, keep_first

from compression_subnet.chain.port import Committed, Refused, TooEarly, Unreachable, WeightsSet
from compression_subnet.errors import ChainError, ProviderFault, StoreError
from compression_subnet.judge.types import AnswerStatus
from compression_subnet.scoring import WeightRule
from compression_subnet.scoring.controls import Void
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rewarding.weighting import WeightSettings
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.service import MAX_FAILURES, ServiceSettings, Validator

SETTINGS = ServiceSettings(
    challenges=9,
    forgetting=0.85,
    rule=WeightRule(z=0, power=2, min_challenges=1),
    weights=WeightSettings(send=True, burn=False, margin_blocks=2, poll_seconds=1, tries=4),
    profile="profile",
)
MINERS = {"good": keep_first(2), "bad": lambda text: "Nothing."}


class Bench:
    """A validator with everything around it faked, and the seconds that it would have slept."""

    def __init__(self, store: Store):
        self.store = store
        self.chain = ScriptedChain([ME, "good", "bad"])
        self.judge = ContainmentJudge()
        self.supply = FixedSupply()
        self.settings = SETTINGS
        self.slept: list[float] = []

    def validator(self) -> Validator:
        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)

        settings = RoundSettings(deadline=1, concurrency=4, parallel=2)
        dendrite = ScriptedDendrite(MINERS)
        round_ = Round(dendrite, self.judge, get_tokenizer(), random.Random(0), settings)  # type: ignore[arg-type]
        return Validator(
            ME,
            self.chain,
            self.supply,
            round_,
            self.store,
            self.settings,
            random.Random(0),
            sleep,  # type: ignore[arg-type]
        )


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with Store(tmp_path / "validator.sqlite") as store:
        yield Bench(store)


async def test_a_step_scores_sets_and_records(bench: Bench) -> None:
    step = await bench.validator().step()
    assert step.confirmed
    assert step.vector == {1: 65535}
    ((block, sent),) = bench.chain.sent
    assert sent == {1: 65535}
    assert bench.chain.next_epoch - block in {2, 3}  # near the end of the epoch, with the margin that was asked for
    assert bench.store.read.last_weights() == {"good": 65535}
    assert set(bench.store.read.averages()) == {"good", "bad"}


async def test_too_early_waits_for_the_block_that_the_chain_names(bench: Bench) -> None:
    bench.chain.outcomes = [TooEarly(next_block=180), WeightsSet(181, "0x2")]
    step = await bench.validator().step()
    assert step.outcome == WeightsSet(181, "0x2")
    assert [block >= 180 for block, _ in bench.chain.sent] == [False, True]


@pytest.mark.parametrize("outcome", [Refused("NeuronNoValidatorPermit", "stake more"), Unreachable("no answer")])
async def test_what_the_chain_did_not_confirm_is_not_done(bench: Bench, outcome: Refused | Unreachable) -> None:
    bench.chain.outcomes = [outcome] * SETTINGS.weights.tries
    step = await bench.validator().step()
    assert not step.confirmed
    assert step.outcome == outcome
    assert len(bench.chain.sent) == SETTINGS.weights.tries


async def test_a_commitment_counts_as_set(bench: Bench) -> None:
    bench.chain.outcomes = [Committed(100, "0x3", 7)]
    assert (await bench.validator().step()).confirmed


async def test_a_void_round_sets_nothing_and_moves_nobody(bench: Bench) -> None:
    bench.judge = ContainmentJudge(lambda text, question: AnswerStatus.PROVIDER_FAULT)
    step = await bench.validator().step()
    assert step.void is Void.CONTROLS_UNSCORED
    assert bench.chain.sent == []
    assert bench.store.read.averages() == {}


async def test_an_outage_of_the_judge_moves_no_average(bench: Bench) -> None:
    validator = bench.validator()
    await validator.step()
    before = bench.store.read.averages()
    bench.judge.fault = lambda text, question: AnswerStatus.PROVIDER_FAULT
    for _ in range(5):
        bench.chain.number += 11
        await validator.step()
    assert bench.store.read.averages() == before


async def test_a_dry_run_sends_nothing(bench: Bench) -> None:
    bench.settings = replace(SETTINGS, weights=replace(SETTINGS.weights, send=False))
    assert await bench.validator().run(rounds=2)
    assert bench.chain.sent == []
    assert bench.store.read.last_weights() == {"good": 65535}


async def test_a_chain_that_is_gone_after_the_round_loses_no_score(bench: Bench) -> None:
    draw = bench.supply.draw

    async def gone_from_now_on(n: int) -> list[object]:
        bench.chain.down = True
        return await draw(n)  # type: ignore[return-value]

    bench.supply.draw = gone_from_now_on  # type: ignore[method-assign, assignment]
    step = await bench.validator().step()
    assert not step.confirmed
    assert set(bench.store.read.averages()) == {"good", "bad"}


async def test_an_unregistered_validator_is_told_so(bench: Bench) -> None:
    bench.chain.hotkeys = ["good", "bad"]
    with pytest.raises(ChainError, match="not registered"):
        await bench.validator().step()


async def test_faults_are_waited_out_and_the_round_is_done_after_them(bench: Bench) -> None:
    draw, failing = bench.supply.draw, iter([True, True, False])

    async def sometimes(n: int) -> list[object]:
        if next(failing):
            raise ProviderFault("down")
        return await draw(n)  # type: ignore[return-value]

    bench.supply.draw = sometimes  # type: ignore[method-assign, assignment]
    assert await bench.validator().run(rounds=1)
    assert bench.slept[:2] == [2, 4]


async def test_a_record_that_cannot_be_written_is_an_error_of_ours_and_waited_out(bench: Bench) -> None:
    add, failing = bench.store.add, iter([True, False])

    def sometimes(number: int, result: object) -> None:
        if result.assignment.challenge.id == "c0" and next(failing):  # type: ignore[attr-defined]
            raise StoreError("the disk is full")
        add(number, result)  # type: ignore[arg-type]

    bench.store.add = sometimes  # type: ignore[method-assign, assignment]
    assert await bench.validator().run(rounds=1)
    assert bench.slept[0] == 2


async def test_it_gives_up_after_too_many_failures_in_a_row(bench: Bench) -> None:
    bench.chain.down = True
    assert not await bench.validator().run(rounds=1)
    assert len(bench.slept) == MAX_FAILURES - 1


async def test_rounds_are_an_epoch_apart(bench: Bench) -> None:
    assert await bench.validator().run(rounds=3)
    blocks = [block for block, _ in bench.chain.sent]
    assert [block // bench.chain.tempo for block in blocks] == [10, 11, 12]


async def test_the_validator_never_asks_itself(bench: Bench) -> None:
    await bench.validator().step()
    assert ME not in bench.store.read.reasons()
