"""Several endpoints: who is asked, who is put aside, and how concurrency follows refusals."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from judge_provider import completion, is_canary

from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.concurrency import AdaptiveLimit
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.types import AnswerStatus

LIMITS = CallLimits(call_seconds=30, reply_seconds=120, concurrency=8, backoff_seconds=1, max_backoff_seconds=60)
QUESTIONS = ["a", "b", "c"]


class Endpoints:
    """Providers on hosts ``p0``, ``p1``, ...: each answers as told, and what each was asked is kept.

    ``now`` is the clock; sleeping moves it.
    """

    def __init__(self, count: int, limits: CallLimits = LIMITS):
        self.now = 1000.0
        self.asked: dict[str, list[str]] = {f"p{i}": [] for i in range(count)}
        self.behaviour: dict[str, Callable[[], Any]] = {}
        self.answerer = OpenAIAnswerer(
            [Endpoint(f"http://{host}/v1", "m") for host in self.asked],
            limits,
            transport=httpx2.MockTransport(self._serve),
            sleep=self._sleep,
            clock=lambda: self.now,
        )

    async def _serve(self, request: httpx2.Request) -> httpx2.Response:
        host = request.url.host
        body = json.loads(request.content)
        self.asked[host].append("canary" if is_canary(body) else body["messages"][1]["content"].split("\n")[1])
        await asyncio.sleep(0.001)
        outcome = self.behaviour.get(host, completion)()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome if isinstance(outcome, httpx2.Response) else httpx2.Response(200, json=outcome)

    async def _sleep(self, seconds: float) -> None:
        self.now += seconds
        await asyncio.sleep(0)


def down() -> httpx2.Response:
    return httpx2.Response(503, json={"error": {"message": "down"}})


async def statuses(endpoints: Endpoints, texts: list[str]) -> set[AnswerStatus]:
    replies = await asyncio.gather(*(endpoints.answerer.answer(text, QUESTIONS) for text in texts))
    return {answer.status for reply in replies for answer in reply}


async def test_replies_are_spread_evenly_and_each_stays_on_one_endpoint() -> None:
    endpoints = Endpoints(3)
    texts = [f"text {i}" for i in range(12)]
    assert await statuses(endpoints, texts) == {AnswerStatus.ANSWERED}
    assert [len(asked) for asked in endpoints.asked.values()] == [12, 12, 12]
    homes = Counter(text for asked in endpoints.asked.values() for text in set(asked))
    assert set(homes.values()) == {1}


async def test_the_endpoint_with_fewest_outstanding_questions_goes_first() -> None:
    endpoints = Endpoints(2)
    held = asyncio.Event()

    async def wait() -> None:
        await held.wait()

    serve = endpoints._serve

    async def slow(request: httpx2.Request) -> httpx2.Response:
        if b"heavy" in request.content:
            await wait()
        return await serve(request)

    endpoints.answerer._pool._http._transport = httpx2.MockTransport(slow)
    long = asyncio.create_task(endpoints.answerer.answer("heavy", QUESTIONS))
    await asyncio.sleep(0)
    for i in range(3):
        await endpoints.answerer.answer(f"short {i}", QUESTIONS)
    held.set()
    await long
    assert {tuple(sorted(set(asked))) for asked in endpoints.asked.values()} == {
        ("heavy",),
        ("short 0", "short 1", "short 2"),
    }


async def test_a_dead_endpoint_costs_no_answer_and_no_wait() -> None:
    endpoints = Endpoints(2)
    endpoints.behaviour["p0"] = lambda: httpx2.ConnectError("no route")
    assert await statuses(endpoints, [f"text {i}" for i in range(10)]) == {AnswerStatus.ANSWERED}
    assert endpoints.now == 1000.0
    before = len(endpoints.asked["p0"])
    assert await statuses(endpoints, ["later"]) == {AnswerStatus.ANSWERED}
    assert len(endpoints.asked["p0"]) == before


async def test_an_endpoint_that_was_put_aside_is_tried_again_with_one_reply_and_comes_back() -> None:
    endpoints = Endpoints(2)
    endpoints.behaviour["p0"] = down
    await statuses(endpoints, ["a", "b"])
    endpoints.now += 100
    before = len(endpoints.asked["p0"])
    await statuses(endpoints, [f"text {i}" for i in range(8)])  # still down: one reply finds out
    assert {t for t in endpoints.asked["p0"][before:] if t != "canary"} <= {"text 0", "text 1"}
    del endpoints.behaviour["p0"]
    endpoints.now += 100
    await statuses(endpoints, ["probe 0", "probe 1"])
    before = len(endpoints.asked["p0"])
    await statuses(endpoints, [f"more {i}" for i in range(8)])
    assert len(endpoints.asked["p0"]) - before == 12


async def test_the_time_aside_grows_with_each_failure_up_to_its_bound() -> None:
    endpoints = Endpoints(2)
    endpoints.behaviour["p0"] = down
    member = endpoints.answerer._pool.members[0]
    waits = []
    for _ in range(9):
        endpoints.now = max(endpoints.now, member.aside_until)
        began = endpoints.now
        await statuses(endpoints, ["a", "b"])
        waits.append(member.aside_until - began)
    assert all(0.5 * 2**n <= wait <= 2**n for n, wait in enumerate(waits[:5], start=1))
    assert all(30 <= wait <= 60 for wait in waits[6:])


async def test_a_text_that_one_endpoint_chokes_on_puts_no_endpoint_aside() -> None:
    endpoints = Endpoints(2)

    async def serve(request: httpx2.Request) -> httpx2.Response:
        if b"poison" in request.content:
            return down()
        return httpx2.Response(200, json=completion())

    endpoints.answerer._pool._http._transport = httpx2.MockTransport(serve)
    assert await statuses(endpoints, ["poison"]) == {AnswerStatus.CONTENT_FAULT}
    assert [m.failures for m in endpoints.answerer._pool.members] == [0, 0]


async def test_where_all_are_down_the_fault_is_the_providers_and_loads_return_to_nothing() -> None:
    endpoints = Endpoints(3)
    for host in endpoints.asked:
        endpoints.behaviour[host] = down
    assert await statuses(endpoints, [f"text {i}" for i in range(5)]) == {AnswerStatus.PROVIDER_FAULT}
    assert [m.load for m in endpoints.answerer._pool.members] == [0, 0, 0]


async def test_calls_that_wait_for_a_hanging_endpoint_move_on_when_it_is_put_aside() -> None:
    limits = CallLimits(call_seconds=0.05, reply_seconds=20, concurrency=2, backoff_seconds=30, max_backoff_seconds=60)
    endpoints = Endpoints(2, limits)
    serve = endpoints._serve

    async def hang(request: httpx2.Request) -> httpx2.Response:
        if request.url.host == "p0":
            endpoints.asked["p0"].append("hung")
            await asyncio.sleep(60)
        return await serve(request)

    endpoints.answerer._pool._http._transport = httpx2.MockTransport(hang)
    assert await statuses(endpoints, [f"text {i}" for i in range(20)]) == {AnswerStatus.ANSWERED}
    # Two slots, each a call and a canary: nobody of the other nine replies ran into it.
    assert len(endpoints.asked["p0"]) <= 6


async def test_refusals_for_load_halve_the_limit_and_successes_widen_it_again() -> None:
    limits = CallLimits(concurrency=16, tries=8, backoff_seconds=0, max_backoff_seconds=0)
    under_way = most = 0
    capacity = 4

    async def busy(request: httpx2.Request) -> httpx2.Response:
        nonlocal under_way, most
        if under_way >= capacity:
            return httpx2.Response(429, json={"error": {"message": "slow down"}})
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.002)
        under_way -= 1
        return httpx2.Response(200, json=completion())

    answerer = OpenAIAnswerer(Endpoint("http://p/v1", "m"), limits, transport=httpx2.MockTransport(busy))
    limit = answerer._pool.members[0].limit
    assert limit.limit == 16
    await asyncio.gather(*(answerer.answer(f"text {i}", QUESTIONS) for i in range(16)))
    assert limit.limit <= 8
    capacity = 100
    await asyncio.gather(*(answerer.answer(f"text {i}", QUESTIONS * 4) for i in range(30)))
    assert limit.limit == 16
    assert most <= 16


async def test_one_burst_of_refusals_halves_once() -> None:
    limit = AdaptiveLimit(16)
    for _ in range(10):
        limit.refused(began=1.0, now=2.0)
    assert limit.limit == 8
    limit.refused(began=3.0, now=4.0)
    assert limit.limit == 4
    for t in range(5, 30):
        limit.refused(began=t, now=t)
    assert limit.limit == 1
    async with limit.slot():
        pass


async def test_slots_follow_the_limit_both_ways() -> None:
    limit = AdaptiveLimit(4)
    gate = asyncio.Event()
    inside = 0

    async def hold() -> None:
        nonlocal inside
        async with limit.slot():
            inside += 1
            await gate.wait()
            inside -= 1

    async def held() -> int:
        tasks = [asyncio.create_task(hold()) for _ in range(10)]
        for _ in range(20):
            await asyncio.sleep(0)
        seen = inside
        gate.set()
        await asyncio.gather(*tasks)
        gate.clear()
        return seen

    assert await held() == 4
    limit.refused(began=0, now=1)
    assert await held() in {2, 4}  # slots that were free are taken up once more
    assert await held() == 2
    for _ in range(100):
        limit.succeeded()
    assert await held() == 4


@pytest.mark.parametrize("endpoints", [[], [Endpoint("http://a/v1", "m"), Endpoint("http://b/v1", "n")]])
def test_a_pool_of_nothing_or_of_different_models_is_refused(endpoints: list[Endpoint]) -> None:
    with pytest.raises(ConfigurationError, match="same model"):
        OpenAIAnswerer(endpoints)
