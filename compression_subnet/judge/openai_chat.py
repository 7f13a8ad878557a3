"""A writing model behind any OpenAI-compatible endpoint; its structured output by JSON schema or by asking for JSON."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from loguru import logger
from pydantic import BaseModel

from compression_subnet.errors import ContentFault, ProviderFault
from compression_subnet.judge.chat import ChatTally, parse_json
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.faults import Fault, FaultKind, classify
from compression_subnet.judge.openai_answerer import content_of, usage_of
from compression_subnet.judge.prompt import Message
from compression_subnet.judge.types import Usage

if TYPE_CHECKING:
    import httpx2
    from tenacity import RetryCallState

__all__ = ["WRITER_LIMITS", "OpenAIChatModel"]

Shape = TypeVar("Shape", bound=BaseModel)
Value = TypeVar("Value")

WRITER_LIMITS: Final = CallLimits(call_seconds=180.0, reply_seconds=600.0, concurrency=4, max_answer_tokens=4096)
_SEED_MASK: Final = 0x7FFF_FFFF


@dataclass(slots=True)
class _Attempts:
    last: Fault
    number: int = 0
    with_schema: bool = False


class OpenAIChatModel:
    """A ``ChatModel`` behind an OpenAI-compatible endpoint. Use as an async context manager."""

    def __init__(
        self,
        endpoint: Endpoint,
        limits: CallLimits = WRITER_LIMITS,
        *,
        temperature: float | None = 0.8,
        transport: "httpx2.AsyncBaseTransport | None" = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ):
        """Prepare a client; nothing is sent yet.

        Args:
            endpoint: which model is asked, and where; its seed is sent where a call gives none, and None means that
                the provider takes no seed.
            limits: deadlines, concurrency and retries; ``reply_seconds`` bounds one request with its retries.
            temperature: None where the provider takes none.
            transport: replaces the network, for tests.
            sleep: waits between tries.
        """
        import httpx2
        import openai

        self._endpoint = endpoint
        self._limits = limits
        self._temperature = temperature
        self._sleep = sleep
        self._slots = asyncio.Semaphore(limits.concurrency)
        self._calls = 0
        self._usage = Usage()
        self._faults: Counter[str] = Counter()
        self._takes_schema: bool | None = None
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key.get_secret_value() if endpoint.api_key else "none",
            max_retries=0,
            timeout=limits.call_seconds,
            http_client=httpx2.AsyncClient(
                transport=transport,
                timeout=limits.call_seconds,
                follow_redirects=False,
                limits=httpx2.Limits(max_connections=limits.concurrency),
            ),
        )

    @property
    def name(self) -> str:
        """The model's name at its endpoint, for the record."""
        return self._endpoint.model

    @property
    def tally(self) -> ChatTally:
        """Costs and faults so far."""
        return ChatTally(self._calls, self._usage, dict(self._faults), self._takes_schema)

    async def write(self, messages: Sequence[Message], *, seed: int | None = None) -> str:
        """Return the model's text; see ``ChatModel``."""
        return await self._settle(messages, None, lambda text: text.strip() or None, seed)

    async def fill(self, messages: Sequence[Message], shape: type[Shape], *, seed: int | None = None) -> Shape:
        """Return the model's reply as a ``shape``; see ``ChatModel``.

        The endpoint is given the JSON schema. One that refuses it is asked for JSON in words from then on; the reply
        is validated in both cases.
        """
        return await self._settle(messages, shape, lambda text: parse_json(text, shape), seed)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _settle(
        self,
        messages: Sequence[Message],
        shape: type[BaseModel] | None,
        parse: Callable[[str], Value | None],
        seed: int | None,
    ) -> Value:
        from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt

        attempts = _Attempts(
            Fault(FaultKind.PROVIDER, "no call ended before the deadline"),
            with_schema=shape is not None and self._takes_schema is not False,
        )

        async def attempt() -> Value | None:
            return await self._attempt(messages, shape, parse, seed, attempts)

        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(self._limits.tries),
            wait=self._backoff(attempts),
            retry=retry_if_result(lambda value: value is None),
            retry_error_callback=lambda _: None,
        )
        try:
            async with asyncio.timeout(self._limits.reply_seconds):
                value: Value | None = await retrying(attempt)
        except TimeoutError:
            raise ProviderFault(f"the deadline passed: {attempts.last.detail}") from None
        if value is not None:
            return value
        if attempts.last.kind is FaultKind.PROVIDER:
            raise ProviderFault(attempts.last.detail)
        raise ContentFault(attempts.last.detail)

    async def _attempt(
        self,
        messages: Sequence[Message],
        shape: type[BaseModel] | None,
        parse: Callable[[str], Value | None],
        seed: int | None,
        attempts: _Attempts,
    ) -> Value | None:
        """Ask once; None asks for another try."""
        schema_sent = shape is not None and attempts.with_schema
        outcome = await self._call(messages, shape, schema_sent, seed, attempts.number)
        attempts.number += 1
        fault = classify(outcome)
        value: Value | None = None
        if fault is None:
            if shape is not None and self._takes_schema is None:
                self._takes_schema = schema_sent
                if not schema_sent:
                    logger.warning("the writer's endpoint takes no JSON schema; JSON is asked for in words")
            value = parse(content_of(outcome))
            if value is not None:
                return value
            fault = Fault(FaultKind.CONTENT, "a blank text" if shape is None else f"no {shape.__name__} in the reply")
        elif fault.kind is FaultKind.UNSURE and self._takes_schema is None:
            # What was refused may have been the schema.
            attempts.with_schema = False
        attempts.last = fault
        self._faults[f"{fault.kind}: {fault.detail}"] += 1
        return None

    async def _call(
        self, messages: Sequence[Message], shape: type[BaseModel] | None, schema_sent: bool, seed: int | None, n: int
    ) -> object:
        """Return the completion, or the error that came in its place."""
        request: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": list(messages),
            self._endpoint.token_limit_field: self._limits.max_answer_tokens,
            "extra_body": dict(self._endpoint.extra_body),
        }
        if self._temperature is not None:
            request["temperature"] = self._temperature
        if self._endpoint.seed is not None:
            # A try that gave nothing usable would give the same again.
            request["seed"] = ((self._endpoint.seed if seed is None else seed) + n) & _SEED_MASK
        if shape is not None:
            schema = shape.model_json_schema()
            if schema_sent:
                named = {"name": shape.__name__.strip("_"), "schema": schema, "strict": True}
                request["response_format"] = {"type": "json_schema", "json_schema": named}
            else:
                request["messages"] = _asking_for_json(messages, schema)
        async with self._slots:
            self._calls += 1
            try:
                async with asyncio.timeout(self._limits.call_seconds):
                    completion = await self._client.chat.completions.create(**request)
            except Exception as error:  # a provider's answer may break the client in ways that it does not declare
                return error
        self._usage += usage_of(completion)
        return completion

    def _backoff(self, attempts: _Attempts) -> "Callable[[RetryCallState], float]":
        from tenacity import wait_random_exponential

        jittered = wait_random_exponential(self._limits.backoff_seconds, self._limits.max_backoff_seconds)

        def wait(state: "RetryCallState") -> float:
            if attempts.last.kind is not FaultKind.PROVIDER:
                return 0.0
            asked = min(attempts.last.retry_after or 0.0, self._limits.max_backoff_seconds)
            return max(asked, jittered(state))

        return wait


def _asking_for_json(messages: Sequence[Message], schema: Mapping[str, Any]) -> list[Message]:
    *before, last = messages
    words = "Reply with one JSON object and nothing else. Its JSON Schema: "
    content = f"{last['content']}\n\n{words}{json.dumps(schema, separators=(',', ':'))}"
    return [*before, Message(role=last["role"], content=content)]
