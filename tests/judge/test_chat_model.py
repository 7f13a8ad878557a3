"""A writing model: free text, structured output with and without a schema, every fault, deadlines, usage, the key."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_provider import Provider, completion
from pydantic import BaseModel, SecretStr

from compression_subnet.errors import ContentFault, ProviderFault
from compression_subnet.judge.chat import parse_json
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_chat import OpenAIChatModel
from compression_subnet.judge.prompt import Message
from compression_subnet.judge.types import Usage

CHAT = [Message(role="system", content="Write."), Message(role="user", content="About a ferry.")]
LIMITS = CallLimits(call_seconds=30, reply_seconds=60, tries=3, max_answer_tokens=500)


class Ferry(BaseModel):
    name: str
    decks: int


GOOD = '{"name": "Halden", "decks": 3}'


def model(provider: Provider, limits: CallLimits = LIMITS, **options: Any) -> OpenAIChatModel:
    endpoint = options.pop("endpoint", Endpoint("http://writer.invalid/v1", "w"))
    return OpenAIChatModel(endpoint, limits, transport=httpx2.MockTransport(provider), sleep=provider.sleep, **options)


def refuse(code: int) -> httpx2.Response:
    return httpx2.Response(code, json={"error": {"message": "About a ferry.", "code": "c"}})


async def hang() -> None:
    await asyncio.sleep(60)


async def test_text_is_asked_for_within_bounds_and_comes_stripped() -> None:
    provider = Provider(lambda _: completion(" A ferry.\n"))
    async with model(provider, temperature=0.5) as writer:
        assert await writer.write(CHAT, seed=2**40 + 7) == "A ferry."
        assert writer.tally.usage == Usage(100, 60, 2)
        assert (writer.tally.calls, writer.tally.faults, writer.name) == (1, {}, "w")
    assert provider.requests == [{"model": "w", "messages": CHAT, "temperature": 0.5, "seed": 7, "max_tokens": 500}]


async def test_fields_that_a_provider_does_not_take_are_left_out() -> None:
    provider = Provider(lambda _: completion("A ferry."))
    endpoint = Endpoint("http://w.invalid/v1", "w", seed=None, token_limit_field="max_completion_tokens")
    async with model(provider, endpoint=endpoint, temperature=None) as writer:
        await writer.write(CHAT, seed=5)
    assert set(provider.requests[0]) == {"model", "messages", "max_completion_tokens"}


async def test_a_schema_is_sent_and_the_reply_validated_all_the_same() -> None:
    provider = Provider(lambda _: completion(GOOD))
    async with model(provider) as writer:
        assert await writer.fill(CHAT, Ferry) == Ferry(name="Halden", decks=3)
        assert writer.tally.takes_schema is True
    sent = provider.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == Ferry.model_json_schema()
    assert sent["json_schema"]["strict"] is True


async def test_an_endpoint_that_refuses_schemas_is_asked_in_words_from_then_on() -> None:
    provider = Provider(lambda body: refuse(400) if "response_format" in body else completion(f"Sure!\n{GOOD} Bye."))
    async with model(provider) as writer:
        assert (await writer.fill(CHAT, Ferry)).name == "Halden"
        assert (await writer.fill(CHAT, Ferry)).name == "Halden"
        assert writer.tally.takes_schema is False
    assert ["response_format" in body for body in provider.requests] == [True, False, False]
    last = provider.requests[2]["messages"][-1]["content"]
    assert last.startswith("About a ferry.")
    assert json.dumps(Ferry.model_json_schema(), separators=(",", ":")) in last


async def test_a_refusal_after_a_schema_was_taken_is_not_blamed_on_the_schema() -> None:
    outcomes = iter([completion(GOOD), refuse(400), completion(GOOD)])
    provider = Provider(lambda _: next(outcomes))
    async with model(provider) as writer:
        await writer.fill(CHAT, Ferry)
        await writer.fill(CHAT, Ferry)
    assert all("response_format" in body for body in provider.requests)


UNUSABLE: dict[str, Callable[[], Any]] = {
    "prose": lambda: completion("There is a ferry called Halden with three decks."),
    "truncated": lambda: completion(GOOD[:-4]),
    "cut at the limit": lambda: completion(GOOD, "length"),
    "wrong types": lambda: completion('{"name": 3, "decks": "many"}'),
    "fields missing": lambda: completion('{"name": "Halden"}'),
    "array": lambda: completion('["Halden", 3]'),
    "deeply nested": lambda: completion('{"name":' * 20_000),
    "blank": lambda: completion(" "),
    "refusal": lambda: completion(None, refusal="no"),
    "filter": lambda: completion("", "content_filter"),
    "no choices": lambda: completion() | {"choices": []},
}


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_what_cannot_be_used_is_tried_again_with_another_seed_and_then_a_content_fault(kind: str) -> None:
    provider = Provider(lambda _: UNUSABLE[kind]())
    async with model(provider) as writer:
        with pytest.raises(ContentFault) as raised:
            await writer.fill(CHAT, Ferry, seed=10)
        assert sum(writer.tally.faults.values()) == 3
        assert all(fault.startswith("content: ") for fault in writer.tally.faults)
    assert [body["seed"] for body in provider.requests] == [10, 11, 12]
    assert provider.naps == [0.0, 0.0]
    assert "Halden" not in str(raised.value)


@pytest.mark.parametrize("kind", UNUSABLE)
async def test_one_unusable_reply_is_forgotten(kind: str) -> None:
    outcomes = iter([UNUSABLE[kind](), completion(GOOD)])
    async with model(Provider(lambda _: next(outcomes))) as writer:
        assert (await writer.fill(CHAT, Ferry)).decks == 3


PROVIDER_FAULTS: dict[str, Callable[[], Any]] = {
    **{str(code): lambda code=code: refuse(code) for code in (401, 402, 404, 408, 429, 500, 503)},  # type: ignore[misc]
    "connection": lambda: httpx2.ConnectError("no route"),
    "HTML": lambda: httpx2.Response(200, text="<html>", headers={"content-type": "text/html"}),
    "not JSON": lambda: httpx2.Response(200, content=b"{", headers={"content-type": "application/json"}),
    "error body": lambda: {"error": {"message": "upstream"}},
    "time-out": hang,
}


@pytest.mark.parametrize("kind", PROVIDER_FAULTS)
async def test_a_providers_fault_is_retried_then_raised_as_such(kind: str) -> None:
    provider = Provider(lambda _: PROVIDER_FAULTS[kind]())
    limits = CallLimits(call_seconds=0.3 if kind == "time-out" else 30, reply_seconds=60, tries=3)
    async with model(provider, limits) as writer:
        with pytest.raises(ProviderFault) as raised:
            await writer.write(CHAT)
    assert len(provider.requests) == 3
    assert "ferry" not in str(raised.value)


@pytest.mark.parametrize("kind", PROVIDER_FAULTS)
async def test_a_providers_fault_that_goes_away_is_forgotten(kind: str) -> None:
    outcomes = iter([PROVIDER_FAULTS[kind](), completion("A ferry.")])
    limits = CallLimits(call_seconds=0.3 if kind == "time-out" else 30, reply_seconds=60, tries=3)
    async with model(Provider(lambda _: next(outcomes)), limits) as writer:
        assert await writer.write(CHAT) == "A ferry."


@pytest.mark.parametrize("code", [400, 403, 413, 422])
async def test_a_request_that_is_always_refused_is_a_content_fault(code: int) -> None:
    async with model(Provider(lambda _: refuse(code))) as writer:
        with pytest.raises(ContentFault, match=f"HTTP {code}"):
            await writer.fill(CHAT, Ferry)


async def test_the_total_deadline_holds_whatever_the_provider_does() -> None:
    limits = CallLimits(call_seconds=30, reply_seconds=0.1)
    async with model(Provider(lambda _: hang()), limits) as writer:
        with pytest.raises(ProviderFault, match="deadline"):
            await asyncio.wait_for(writer.write(CHAT), 10)


async def test_concurrency_is_bounded() -> None:
    under_way = most = 0

    async def slow() -> dict[str, Any]:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        return completion("A ferry.")

    async with model(Provider(lambda _: slow()), CallLimits(concurrency=2)) as writer:
        await asyncio.gather(*(writer.write(CHAT) for _ in range(8)))
    assert most == 2


async def test_the_key_is_sent_and_shown_nowhere_else() -> None:
    provider = Provider(lambda _: refuse(401))
    endpoint = Endpoint("http://writer.invalid/v1", "w", api_key=SecretStr("sk-hidden"))
    async with model(provider, endpoint=endpoint) as writer:
        with pytest.raises(ProviderFault) as raised:
            await writer.write(CHAT)
        assert "sk-hidden" not in f"{writer!r} {raised.value!r} {writer.tally!r}"
    assert provider.headers[0]["authorization"] == "Bearer sk-hidden"


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here you are: {GOOD} I hope that helps {{}}.",
        f'{{"note": "first an object of another shape"}} {GOOD}',
        f'<think>{{"name": "draft", "decks": 1}}</think>{GOOD}',
        '{"name": "Halden", "decks": 3, "more": true}',
    ],
)
def test_json_is_found_whatever_stands_around_it(reply: str) -> None:
    assert parse_json(reply, Ferry) == Ferry(name="Halden", decks=3)


@given(st.text(alphabet='{}[]":,naメme3\\u\ud800 ') | st.text())
def test_no_reply_breaks_the_reading_of_json(reply: str) -> None:
    assert parse_json(reply, Ferry) is None or isinstance(parse_json(reply, Ferry), Ferry)
