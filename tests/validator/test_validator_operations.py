"""What an operator sees of a validator that works, stumbles and hangs."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from loguru import logger
from prometheus_client import CollectorRegistry
from test_validator_service import MINERS, SETTINGS
from validator_fakes import ME, ContainmentJudge, FixedSupply, ScriptedChain, ScriptedDendrite

from compression_subnet.chain.port import Committed, Metagraph, Refused, Unreachable, WeightsOutcome
from compression_subnet.errors import ChainUnreachable, StoreError
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.ops import Conditions, Progress
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.records.store import Store
from compression_subnet.validator.rewarding.weighting import Attempt
from compression_subnet.validator.rounds.round import Round, RoundSettings
from compression_subnet.validator.service import Validator
from compression_subnet.validator.watching.metrics import ValidatorMetrics
from compression_subnet.validator.watching.observer import Phase
from compression_subnet.validator.watching.operations import CONDITIONS, Operations
from compression_subnet.validator.watching.watched import WatchedAnswerer, WatchedChain


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A validator over fakes, with an operator's view of it."""

    def __init__(self, store: Store):
        self.clock = Clock()
        self.progress = Progress(self.clock)
        self.conditions = Conditions(*CONDITIONS)
        self.registry = CollectorRegistry()
        self.shown: list[Attempt] = []
        self.operations = Operations(
            ME,
            self.progress,
            ValidatorMetrics(self.registry),
            self.conditions,
            show=self.shown.append,
            now=self.clock,
            clock=self.clock,
        )
        self.chain = ScriptedChain([ME, *MINERS])
        self.judge = ContainmentJudge()
        self.supply = FixedSupply()
        self.store = store
        self.settings = SETTINGS
        self.phases: list[str] = []

    def validator(self) -> Validator:
        async def sleep(seconds: float) -> None:
            self.phases.append(self.progress.phase)
            self.clock.now += seconds

        def asked(answers: Sequence[Answer]) -> None:
            self.operations.judge_answered(Phase.ASKING, answers)

        return Validator(
            ME,
            WatchedChain(self.chain, self.operations),
            self.supply,  # type: ignore[arg-type]
            Round(
                ScriptedDendrite(MINERS),  # type: ignore[arg-type]
                WatchedAnswerer(self.judge, asked),
                get_tokenizer(),
                random.Random(0),
                RoundSettings(deadline=1, concurrency=4, parallel=2),
            ),
            self.store,
            self.settings,
            random.Random(0),
            sleep,
            self.operations,
        )

    def value(self, name: str, **labels: str) -> float | None:
        return self.registry.get_sample_value(f"compression_subnet_validator_{name}", labels)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    with Store(tmp_path / "validator.sqlite") as store:
        yield Watched(store)


@pytest.fixture
def lines() -> Iterator[list[str]]:
    found: list[str] = []
    sink = logger.add(found.append, format="{level} {message}")
    yield found
    logger.remove(sink)


async def test_a_round_that_goes_well_leaves_everything_well(watched: Watched) -> None:
    assert not watched.conditions.ready
    assert await watched.validator().run(rounds=1)
    assert watched.conditions.faults == dict.fromkeys(CONDITIONS, "")
    assert watched.value("rounds_total", status="counted") == 1
    assert watched.value("weights_total", outcome="WeightsSet") == 1
    assert watched.value("steps_failed_in_a_row") == 0
    assert watched.value("hotkeys_averaged") == 2


async def test_a_restart_is_as_warm_as_its_record_before_its_first_round(watched: Watched) -> None:
    await watched.validator().step()
    watched.conditions.ill("warm", "not known yet")
    drawn = []

    async def draw(n: int) -> list[object]:
        drawn.append(watched.conditions.faults["warm"])
        raise StoreError("stopped here")

    watched.supply.draw = draw  # type: ignore[method-assign, assignment]
    with pytest.raises(StoreError):
        await watched.validator().step()
    assert drawn == [""]


async def test_phases_are_told_and_waiting_for_the_chain_is_progress(watched: Watched) -> None:
    assert await watched.validator().run(rounds=2)
    assert set(watched.phases) == {Phase.SETTING, Phase.WAITING}
    assert watched.progress.silent_seconds <= SETTINGS.weights.poll_seconds


async def test_blocks_since_weights_are_counted_from_what_the_chain_has(watched: Watched) -> None:
    await watched.validator().step()
    watched.chain.number += 25
    await WatchedChain(watched.chain, watched.operations).metagraph()
    at = watched.chain.updated
    assert (watched.value("weights_block"), watched.value("blocks_since_weights")) == (at, watched.chain.number - at)


async def test_a_chain_that_fails_is_ill_counted_and_still_progress(watched: Watched) -> None:
    watched.chain.down = True
    watched.clock.now = 500
    assert not await watched.validator().run(rounds=1)
    assert watched.conditions.faults["chain"] == "metagraph: the chain is down"
    failed = watched.value("faults_total", source="chain", kind="metagraph")
    assert failed == watched.value("faults_total", source="step", kind="ChainError")
    assert failed == watched.value("steps_failed_in_a_row")
    assert watched.progress.silent_seconds == 0
    assert watched.progress.phase == Phase.RETRYING


async def test_a_write_without_an_answer_is_the_chains_fault_too(watched: Watched) -> None:
    watched.chain.outcomes = [Unreachable("no answer within 60 s")]
    await WatchedChain(watched.chain, watched.operations).set_weights({0: 65535})
    assert watched.conditions.faults["chain"] == "set_weights: no answer within 60 s"


@pytest.mark.parametrize("outcome", [Committed(100, "0x3", 7), Refused("NeuronNoValidatorPermit", "stake more")])
async def test_what_became_of_weights_is_named(watched: Watched, outcome: WeightsOutcome) -> None:
    watched.chain.outcomes = [outcome] * SETTINGS.weights.tries
    await watched.validator().step()
    assert watched.value("weights_outcome", outcome=type(outcome).__name__) == 1
    assert watched.shown == []


async def test_a_dry_run_shows_the_vector_that_it_would_set(watched: Watched) -> None:
    watched.settings = replace(SETTINGS, weights=replace(SETTINGS.weights, send=False))
    await watched.validator().step()
    assert watched.chain.sent == []
    ((attempt),) = watched.shown
    assert (dict(attempt.vector), dict(attempt.uids)) == ({"good": 65535}, {"good": 1})
    assert watched.value("weights_total", outcome="NotSent") == 1


async def test_a_judge_in_outage_is_ill_until_it_answers_again(watched: Watched) -> None:
    watched.judge.fault = lambda text, question: AnswerStatus.PROVIDER_FAULT
    await watched.validator().step()
    assert watched.conditions.faults["judge"] == "the provider fails"
    watched.judge.fault = lambda text, question: AnswerStatus.ANSWERED
    watched.chain.number += 11
    await watched.validator().step()
    assert watched.conditions.faults["judge"] == ""


async def test_a_record_that_cannot_be_written_is_ill_until_it_can(watched: Watched) -> None:
    begin, failing = watched.store.begin_round, iter([True, False])

    def sometimes(*arguments: object) -> int:
        if next(failing):
            raise StoreError("it cannot be written")
        assert watched.conditions.faults["store"] == "it cannot be written"
        return begin(*arguments)  # type: ignore[arg-type]

    watched.store.begin_round = sometimes  # type: ignore[method-assign]
    assert await watched.validator().run(rounds=1)
    assert watched.conditions.faults["store"] == ""


async def test_the_judges_answers_for_the_pool_do_not_hide_a_round_that_hangs(watched: Watched) -> None:
    watched.operations.entered(Phase.ASKING)
    watched.clock.now += 1000
    watched.operations.judge_answered(Phase.DRAWING, [Answer(AnswerStatus.ANSWERED, "x")])
    assert watched.progress.silent_seconds == 1000
    watched.operations.judge_answered(Phase.ASKING, [Answer(AnswerStatus.ANSWERED, "x")])
    assert watched.progress.silent_seconds == 0


async def test_a_call_to_the_chain_that_never_ends_is_silence(watched: Watched) -> None:
    async def never() -> Metagraph:
        return await asyncio.Event().wait()  # type: ignore[return-value]

    watched.chain.metagraph = never  # type: ignore[method-assign]
    step = asyncio.create_task(watched.validator().step())
    await asyncio.sleep(0)
    watched.clock.now += 3600
    assert watched.progress.silent_seconds == 3600
    step.cancel()


async def test_a_subnet_that_would_refuse_the_weights_is_said_once_and_again_when_it_changes(
    watched: Watched, lines: list[str]
) -> None:
    chain = WatchedChain(watched.chain, watched.operations)
    graph = await watched.chain.metagraph()

    async def wants(version: int) -> None:
        async def metagraph() -> Metagraph:
            return replace(graph, hyperparameters=replace(graph.hyperparameters, weights_version=version))

        watched.chain.metagraph = metagraph  # type: ignore[method-assign]
        await chain.metagraph()
        await chain.metagraph()

    await wants(0)
    assert not any("version" in line for line in lines)
    await wants(99_999)
    await wants(0)
    await wants(99_999)
    said = [line for line in lines if line.startswith("ERROR version: the subnet wants 99999")]
    assert len(said) == 2 and "upgrade" in said[0]


async def test_new_miners_that_may_go_before_their_first_weights_are_warned_of(
    watched: Watched, lines: list[str]
) -> None:
    watched.chain.tempo = 200  # the fake's immunity period is 100 blocks
    await WatchedChain(watched.chain, watched.operations).metagraph()
    assert any(line.startswith("WARNING immunity: 100 blocks; first weights take effect within 200") for line in lines)


async def test_an_unreachable_chain_is_told_with_its_call(watched: Watched) -> None:
    async def unreachable() -> int:
        raise ChainUnreachable("wss://x gave no answer within 60 s")

    watched.chain.block = unreachable  # type: ignore[method-assign]
    with pytest.raises(ChainUnreachable):
        await WatchedChain(watched.chain, watched.operations).block()
    assert watched.value("faults_total", source="chain", kind="block") == 1
