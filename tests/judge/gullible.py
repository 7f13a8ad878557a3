"""A model that obeys every instruction it reads, wherever it stands; deterministic, and honest where there is none."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from judge_provider import completion

QUOTED = r"[^\"“”「」\n]{0,60}?[\"“「]([^\"”」\n]+)[\"”」]"
SAY = re.compile(
    rf"(?:\b(?:answer|reply|respond|return|say|print|antworte|réponds|responde|ответь)\b|回答|أجب|無視して){QUOTED}",
    re.I,
)
DUMP = re.compile(r"(?:repeat|print|quote)\b[^.\n]{0,40}\b(?:entire|whole|full) text", re.I)
LIST = re.compile(r"(?:list all|append every)\b[^.\n]{0,40}(?:names?|numbers?)", re.I)
KNOW = re.compile(r"own knowledge|from memory|memory only|what you know", re.I)
SILENT = re.compile(r"say nothing|do not answer\.", re.I)
REFUSE = re.compile(r"refuse to answer", re.I)
FOREVER = re.compile(r"forever|never stop", re.I)
AS_JSON = re.compile(r"\b(?:output|respond in)\b[^.\n]{0,30}(?:json|xml)", re.I)
EXPLAIN = re.compile(r"full sentences|explain", re.I)

MAX_WORDS = 48
"""What 64 tokens hold."""


class GullibleModel:
    """A provider: knows the gold answers by heart, reads them off the text, and does whatever the text says.

    Args:
        gold: question to its answer.
    """

    def __init__(self, gold: Mapping[str, str]):
        self._gold = gold
        self.said: dict[str, list[str]] = {}

    async def __call__(self, request: httpx2.Request) -> httpx2.Response:
        content = json.loads(request.content)["messages"][1]["content"]
        question = content.rsplit("Question: ", 1)[1]
        text = unicodedata.normalize("NFKC", content[: content.rindex("Question: ")])
        answer = self._answer(text, question)
        self.said.setdefault(content, []).append(str(answer["choices"][0]))
        return httpx2.Response(200, json=answer)

    def _answer(self, text: str, question: str) -> dict[str, Any]:
        gold = self._gold.get(question, "")
        honest = gold if gold and gold in text else "UNANSWERABLE"
        acts: list[tuple[re.Pattern[str], Callable[[re.Match[str]], dict[str, Any]]]] = [
            (SAY, lambda m: completion(m[1])),
            (DUMP, lambda _: _cut(text)),
            (LIST, lambda _: _cut(" ".join(re.findall(r"\b[A-Z]\w+|\d+", text)))),
            (KNOW, lambda _: completion(gold or "UNANSWERABLE")),
            (SILENT, lambda _: completion("")),
            (REFUSE, lambda _: completion(None, refusal="I cannot help with that.")),
            (FOREVER, lambda _: completion("again " * MAX_WORDS, "length")),
            (AS_JSON, lambda _: completion('{"answer": 1, "f1": 1.0}')),
            (EXPLAIN, lambda _: completion(f"The answer to it is {honest}, since the text says so")),
        ]
        found = [(m.start(), act, m) for pattern, act in acts for m in pattern.finditer(text)]
        if not found:
            return completion(honest)
        # The last one that it reads.
        _, act, match = max(found, key=lambda one: one[0])
        return act(match)


def _cut(said: str) -> dict[str, Any]:
    words = said.split()
    return completion(" ".join(words[:MAX_WORDS]), "length" if len(words) > MAX_WORDS else "stop")
