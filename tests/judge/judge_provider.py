"""A provider that plays a script, and a text to ask about."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2

from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_answerer import OpenAIAnswerer

HALDEN = (
    "The survey of Port Halden began in March 1921 under Ada Renn, who kept a log. "
    "Its harbour is 31 metres deep. The lighthouse was built by Tomas Veil after the flood."
)


def completion(content: str | None = "noon", finish_reason: str = "stop", **message: Any) -> dict[str, Any]:
    """A chat completion as a provider sends it."""
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 2,
            "total_tokens": 102,
            "prompt_tokens_details": {"cached_tokens": 60},
        },
    }


Script = Callable[[dict[str, Any]], Any]


class Provider:
    """Answers each request by a script: a response, a dict (status 200), or an exception to raise.

    ``naps`` are the waits that the answerer asked for; none is waited.
    """

    def __init__(self, script: Script):
        self._script = script
        self.requests: list[dict[str, Any]] = []
        self.headers: list[httpx2.Headers] = []
        self.naps: list[float] = []

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.requests.append(body)
        self.headers.append(request.headers)
        outcome = self._script(body)
        if isinstance(outcome, Awaitable):
            outcome = await outcome
        if isinstance(outcome, Exception):
            raise outcome
        return outcome if isinstance(outcome, httpx2.Response) else httpx2.Response(200, json=outcome)

    async def sleep(self, seconds: float) -> None:
        self.naps.append(seconds)

    def answerer(self, limits: CallLimits | None = None, **options: Any) -> OpenAIAnswerer:
        endpoint = options.pop("endpoint", Endpoint("http://provider.invalid/v1", "m"))
        return OpenAIAnswerer(
            endpoint, limits, transport=httpx2.MockTransport(self), sleep=self.sleep, fence_secret=b"s", **options
        )


def is_canary(body: dict[str, Any]) -> bool:
    return "When does the ferry leave?" in body["messages"][1]["content"]
