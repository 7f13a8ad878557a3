"""A judge that knows the gold answers and gives one where it stands in the text; served as any other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from compression_subnet.challenge.admission import contains_tokens, token_string
from compression_subnet.challenge.types import Article


@dataclass(frozen=True)
class Reading:
    answer: str


class KnowingReader:
    def __init__(self, articles: Iterable[Article]):
        self.gold = {q.text: q.gold for article in articles for q in article.questions}
        self.gold["What time does the ferry to the island leave?"] = ("noon",)
        self.asked: list[tuple[str, str]] = []

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[Reading]:
        self.asked += pairs
        return [Reading(self.answer(*pair)) for pair in pairs]

    def answer(self, text: str, question: str) -> str:
        within = token_string(text)
        return next((g for g in self.gold.get(question, ()) if contains_tokens(within, token_string(g))), "")

    def count(self, text: str) -> int:
        return len(text.split())
