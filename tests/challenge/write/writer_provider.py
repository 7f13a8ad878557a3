"""A provider that writes by a script: good, lazy, lying or hostile, behind the real client."""

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import httpx2

from compression_subnet.challenge.write.prompting import load_writer_prompt
from compression_subnet.judge.endpoint import CallLimits, Endpoint
from compression_subnet.judge.openai_chat import OpenAIChatModel
from compression_subnet.judge.types import Answer, AnswerStatus

VERSIONS = ("near-miss-v1", "paraphrase-v1", "questions-v1", "rephrase-v1", "repair-v1", "section-v1")
Script = Callable[[str, str], Any]
"""From a prompt's version and the user's message to a text, an object to be sent as JSON, a response or an error."""

FILLER = (
    "Nobody who lived nearby would have called it a quiet place.",
    "The work went on in all weathers, and mostly without complaint.",
    "What outsiders took for stubbornness was mostly a habit of patience.",
    "Letters from those years speak of mud, smoke and long evenings.",
    "It is easy to forget how little of this was ever planned.",
    "The neighbours watched from their windows and kept their opinions.",
)


class WritingProvider:
    """Plays ``script`` and keeps what it was asked."""

    def __init__(self, script: Script):
        self._script = script
        self.asked: list[tuple[str, str]] = []

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        system, user = (message["content"] for message in body["messages"])
        version = next(v for v in VERSIONS if load_writer_prompt(v).system == system)
        self.asked.append((version, user))
        outcome = self._script(version, user)
        if isinstance(outcome, Exception):
            raise outcome
        if isinstance(outcome, httpx2.Response):
            return outcome
        content = outcome if isinstance(outcome, str) else json.dumps(outcome)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "w", "choices": [choice], "usage": usage}
        return httpx2.Response(200, json=body)

    async def sleep(self, seconds: float) -> None:
        """Wait for nothing."""

    def model(self, **limits: Any) -> OpenAIChatModel:
        """Return the real client with this provider behind it."""
        return OpenAIChatModel(
            Endpoint("http://writer.invalid/v1", "scripted"),
            CallLimits(**({"tries": 3} | limits)),
            transport=httpx2.MockTransport(self),
            sleep=self.sleep,
        )


def facts_in(user: str) -> list[str]:
    """Return the facts that a section's or repair's prompt lists, without brackets."""
    listed = user.rpartition("facts")[2]
    return [re.sub(r"[\[\]]", "", line) for line in re.findall(r"^\d+\. (.*)$", listed, re.MULTILINE)]


def lines_in(user: str) -> list[str]:
    """Return the entries of a numbered list in a prompt."""
    return re.findall(r"^\d+\. (.*)$", user, re.MULTILINE)


def items(texts: Sequence[str | None]) -> dict[str, Any]:
    """Return the reply to a numbered list; None leaves a number out."""
    return {"items": [{"number": i, "text": t} for i, t in enumerate(texts, start=1) if t is not None]}


def section(user: str, *, skip: int = 0, extra: Sequence[str] = ()) -> str:
    """Return a section that states the facts of its prompt, but the first ``skip``, among filler."""
    rng = random.Random(user)
    words = re.search(r"about (\d+) words", user)
    sentences = [*facts_in(user)[skip:], *extra]
    if words:
        number = re.search(r"part (\d+)", user)
        part = number[1] if number else "0"
        while len(" ".join(sentences).split()) < 0.8 * int(words[1]):
            sentences.insert(
                rng.randint(0, len(sentences)),
                f"In chapter {chr(64 + int(part))}{rng.choice('abcdefghij')}"
                f"{rng.choice('klmnopqrst')}{rng.choice('uvwxyz')} one reads: {rng.choice(FILLER).lower()}",
            )
    half = len(sentences) // 2
    return f"{' '.join(sentences[:half])}\n\n{' '.join(sentences[half:])}"


def diligent(version: str, user: str) -> Any:
    """Write as asked."""
    if version == "section-v1":
        return section(user)
    if version == "repair-v1":
        part = user.partition("\n\n")[2].rpartition("\n\nThese facts")[0]
        return f"{part} {' '.join(facts_in(user))}"
    if version == "rephrase-v1":
        return items([f"Say, {line[0].lower()}{line[1:]}" for line in lines_in(user)])
    if version == "paraphrase-v1":
        return items([f"It is so that {line[0].lower()}{line[1:]}" for line in lines_in(user)])
    raise AssertionError(version)


class FakeJudge:
    """Answers each question by a function of text and question; None stands for no answer."""

    def __init__(self, answer: Callable[[str, str], str | None]):
        self._answer = answer
        self.texts: list[str] = []

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Answer."""
        self.texts.append(text)
        return [Answer(AnswerStatus.ANSWERED, self._answer(text, question) or "") for question in questions]


class FaultyJudge:
    """Fails as a provider does."""

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Fail."""
        return [Answer(AnswerStatus.PROVIDER_FAULT, detail="HTTP 503") for _ in questions]
