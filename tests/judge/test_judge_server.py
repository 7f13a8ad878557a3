"""The embedded judge over a real socket, through the real client."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import openai
import pytest
from judge_provider import HALDEN
from pydantic import SecretStr

from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer
from compression_subnet.judge.prompt import fence_for, load_prompt
from compression_subnet.judge.reader import Reader
from compression_subnet.judge.server import READER_MODEL, create_app
from compression_subnet.judge.serving import running
from compression_subnet.judge.types import AnswerStatus

MESSAGES = load_prompt().messages(fence_for(b"s", HALDEN), HALDEN, "Who led the survey?")
GOOD: dict[str, Any] = {"model": READER_MODEL, "messages": MESSAGES}


@pytest.fixture
async def url(reader: Reader) -> AsyncIterator[str]:
    async with running(create_app(reader, api_key=SecretStr("right"), max_body_bytes=20_000)) as address:
        yield address


@pytest.fixture
async def http(url: str) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {"authorization": "Bearer right"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        yield client


async def test_the_answerer_gets_the_readers_answers_with_its_token_counts(url: str, reader: Reader) -> None:
    questions = ["Who led the survey?", "When did the survey begin?", "How deep is the harbour?"]
    endpoint = Endpoint(url, READER_MODEL, api_key=SecretStr("right"))
    async with OpenAIAnswerer(endpoint, CallLimits(concurrency=4)) as answerer:
        replies = await asyncio.gather(*(answerer.answer(HALDEN, questions) for _ in range(3)))
        [blind] = await answerer.answer("", questions[:1])
    expected = [r.answer for r in reader.read([(HALDEN, q) for q in questions])]
    assert [[a.text for a in reply] for reply in replies] == [expected] * 3
    first = replies[0][0]
    assert first.usage.prompt_tokens == reader.count(HALDEN) + reader.count(questions[0])
    assert first.usage.completion_tokens == reader.count("Ada Renn")
    assert (blind.status, blind.text) == (AnswerStatus.ANSWERED, "")


async def test_the_official_client_takes_its_answers_and_errors(url: str) -> None:
    async with openai.AsyncOpenAI(base_url=url, api_key="right", max_retries=0) as client:
        assert [m.id async for m in client.models.list()] == [READER_MODEL]
        done = await client.chat.completions.create(**GOOD)
        assert done.choices[0].message.content == "Ada Renn"
        assert done.choices[0].finish_reason == "stop"
        assert done.usage is not None
        assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens
        with pytest.raises(openai.NotFoundError, match="there is no model 'gpt'") as missing:
            await client.chat.completions.create(**GOOD | {"model": "gpt"})
        assert missing.value.code == "model_not_found"
    async with openai.AsyncOpenAI(base_url=url, api_key="wrong", max_retries=0) as client:
        with pytest.raises(openai.AuthenticationError) as refused:
            await client.chat.completions.create(**GOOD)
        assert refused.value.code == "invalid_api_key"
        with pytest.raises(openai.AuthenticationError):
            await client.models.list()


async def test_an_answer_over_the_token_limit_is_a_length_stop(http: httpx2.AsyncClient) -> None:
    for field in ("max_tokens", "max_completion_tokens"):
        body = (await http.post("/chat/completions", json=GOOD | {field: 1})).json()
        assert body["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"messages": [{"role": "user", "content": "Hello"}]}, 400),
        ({"messages": "Hello"}, 400),
        ({"messages": [{"role": "user", "content": [{"type": "text", "text": "Hello"}]}]}, 400),
        ({"max_tokens": 0}, 400),
        ({"stream": True}, 400),
        ({"model": "gpt"}, 404),
        ({"padding": "x" * 20_000}, 413),
    ],
    ids=["no prompt", "no list", "parts", "max_tokens", "stream", "model", "size"],
)
async def test_a_bad_request_gets_an_error_body(http: httpx2.AsyncClient, change: dict[str, Any], status: int) -> None:
    response = await http.post("/chat/completions", json=GOOD | change)
    assert response.status_code == status
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert "Hello" not in error["message"]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"model": "\\ud800"}', b"\xff", b"[" * 10_000])
async def test_a_body_that_is_no_request_is_a_400(http: httpx2.AsyncClient, body: bytes) -> None:
    response = await http.post("/chat/completions", content=body)
    assert (response.status_code, response.json()["error"]["code"]) == (400, None)


async def test_a_lone_surrogate_in_a_text_is_a_400(http: httpx2.AsyncClient) -> None:
    body = httpx2.Request("POST", "http://x", json=GOOD).read().replace(b"Halden", b"\\ud800")
    assert (await http.post("/chat/completions", content=body)).status_code == 400


async def test_a_streamed_body_is_cut_off_at_the_cap(http: httpx2.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(10_000):
            sent += 10_000
            yield b"x" * 10_000

    try:
        status = (await http.post("/chat/completions", content=endless())).status_code
    except httpx2.TransportError:  # the server may close before the client has read the reply
        status = 413
    assert status == 413
    assert sent < 100_000_000


async def test_health_wants_no_key_and_unknown_paths_get_an_error_body(url: str) -> None:
    async with httpx2.AsyncClient() as client:
        assert (await client.get(url.removesuffix("/v1") + "/health")).json() == {"status": "ok"}
        unknown = await client.get(url + "/embeddings")
        assert (unknown.status_code, unknown.json()["error"]["type"]) == (404, "invalid_request_error")
        wrong = await client.get(url + "/chat/completions")
        assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")


async def test_a_full_queue_is_a_429_with_retry_after(reader: Reader) -> None:
    async with running(create_app(reader, max_waiting=1)) as url, httpx2.AsyncClient(timeout=60) as client:
        posts = [client.post(f"{url}/chat/completions", json=GOOD) for _ in range(24)]
        responses = await asyncio.gather(*posts)
    refused = [r for r in responses if r.status_code == 429]
    assert {r.status_code for r in responses} == {200, 429}
    assert all(r.headers["retry-after"] == "1" and r.json()["error"]["type"] == "rate_limit_error" for r in refused)


async def test_a_failing_reader_is_a_500_with_an_error_body() -> None:
    class Broken:
        def read(self, pairs: object) -> None:
            raise RuntimeError("weights on fire")

    async with running(create_app(Broken())) as url, httpx2.AsyncClient() as client:  # type: ignore[arg-type]
        response = await client.post(f"{url}/chat/completions", json=GOOD)
    assert response.status_code == 500
    assert response.json()["error"]["type"] == "server_error"
    assert "fire" not in response.text
