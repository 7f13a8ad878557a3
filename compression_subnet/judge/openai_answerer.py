"""A judge behind any OpenAI-compatible endpoint: the embedded server, llama.cpp, or a hosted model."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, cast

from compression_subnet.judge.endpoint import CONTENT_TRIES, CallLimits, Endpoint
from compression_subnet.judge.faults import Fault, FaultKind, classify
from compression_subnet.judge.pool import EndpointPool, Lease, Member
from compression_subnet.judge.prompt import Prompt, answer_text, fence_for, load_prompt
from compression_subnet.judge.types import Answer, AnswerStatus, Usage

if TYPE_CHECKING:
    import httpx2
    from openai.types.chat import ChatCompletion
    from tenacity import RetryCallState

__all__ = ["OpenAIAnswerer", "content_of", "usage_of"]

CANARY_SENTENCE: Final = "The ferry to the island leaves the harbour at noon on every working day. "
CANARY_QUESTION: Final = "When does the ferry leave?"


@dataclass(slots=True)
class _Attempts:
    """What became of one question so far."""

    lease: Lease
    last: Fault
    usage: Usage = field(default_factory=Usage)
    persisted: int = 0
    """Tries that failed while the canary right after succeeded, without a break."""


class OpenAIAnswerer:
    """Answers questions through an OpenAI-compatible endpoint; an ``Answerer``. Use as an async context manager."""

    def __init__(
        self,
        endpoint: Endpoint | Sequence[Endpoint],
        limits: CallLimits | None = None,
        *,
        prompt: Prompt | None = None,
        fence_secret: bytes | None = None,
        warm_prefix: bool = True,
        transport: "httpx2.AsyncBaseTransport | None" = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ):
        """Prepare a client; nothing is sent yet.

        Args:
            endpoint: which model is asked, and where; several share the load, and stand in for each other.
            limits: deadlines, concurrency and retries.
            prompt: the default prompt if None.
            fence_secret: key of the fences; fresh randomness if None. Keep it in the record to ask exactly again.
            warm_prefix: ask a text's first question alone, so that the others find its prefix cached.
            transport: replaces the network, for tests.
            sleep: waits between tries.
            clock: seconds, only ever forward.

        Raises:
            ConfigurationError: there is no endpoint, or their models differ.
        """
        self._limits = limits or CallLimits()
        self._prompt = prompt or load_prompt()
        self._secret = fence_secret or secrets.token_bytes(32)
        self._warm_prefix = warm_prefix
        self._sleep = sleep
        self._slots = asyncio.Semaphore(self._limits.concurrency)
        self._clock = clock
        self._pool = EndpointPool(
            (endpoint,) if isinstance(endpoint, Endpoint) else tuple(endpoint), self._limits, transport, clock
        )

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return one answer a question, in their order, within ``reply_seconds``. Faults are values."""
        if not questions:
            return []
        deadline = asyncio.get_running_loop().time() + self._limits.reply_seconds
        alone = 1 if self._warm_prefix and len(questions) > 1 else 0
        lease = self._pool.lease(len(questions))
        try:
            first = [await self._settle(text, question, deadline, lease) for question in questions[:alone]]
            rest = await asyncio.gather(*(self._settle(text, q, deadline, lease) for q in questions[alone:]))
        finally:
            lease.close()
        return [*first, *rest]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _settle(self, text: str, question: str, deadline: float, lease: Lease) -> Answer:
        from tenacity import AsyncRetrying, retry_if_result, stop_after_attempt

        attempts = _Attempts(lease, Fault(FaultKind.PROVIDER, "no call ended before the deadline"))

        async def attempt() -> Answer | None:
            return await self._attempt(text, question, attempts)

        retrying = AsyncRetrying(
            sleep=self._sleep,
            stop=stop_after_attempt(self._limits.tries),
            wait=self._backoff(attempts),
            retry=retry_if_result(lambda answer: answer is None),
            retry_error_callback=lambda _: None,
        )
        try:
            async with asyncio.timeout_at(deadline):
                answer: Answer | None = await retrying(attempt)
        except TimeoutError:
            answer = None
        lease.settle()
        if answer is not None:
            return answer
        return Answer(AnswerStatus.PROVIDER_FAULT, detail=attempts.last.detail, usage=attempts.usage)

    async def _attempt(self, text: str, question: str, attempts: _Attempts) -> Answer | None:
        """Ask once, and the canary after a fault; None asks for another try."""
        while True:
            member = attempts.lease.member()
            # The endpoint's own slot first: who waits for it must not keep others from theirs.
            async with member.limit.slot(), self._slots:
                if attempts.lease.can_move():
                    continue  # it failed while this call waited
                outcome, fault = await self._call(member, text, question, attempts)
                if fault is None:
                    return Answer(AnswerStatus.ANSWERED, answer_text(content_of(outcome)), usage=attempts.usage)
                attempts.last = fault
                if fault.kind is FaultKind.CONTENT:
                    return Answer(AnswerStatus.CONTENT_FAULT, detail=fault.detail, usage=attempts.usage)
                # As long as the text, and at once: whatever refuses for size or load refuses it too.
                canary = CANARY_SENTENCE * (1 + len(text) // len(CANARY_SENTENCE))
                _, refused = await self._call(member, canary, CANARY_QUESTION, attempts)
                break
        if refused is not None:
            self._pool.put_aside(member, refused)
        attempts.persisted = attempts.persisted + 1 if refused is None else 0
        if attempts.persisted < CONTENT_TRIES:
            return None
        return Answer(AnswerStatus.CONTENT_FAULT, detail=f"only with this text: {fault.detail}", usage=attempts.usage)

    async def _call(self, member: Member, text: str, question: str, attempts: _Attempts) -> tuple[object, Fault | None]:
        """Return the completion, or the error that came in its place, and the fault that this is."""
        began = self._clock()
        outcome = await self._send(member, text, question)
        attempts.usage += usage_of(outcome)
        fault = classify(outcome)
        self._pool.observe(member, fault, began)
        return outcome, fault

    async def _send(self, member: Member, text: str, question: str) -> object:
        endpoint = member.endpoint
        request: dict[str, Any] = {
            "model": endpoint.model,
            "messages": self._prompt.messages(fence_for(self._secret, text), text, question),
            "temperature": 0,
            endpoint.token_limit_field: self._limits.max_answer_tokens,
            "extra_body": dict(endpoint.extra_body),
        }
        if endpoint.seed is not None:
            request["seed"] = endpoint.seed
        try:
            async with asyncio.timeout(self._limits.call_seconds):
                return await member.client.chat.completions.create(**request)
        except Exception as error:  # a provider's answer may break the client in ways that it does not declare
            return error

    def _backoff(self, attempts: _Attempts) -> "Callable[[RetryCallState], float]":
        from tenacity import wait_random_exponential

        jittered = wait_random_exponential(self._limits.backoff_seconds, self._limits.max_backoff_seconds)

        def wait(state: "RetryCallState") -> float:
            if attempts.last.kind is FaultKind.UNSURE or attempts.lease.can_move():
                return 0.0
            asked = min(attempts.last.retry_after or 0.0, self._limits.max_backoff_seconds)
            return max(asked, jittered(state))

        return wait


def content_of(outcome: object) -> str:
    """Return the text of a completion in which ``classify`` found no fault."""
    return str(cast("ChatCompletion", outcome).choices[0].message.content)


def usage_of(outcome: object) -> Usage:
    """Return the tokens that the provider counted; zeros for what it left out."""
    reported = getattr(outcome, "usage", None)
    return Usage(
        prompt_tokens=_count(reported, "prompt_tokens"),
        cached_tokens=_count(getattr(reported, "prompt_tokens_details", None), "cached_tokens"),
        completion_tokens=_count(reported, "completion_tokens"),
    )


def _count(reported: object, name: str) -> int:
    value = getattr(reported, name, None)
    return value if isinstance(value, int) else 0
