"""The embedded judge behind an OpenAI-compatible endpoint, so that every model is asked by the same code."""

import hmac
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, SecretStr, ValidationError
from starlette.exceptions import HTTPException

from compression_subnet.errors import JudgeError
from compression_subnet.judge.batching import MicroBatcher, Overloaded
from compression_subnet.judge.prompt import UNANSWERABLE, parse_prompt
from compression_subnet.judge.reader import Reader

__all__ = ["MAX_BODY_BYTES", "READER_MODEL", "create_app"]

READER_MODEL: Final = "reader"
MAX_BODY_BYTES: Final = 1 << 20


class ChatMessage(BaseModel):
    """One message of a chat; only plain text is taken."""

    role: str
    content: str


class ChatRequest(BaseModel):
    """The fields of a chat request that matter to a reader; others, such as the temperature, are ignored."""

    model: str
    messages: list[ChatMessage]
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """What the worker found: the answer, and token counts by the reader's own tokenizer."""

    answer: str
    prompt_tokens: int
    completion_tokens: int


class ApiError(JudgeError):
    """Becomes an error body in OpenAI's form."""

    def __init__(self, status: int, message: str, kind: str = "invalid_request_error", code: str | None = None):
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": kind, "param": None, "code": code}}


def create_app(
    reader: Reader,
    *,
    model: str = READER_MODEL,
    api_key: SecretStr | None = None,
    max_body_bytes: int = MAX_BODY_BYTES,
    max_waiting: int = 1024,
) -> FastAPI:
    """Return the application: ``/v1/chat/completions``, ``/v1/models``, ``/health``.

    Args:
        reader: answers; used from one thread only.
        model: the one name that requests may ask for.
        api_key: what a bearer token must equal; None lets everybody in.
        max_body_bytes: a longer body is refused unread, with 413.
        max_waiting: requests queued; one more gets 429.
    """

    def work(pairs: Sequence[tuple[str, str]]) -> list[Reply]:
        readings = reader.read(pairs)
        return [
            Reply(reading.answer, reader.count(text) + reader.count(question), reader.count(reading.answer))
            for (text, question), reading in zip(pairs, readings, strict=True)
        ]

    batcher: MicroBatcher[tuple[str, str], Reply] = MicroBatcher(work, max_waiting=max_waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with batcher:
            yield

    app = FastAPI(title="compression-subnet judge", lifespan=lifespan, openapi_url=None)
    started = int(time.time())

    @app.exception_handler(ApiError)
    async def on_error(_: Request, error: ApiError) -> JSONResponse:
        # Closing is what keeps a sender of an endless body from sending on.
        headers = {429: {"retry-after": "1"}, 413: {"connection": "close"}}.get(error.status)
        return JSONResponse(error.body, error.status, headers)

    @app.exception_handler(HTTPException)
    async def on_http_error(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse(ApiError(error.status_code, error.detail).body, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def on_failure(_: Request, error: Exception) -> JSONResponse:
        return JSONResponse(ApiError(500, type(error).__name__, "server_error").body, 500)

    @app.get("/health")
    async def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/v1/models")
    async def models(request: Request) -> dict[str, Any]:
        _authorize(request, api_key)
        entry = {"id": model, "object": "model", "created": started, "owned_by": "compression-subnet"}
        return {"object": "list", "data": [entry]}

    @app.post("/v1/chat/completions")
    async def chat_completions(request: Request) -> dict[str, Any]:
        _authorize(request, api_key)
        chat = _parse(await _body(request, max_body_bytes), model)
        pair = parse_prompt([{"role": m.role, "content": m.content} for m in chat.messages])
        if pair is None:
            raise ApiError(400, "the messages are not a prompt of this package (compression_subnet.judge.prompt)")
        try:
            reply = await batcher.submit(pair)
        except Overloaded:
            raise ApiError(429, "too many requests wait", "rate_limit_error", "rate_limit_exceeded") from None
        return _completion(model, reply, chat.max_completion_tokens or chat.max_tokens)

    return app


def _authorize(request: Request, api_key: SecretStr | None) -> None:
    if api_key is None:
        return
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), api_key.get_secret_value().encode()):
        raise ApiError(401, "wrong or missing API key", "authentication_error", "invalid_api_key")


async def _body(request: Request, limit: int) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise ApiError(413, f"the body is longer than {limit} bytes")
    return bytes(body)


def _parse(body: bytes, model: str) -> ChatRequest:
    try:
        chat = ChatRequest.model_validate_json(body)
    except ValidationError as error:
        where = ", ".join(sorted({".".join(map(str, e["loc"])) or "body" for e in error.errors()}))
        raise ApiError(400, f"not a chat request; wrong: {where}") from None
    if chat.model != model:
        raise ApiError(404, f"there is no model {chat.model!r}; there is {model!r}", code="model_not_found")
    if chat.stream:
        raise ApiError(400, "this server does not stream; leave out 'stream'")
    return chat


def _completion(model: str, reply: Reply, max_tokens: int | None) -> dict[str, Any]:
    # A cut answer is not shortened here: the length stop alone makes it void.
    cut = max_tokens is not None and reply.completion_tokens > max_tokens
    message = {"role": "assistant", "content": reply.answer or UNANSWERABLE, "refusal": None}
    return {
        "id": f"chatcmpl-{uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "length" if cut else "stop", "logprobs": None}],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
        },
    }
