"""Counters for the tests: simple ones, and fakes that break what a byte-pair tokenizer keeps."""

from dataclasses import dataclass, field

from compression_subnet.text.tokens import TokenCounter, get_tokenizer


class Words:
    def count(self, text: str) -> int:
        return len(text.split())


class Characters:
    def count(self, text: str) -> int:
        return len(text)


class Bytes:
    def count(self, text: str) -> int:
        return len(text.encode("utf-8", "surrogatepass"))


class SuperAdditive:
    """Parts cost less than the whole: estimates from sentences are far too low."""

    def count(self, text: str) -> int:
        words = len(text.split())
        return words + words * (words - 1) // 4


class Erratic:
    """Not monotone: a longer text can have fewer tokens."""

    def count(self, text: str) -> int:
        return len(text.split()) * (1 + len(text) % 3)


class Greedy:
    """Finds a token even in the empty string, so nothing ever fits a budget of 0."""

    def count(self, text: str) -> int:
        return 1 + len(text) // 4


@dataclass
class Recording:
    """Counts with another counter and remembers how often it was asked."""

    inner: TokenCounter
    calls: int = field(default=0)

    def count(self, text: str) -> int:
        self.calls += 1
        return self.inner.count(text)


def all_counters() -> list[TokenCounter]:
    return [Words(), Characters(), Bytes(), SuperAdditive(), Erratic(), Greedy(), get_tokenizer()]
