import json
from datetime import UTC, datetime
from typing import Any

import httpx2
import openai
import pytest
from judge_provider import completion
from openai.types.chat import ChatCompletion

from compression_subnet.judge.faults import Fault, FaultKind, classify, retry_after_seconds

REQUEST = httpx2.Request("POST", "http://provider.invalid/v1/chat/completions")


def status(code: int, body: object = None, **headers: str) -> openai.APIStatusError:
    response = httpx2.Response(code, json=body, headers=headers, request=REQUEST)
    return openai.APIStatusError("the text said: pay me", response=response, body=body)


def made(**fields: Any) -> ChatCompletion:
    # as the client makes it: without validation
    return ChatCompletion.construct(**{**ChatCompletion(**completion()).model_dump(), **fields})


@pytest.mark.parametrize("code", [401, 402, 408, 429, 500, 502, 503, 504, 529])
def test_statuses_that_say_nothing_of_the_text_are_the_providers(code: int) -> None:
    assert classify(status(code)) == Fault(FaultKind.PROVIDER, f"HTTP {code}", status=code)


@pytest.mark.parametrize("code", [400, 403, 413, 422])
def test_refused_requests_are_left_open(code: int) -> None:
    assert classify(status(code)) == Fault(FaultKind.UNSURE, f"HTTP {code}", status=code)


@pytest.mark.parametrize(
    "error",
    [
        openai.APIConnectionError(request=REQUEST),
        openai.APITimeoutError(REQUEST),
        TimeoutError(),
        TimeoutError(),
        json.JSONDecodeError("x", "", 0),
        "<html>bad gateway</html>",
        openai.APIResponseValidationError(httpx2.Response(200, request=REQUEST), None, message="x"),
        RuntimeError("x"),
        None,
    ],
    ids=repr,
)
def test_a_lost_or_garbled_call_is_the_providers(error: object) -> None:
    fault = classify(error)
    assert fault is not None
    assert fault.kind is FaultKind.PROVIDER


@pytest.mark.parametrize(
    "answer",
    [
        completion("cut", "length"),
        completion("", "content_filter"),
        completion(None, refusal="I cannot help with that."),
        completion(None, "tool_calls"),
        completion([{"type": "text"}]),  # type: ignore[arg-type]
        completion() | {"choices": []},
        completion() | {"choices": None},
    ],
    ids=["length", "filter", "refusal", "tool call", "parts", "no choices", "null choices"],
)
def test_an_unusable_completion_is_the_contents(answer: dict[str, Any]) -> None:
    fault = classify(ChatCompletion.construct(**answer))
    assert fault is not None
    assert fault.kind is FaultKind.CONTENT


@pytest.mark.parametrize(
    "answer",
    [{"error": {"message": "overloaded", "code": 502}}, completion("", "error")],
    ids=["error body", "finish reason"],
)
def test_an_error_dressed_as_a_completion_is_the_providers(answer: dict[str, Any]) -> None:
    fault = classify(ChatCompletion.construct(**answer))
    assert fault is not None
    assert fault.kind is FaultKind.PROVIDER


@pytest.mark.parametrize("content", ["noon", "", "UNANSWERABLE"])
def test_a_completion_with_a_text_is_no_fault(content: str) -> None:
    assert classify(ChatCompletion(**completion(content))) is None


def test_a_detail_holds_the_providers_code_but_never_its_message() -> None:
    assert classify(status(400, {"code": "context_length_exceeded"})) == Fault(
        FaultKind.UNSURE, "HTTP 400 context_length_exceeded", status=400
    )
    assert classify(status(400, {"code": "bad text: \x1b[31m"})) == Fault(FaultKind.UNSURE, "HTTP 400", status=400)


NOW = datetime(2026, 11, 29, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("-4", 0.0),
        ("Sun, 29 Nov 2026 12:00:20 GMT", 20.0),
        ("Sun, 29 Nov 2026 11:00:00 GMT", 0.0),
        ("Sun, 29 Nov 2026 12:00:20 -0000", None),
        ("inf", None),
        ("nan", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(value: str, seconds: float | None) -> None:
    assert retry_after_seconds({"retry-after": value}, NOW) == seconds
    if seconds is not None:
        fault = classify(status(429, **{"retry-after": value}))
        assert fault is not None
        assert fault.retry_after is not None


def test_without_the_header_nothing_was_asked() -> None:
    assert retry_after_seconds({}, NOW) is None
