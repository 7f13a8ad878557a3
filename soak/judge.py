"""The judge's endpoint: knows every question's answer, and gives it where the text holds it; fails when told to."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

from compression_subnet.challenge import open_source
from compression_subnet.judge.prompt import parse_prompt
from compression_subnet.text import get_tokenizer
from soak.http import Request, response, serving

__all__ = ["OUTAGES", "Judge", "answers_of"]

OUTAGES: Final = ("429", "500", "hang", "refusal", "html", "cut")
"""Ways to fail: HTTP statuses, no answer at all, a refusal of every text, a page in place of JSON, a closed socket."""
_CANARY: Final = "The ferry to the island"


def answers_of(source: str, min_tokens: int, max_tokens: int) -> dict[str, tuple[str, ...]]:
    """Return the accepted answers to each question of a corpus."""
    articles = open_source(source, get_tokenizer(), min_tokens, max_tokens).articles()
    return {question.text: question.gold for article in articles for question in article.questions}


class Judge:
    """An OpenAI-compatible endpoint.

    Args:
        gold: accepted answers by question.
        asked: called at each request, so that faults can wait for the n-th.
    """

    def __init__(self, gold: Mapping[str, tuple[str, ...]], asked: Callable[[], None]):
        self._gold = gold
        self._asked = asked
        self._outage: str | None = None

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve until the context ends, and yield the base URL."""
        async with serving(self._handle, "127.0.0.1") as port:
            yield f"http://127.0.0.1:{port}/v1"

    @contextlib.contextmanager
    def failing(self, way: str) -> Any:
        """Fail in that way for as long as the context lasts."""
        self._outage = way
        try:
            yield
        finally:
            self._outage = None

    async def _handle(self, request: Request) -> bytes | None:
        self._asked()
        pair = parse_prompt(json.loads(request.body)["messages"])
        assert pair is not None, "the validator asked with another prompt than its own"
        match self._outage:
            case "429":
                return response(_error("slow down"), status="429 Too Many Requests", headers={"retry-after": "1"})
            case "500":
                return response(_error("down"), status="500 Internal Server Error")
            case "hang":
                await asyncio.sleep(3600)
            case "refusal":
                return response(_completion("", refusal="I cannot help with that."))
            case "html":
                return response(b"<html>bad gateway</html>", headers={"content-type": "text/html"})
            case "cut":
                return None
        return response(_completion(self._said(*pair)))

    def _said(self, text: str, question: str) -> str:
        if _CANARY in text:
            return "noon"
        return next((gold for gold in self._gold.get(question, ()) if gold in text), "UNANSWERABLE")


def _error(message: str) -> bytes:
    return json.dumps({"error": {"message": message}}).encode()


def _completion(content: str, refusal: str | None = None) -> bytes:
    message = {"role": "assistant", "content": content, "refusal": refusal}
    body = {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "soak",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102},
    }
    return json.dumps(body).encode()
