import asyncio
from functools import partial
from typing import Any

import httpx2
import pytest
from judge_provider import Provider, completion, is_canary
from pydantic import SecretStr

from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.prompt import fence_for, load_prompt, parse_prompt
from compression_subnet.judge.types import Answer, AnswerStatus, Usage

TEXT = "The ferry leaves at noon. Ada Renn keeps the log."
LIMITS = CallLimits(call_seconds=30, reply_seconds=120)
IMPATIENT = CallLimits(call_seconds=0.4, reply_seconds=120)
PROVIDER_STATUSES = [401, 402, 408, 429, 500, 502, 503, 529]
OPEN_STATUSES = [400, 403, 413, 422]


async def ask(provider: Provider, limits: CallLimits = LIMITS, **options: Any) -> Answer:
    async with provider.answerer(limits, **options) as answerer:
        [answer] = await answerer.answer(TEXT, ["When?"])
    return answer


def refuse(code: int, **headers: str) -> httpx2.Response:
    return httpx2.Response(code, json={"error": {"message": TEXT, "code": "c"}}, headers=headers)


async def hang() -> None:
    await asyncio.sleep(60)


FAULTS: dict[str, Any] = {
    **{str(code): lambda code=code: refuse(code) for code in (*PROVIDER_STATUSES, *OPEN_STATUSES)},
    "429 with Retry-After": lambda: refuse(429, **{"retry-after": "2"}),
    "connection": lambda: httpx2.ConnectError("no route"),
    "broken": lambda: httpx2.RemoteProtocolError("closed"),
    "time-out": hang,
    "not JSON": lambda: httpx2.Response(200, content=b"{", headers={"content-type": "application/json"}),
    "HTML": lambda: httpx2.Response(200, text="<html>", headers={"content-type": "text/html"}),
    "error body": lambda: {"error": {"message": "upstream"}},
}


async def test_an_answer_comes_with_the_providers_own_token_counts() -> None:
    provider = Provider(lambda _: completion(" noon\n"))
    assert await ask(provider) == Answer(AnswerStatus.ANSWERED, "noon", usage=Usage(100, 60, 2))


async def test_a_request_is_greedy_short_seeded_and_holds_the_prompt() -> None:
    provider = Provider(lambda _: completion())
    endpoint = Endpoint("http://provider.invalid/v1", "m-2026-01-01", seed=7, extra_body={"reasoning": "off"})
    await ask(provider, endpoint=endpoint)
    [body] = provider.requests
    assert body == {
        "model": "m-2026-01-01",
        "messages": load_prompt().messages(fence_for(b"s", TEXT), TEXT, "When?"),
        "temperature": 0,
        "seed": 7,
        "max_tokens": 64,
        "reasoning": "off",
    }


async def test_providers_with_other_field_names_can_be_asked() -> None:
    provider = Provider(lambda _: completion())
    endpoint = Endpoint("http://p.invalid/v1", "m", seed=None, token_limit_field="max_completion_tokens")
    await ask(provider, endpoint=endpoint)
    assert {"seed", "max_tokens"}.isdisjoint(provider.requests[0])
    assert provider.requests[0]["max_completion_tokens"] == 64


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_goes_away_is_forgotten(fault: str) -> None:
    outcomes = iter([FAULTS[fault](), completion("canary"), completion("noon")])
    answer = await ask(Provider(lambda _: next(outcomes)), IMPATIENT if fault == "time-out" else LIMITS)
    assert (answer.status, answer.text) == (AnswerStatus.ANSWERED, "noon")


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_of_every_call_is_the_providers(fault: str) -> None:
    provider = Provider(lambda _: FAULTS[fault]())
    answer = await ask(provider, IMPATIENT if fault == "time-out" else LIMITS)
    assert answer.status is AnswerStatus.PROVIDER_FAULT
    assert answer.text == ""
    assert TEXT not in answer.detail and answer.detail
    assert len([b for b in provider.requests if not is_canary(b)]) == LIMITS.tries


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_persists_for_one_text_alone_is_the_contents(fault: str) -> None:
    provider = Provider(lambda body: completion() if is_canary(body) else FAULTS[fault]())
    answer = await ask(provider, IMPATIENT if fault == "time-out" else LIMITS)
    assert answer.status is AnswerStatus.CONTENT_FAULT
    assert [is_canary(body) for body in provider.requests] == [False, True] * 3
    assert TEXT not in answer.detail


async def test_one_failing_canary_breaks_the_evidence_against_a_text() -> None:
    canaries = iter([completion(), completion(), refuse(503), completion()])
    provider = Provider(lambda body: next(canaries) if is_canary(body) else refuse(400))
    assert (await ask(provider)).status is AnswerStatus.PROVIDER_FAULT


async def test_the_canary_is_as_long_as_the_text() -> None:
    long = "word " * 4000
    provider = Provider(lambda _: refuse(413))
    async with provider.answerer(LIMITS) as answerer:
        await answerer.answer(long, ["When?"])
    parsed = parse_prompt(next(b for b in provider.requests if is_canary(b))["messages"])
    assert parsed is not None
    assert len(long) <= len(parsed[0]) <= len(long) + 100


@pytest.mark.parametrize(
    "outcome",
    [
        completion("cut", "length"),
        completion("", "content_filter"),
        completion(None, refusal="no"),
        completion() | {"choices": []},
        completion() | {"choices": [{}]},
    ],
    ids=["length", "filter", "refusal", "no choices", "empty choice"],
)
async def test_a_content_fault_is_settled_at_once(outcome: dict[str, Any]) -> None:
    provider = Provider(lambda _: outcome)
    answer = await ask(provider)
    assert (answer.status, answer.text) == (AnswerStatus.CONTENT_FAULT, "")
    assert answer.usage == Usage(100, 60, 2)
    assert len(provider.requests) == 1


async def test_waits_grow_with_jitter_and_respect_retry_after_up_to_a_bound() -> None:
    waits = []
    for after in ("7", "3600"):
        limited = partial(refuse, 429, **{"retry-after": after})
        provider = Provider(lambda _, limited=limited: limited())  # type: ignore[misc]
        await ask(provider, CallLimits(max_backoff_seconds=20, backoff_seconds=0.5))
        waits.append(provider.naps)
    assert waits == [[7.0] * 3, [20.0] * 3]
    provider = Provider(lambda _: refuse(500))
    await ask(provider, CallLimits(backoff_seconds=1, tries=6))
    assert len(provider.naps) == 5
    assert all(0 <= nap <= 2**n for n, nap in enumerate(provider.naps))
    assert len(set(provider.naps)) == 5


async def test_a_refused_request_is_tried_again_without_waiting() -> None:
    provider = Provider(lambda _: refuse(400))
    await ask(provider)
    assert provider.naps == [0.0] * 3


async def test_the_first_question_goes_alone_and_the_others_together() -> None:
    under_way, most = 0, []

    async def slow() -> dict[str, Any]:
        nonlocal under_way
        under_way += 1
        most.append(under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return completion()

    for warm, expected in ((True, [1, 1, 2, 3]), (False, [1, 2, 3, 4])):
        most.clear()
        async with Provider(lambda _: slow()).answerer(LIMITS, warm_prefix=warm) as answerer:
            await answerer.answer(TEXT, ["a", "b", "c", "d"])
        assert most == expected


async def test_answers_come_in_the_order_of_their_questions() -> None:
    async def late(body: dict[str, Any]) -> dict[str, Any]:
        question = body["messages"][1]["content"].rsplit(" ", 1)[1]
        await asyncio.sleep(0.03 / int(question))
        return completion(question)

    async with Provider(late).answerer(LIMITS) as answerer:
        assert [a.text for a in await answerer.answer(TEXT, ["1", "2", "3"])] == ["1", "2", "3"]
        assert await answerer.answer(TEXT, []) == []


async def test_concurrency_is_bounded_over_all_texts() -> None:
    under_way = most = 0

    async def slow() -> dict[str, Any]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        return completion()

    async with Provider(lambda _: slow()).answerer(CallLimits(concurrency=3)) as answerer:
        answers = await asyncio.gather(*(answerer.answer(f"{TEXT} {i}", ["a", "b", "c"]) for i in range(5)))
    assert most == 3
    assert all(a.status is AnswerStatus.ANSWERED for reply in answers for a in reply)


async def test_the_deadline_of_a_reply_holds_whatever_the_provider_does() -> None:
    provider = Provider(lambda _: hang())
    async with provider.answerer(CallLimits(call_seconds=30, reply_seconds=0.1)) as answerer:
        answers = await asyncio.wait_for(answerer.answer(TEXT, ["a", "b", "c"]), 10)
    assert [a.status for a in answers] == [AnswerStatus.PROVIDER_FAULT] * 3


async def test_cancelling_is_not_swallowed() -> None:
    async with Provider(lambda _: hang()).answerer(CallLimits()) as answerer:
        task = asyncio.create_task(answerer.answer(TEXT, ["a", "b"]))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


async def test_a_text_that_cannot_be_sent_is_its_own_fault() -> None:
    async with Provider(lambda _: completion()).answerer(LIMITS) as answerer:
        [answer] = await answerer.answer("\ud800", ["When?"])
    assert answer.status is AnswerStatus.CONTENT_FAULT


async def test_half_a_body_is_the_providers_fault() -> None:
    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 400\r\n\r\n" + b'{"id": "c", '
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(half, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        limits = CallLimits(backoff_seconds=0, max_backoff_seconds=0)
        async with OpenAIAnswerer(Endpoint(f"http://127.0.0.1:{port}/v1", "m"), limits) as answerer:
            [answer] = await answerer.answer(TEXT, ["When?"])
    assert (answer.status, answer.detail) == (AnswerStatus.PROVIDER_FAULT, "connection")


async def test_usage_adds_up_over_tries_and_bears_what_a_provider_leaves_out() -> None:
    outcomes = iter([refuse(500), completion(), completion() | {"usage": {"prompt_tokens": "9"}}])
    assert (await ask(Provider(lambda _: next(outcomes)))).usage == Usage(100, 60, 2)
    answer = await ask(Provider(lambda _: {k: v for k, v in completion().items() if k != "usage"}))
    assert (answer.status, answer.usage) == (AnswerStatus.ANSWERED, Usage())


async def test_the_key_is_sent_and_shown_nowhere_else(capsys: pytest.CaptureFixture[str]) -> None:
    provider = Provider(lambda _: refuse(401))
    endpoint = Endpoint("http://provider.invalid/v1", "m", api_key=SecretStr("sk-hidden"))
    answerer = provider.answerer(LIMITS, endpoint=endpoint)
    async with answerer:
        [answer] = await answerer.answer(TEXT, ["When?"])
    assert provider.headers[0]["authorization"] == "Bearer sk-hidden"
    captured = capsys.readouterr()
    assert "sk-hidden" not in f"{endpoint!r} {endpoint} {answerer!r} {answer!r} {captured.out} {captured.err}"


def test_each_answerer_fences_with_a_secret_of_its_own() -> None:
    a, b = (OpenAIAnswerer(Endpoint("http://p.invalid/v1", "m")) for _ in range(2))
    assert a._secret != b._secret
    assert len(a._secret) == 32
