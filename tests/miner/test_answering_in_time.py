"""The chain of compressors under deadlines, in simulated time."""

import asyncio
import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miner_harness import lane
from simulated import Script, simulate

from compression_subnet.errors import CompressorError
from compression_subnet.miner.answerer import Answerer
from compression_subnet.miner.metrics import MinerMetrics
from compression_subnet.miner.work import Fault
from compression_subnet.protocol import CompressionSynapse
from compression_subnet.text.tokens import DEFAULT_TOKENIZER, VOCABULARY_SHA256


def request(text, tokens=800, level=40):
    return CompressionSynapse.at_level(
        level,
        challenge_id="c",
        text=text,
        n_tokens=tokens,
        tokenizer=DEFAULT_TOKENIZER,
        tokenizer_sha256=VOCABULARY_SHA256[DEFAULT_TOKENIZER],
        deadline_seconds=30.0,
    )


class Chain:
    """Lanes of scripted workers, and an answerer over them."""

    def __init__(self, *scripts, **settings):
        clock = asyncio.get_running_loop().time
        self.metrics = MinerMetrics()
        self.lanes = [
            lane(self.metrics, f"c{i}", *(one if isinstance(one, list) else [one]), clock=clock, **settings)
            for i, one in enumerate(scripts)
        ]
        self.answerer = Answerer(self.lanes, self.metrics, clock=clock)

    async def __aenter__(self):
        await self.answerer.start()
        return self

    async def __aexit__(self, *error):
        await self.answerer.close()

    async def ask(self, text, seconds, after=0.0):
        """Return what is answered, and how long that took."""
        clock = asyncio.get_running_loop().time
        await asyncio.sleep(after)
        start = clock()
        try:
            return await self.answerer.answer(request(text), seconds), clock() - start
        except (CompressorError, TimeoutError) as error:
            return type(error), clock() - start


FAULTS = st.sampled_from([None, None, None, Fault.FAILED, Fault.OVER_BUDGET, Fault.EMPTY, "crash", "hang"])
SCRIPTS = st.tuples(st.floats(0.001, 40), st.lists(FAULTS, min_size=12, max_size=12), st.booleans())


@given(
    scripts=st.lists(SCRIPTS, max_size=3),
    asked=st.lists(st.tuples(st.floats(2, 60), st.floats(0, 5)), min_size=1, max_size=12),
)
def test_with_a_quick_last_compressor_every_request_is_answered_before_its_deadline(scripts, asked):
    async def run():
        made = [
            Script(seconds, {str(i): f for i, f in enumerate(faults) if f}, batches=batches, name=f"c{number}")
            for number, (seconds, faults, batches) in enumerate(scripts)
        ]
        async with Chain(*made, Script(0.005, name="last")) as chain:
            answers = await asyncio.gather(
                *(chain.ask(str(i), seconds, after) for i, (seconds, after) in enumerate(asked))
            )
        for number, ((text, took), (seconds, _)) in enumerate(zip(answers, asked, strict=True)):
            assert isinstance(text, str), text
            name, _, of = text.partition(":")
            assert of == str(number), "another request's text"
            assert took < seconds
            if name != "last":  # nothing that failed on this text has answered it
                assert scripts[int(name[1:])][1][number] is None

    simulate(run())


def test_a_compressor_gets_all_the_time_that_the_next_ones_do_not_need():
    async def run():
        async with Chain(Script(20.0, name="slow"), Script(0.01)) as chain:
            assert await chain.ask("a", 30.0) == ("slow:a", pytest.approx(20.0))

    simulate(run())


def test_a_fall_back_that_would_be_late_is_skipped_for_a_quicker_one():
    async def run():
        async with Chain(Script(1.0, {"a": "hang"}), Script(40.0, name="no"), Script(0.01, name="yes")) as chain:
            text, took = await chain.ask("a", 30.0)
            assert (text, took < 30) == ("yes:a", True)
            assert chain.metrics.registry.get_sample_value(
                "compression_subnet_miner_fallbacks_total", {"compressor": "c1", "kind": "no time"}
            )

    simulate(run())


def test_what_fails_at_once_leaves_the_next_one_all_the_time():
    async def run():
        async with Chain(Script(0.1, {"a": Fault.OVER_BUDGET}), Script(15.0, name="b"), Script(0.01)) as chain:
            assert await chain.ask("a", 30.0) == ("b:a", pytest.approx(15.1))

    simulate(run())


def test_a_burst_that_falls_back_all_at_once_is_still_answered_in_time():
    async def run():
        hung = Script(0.1, {str(i): "hang" for i in range(200)})
        async with Chain(hung, Script(0.02, name="next")) as chain:
            answers = await asyncio.gather(*(chain.ask(str(i), 20.0) for i in range(200)))
        assert all(text == f"next:{i}" and took < 20 for i, (text, took) in enumerate(answers))

    simulate(run())


def test_a_crash_costs_its_batch_and_the_worker_is_started_anew_until_it_starts():
    async def run():
        script = Script(0.1, {"bad": "crash"}, starts=2, name="c")
        async with Chain(script, Script(0.01, name="last")) as chain:
            assert (await chain.ask("bad", 30.0))[0] == "last:bad"
            text, took = await chain.ask("good", 30.0)
            assert (text, took > 1) == ("c:good", True)  # it waited for the third start
            assert script.started == 4
            assert (
                chain.metrics.registry.get_sample_value(
                    "compression_subnet_miner_worker_restarts_total", {"compressor": "c0"}
                )
                == 1
            )

    simulate(run())


def test_a_worker_that_ends_while_idle_is_started_anew_before_it_is_wanted():
    async def run():
        script = Script(0.1, name="c")
        async with Chain(script) as chain:
            script.gone.set()
            await asyncio.sleep(0.1)
            assert chain.lanes[0].running == 0
            await asyncio.sleep(10)
            assert (script.started, chain.lanes[0].running) == (2, 1)
            assert await chain.ask("a", 5.0) == ("c:a", pytest.approx(0.1))

    simulate(run())


def test_a_worker_that_hangs_is_ended_once_nobody_can_want_its_result():
    async def run():
        script = Script(0.1, {"bad": "hang"}, name="c")
        async with Chain(script, Script(0.01, name="last")) as chain:
            assert (await chain.ask("bad", 5.0))[0] == "last:bad"
            assert chain.answerer.blocked_seconds() > 4
            await asyncio.sleep(15)
            assert chain.answerer.blocked_seconds() == 0
            assert (await chain.ask("good", 5.0))[0] == "c:good"

    simulate(run())


def test_without_fall_backs_failing_and_being_late_are_told_apart():
    async def run():
        async with Chain(Script(1.0, {"bad": Fault.FAILED, "odd": Fault.EMPTY, "slow": "hang"})) as chain:
            assert (await chain.ask("bad", 5.0))[0] is CompressorError
            assert (await chain.ask("odd", 5.0))[0] == ""
            text, took = await chain.ask("slow", 5.0)
            assert (text, took) == (TimeoutError, pytest.approx(4.5))

    simulate(run())


def test_texts_that_wait_go_out_together_and_are_split_among_those_that_are_free():
    async def run():
        scripts = [Script(0.1, batches=True), Script(0.1, batches=True)]
        async with Chain(scripts, batch_wait=0.05) as chain:
            await asyncio.gather(*(chain.ask(str(i), 20.0) for i in range(10)))
        assert sorted(s.batch_sizes for s in scripts) == [[5], [5]]

    simulate(run())


def test_a_batch_is_no_larger_than_its_tokens_and_the_time_of_its_most_urgent_text_allow():
    async def run():
        script = Script(0.1, batches=True)
        async with Chain(script, batch_tokens=4000, batch_wait=0.05) as chain:
            await asyncio.gather(*(chain.ask(str(i), 60.0) for i in range(10)))
            assert max(script.batch_sizes) == 5  # of 800 tokens each
        script = Script(2.0, batches=True)
        async with Chain(script, Script(0.01), batch_tokens=100_000, batch_wait=0.05) as chain:
            answers = await asyncio.gather(*(chain.ask(str(i), 20.0) for i in range(6)))
            assert max(script.batch_sizes) == 4  # two seconds each, in half of some 18
            assert all(isinstance(text, str) and took < 20 for text, took in answers)

    simulate(run())


def test_a_free_worker_waits_for_more_texts_no_longer_than_it_is_told():
    async def run():
        script = Script(0.1, batches=True)
        async with Chain(script, batch_wait=0.05) as chain:
            first, _ = await asyncio.gather(chain.ask("a", 20.0), chain.ask("b", 20.0, after=0.06))
            assert first[1] == pytest.approx(0.15)
            assert script.batch_sizes == [1, 1]

    simulate(run())


def test_a_caller_that_leaves_takes_its_text_out_of_the_queue():
    async def run():
        script = Script(1.0)
        async with Chain(script) as chain:
            first = asyncio.create_task(chain.ask("a", 20.0))
            second = asyncio.create_task(chain.ask("b", 20.0))
            await asyncio.sleep(0.5)
            second.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await second
            await first
            await asyncio.sleep(5)
            assert script.batch_sizes == [1]
            assert (
                chain.metrics.registry.get_sample_value("compression_subnet_miner_queue_texts", {"compressor": "c0"})
                == 0
            )

    simulate(run())


def test_closing_answers_whoever_still_waits():
    async def run():
        async with Chain(Script(1.0, {"a": "hang"})) as chain:
            asking = [asyncio.create_task(chain.ask(text, 60.0)) for text in ("a", "b")]
            await asyncio.sleep(2)
        return await asyncio.gather(*asking)

    assert [text for text, _ in simulate(run())] == [CompressorError] * 2


def test_a_compressor_that_does_not_start_leaves_none_of_the_others_running():
    class Broken(Script):
        async def start(self):
            await asyncio.sleep(0.1)
            raise CompressorError("no model")

    async def run():
        other = Script(0.1)
        chain = Chain(Broken(0.1), other)
        with pytest.raises(CompressorError, match="no model"):
            await chain.answerer.start()
        await chain.answerer.close()
        assert other.gone is None

    simulate(run())
