"""What holds of every reply, and texts, scores and counters to try it on; shared with ``benchmarks``."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from compressor_counters import Bytes, Characters, Erratic, Greedy, SuperAdditive, Words
from hypothesis import strategies as st

from compression_subnet.compressors.base import TokenBudget
from compression_subnet.compressors.document import Document, parse
from compression_subnet.compressors.lexical import LexicalScorer
from compression_subnet.compressors.pipeline import compress_batch
from compression_subnet.compressors.scores import Scores
from compression_subnet.text.tokens import TokenCounter, get_tokenizer


class ChanceScorer:
    """Scores without rhyme or reason, so that any selection may come up; the same for the same text."""

    def score(self, documents: Sequence[Document]) -> list[Scores]:
        found = []
        for document in documents:
            chance = np.random.default_rng(zlib.crc32(document.text.encode("utf-8", "surrogatepass")))
            found.append(
                Scores(chance.random(len(document.borders) - 1).round(1), chance.random(len(document.words)).round(1))
            )
        return found


@dataclass(frozen=True, slots=True)
class LawCase:
    text: str
    share: int
    counter: TokenCounter
    chance: bool


PIECES = st.sampled_from(
    ["The ferry left.", "Mr. Lee", "KX-7714-Q", "not", "12,300", "5 km", "(so)", "他来了。", "\n\n", "राम आया।", "\t",
     "e\u0301", "“Yes!”", "- item", "never", "10.0.0.7:8080", "a", "of", "Oslo", "<|endoftext|>", "👍🏽", "…", "|x|",
     "x(y)z", "$", "-", "3", ".", ",", "'", "ครับ", "https://a.b/c?d=e", "U.S.", "½", "\u200d", "\u00a0", "ß", "—",
     "((", "))", "[1]", "#", "\x00", "\x85", "٣", "ﷺ", "🇩🇪"]
)  # fmt: skip
TEXTS = st.one_of(
    st.text(max_size=400),
    st.lists(PIECES, max_size=80).map(" ".join),
    st.lists(PIECES, max_size=80).map("".join),
    st.text(st.sampled_from("ab.,( )\n中'-9"), max_size=300),
    st.builds(lambda unit, times: (unit * (times // max(len(unit), 1)))[:50_000], st.text(max_size=12),
              st.sampled_from([100, 1_000, 5_000, 50_000])),
)  # fmt: skip
COUNTERS: list[TokenCounter] = [
    get_tokenizer("o200k_base"),
    get_tokenizer("cl100k_base"),
    SuperAdditive(),
    Characters(),
    Bytes(),
    Words(),
    Erratic(),
    Greedy(),
]
CASES = st.builds(LawCase, TEXTS, st.integers(0, 110), st.sampled_from(COUNTERS), st.booleans())


def check(case: LawCase) -> str:
    """Compress the text, and raise AssertionError where a law is broken; return the reply."""
    budget = TokenBudget(case.counter.count(case.text) * case.share // 100, case.counter)
    scorer = ChanceScorer() if case.chance else LexicalScorer()
    (reply,) = compress_batch(scorer, [(case.text, budget)])
    assert reply == "" or case.counter.count(reply) <= budget.tokens, "over budget"
    assert reply == reply.strip(), "white space at the ends"
    assert is_subsequence(reply, case.text), "an invented character"
    stripped = case.text.strip()
    if not stripped.startswith(reply):
        assert are_words_of(words(reply), words(stripped)) or is_made_of(reply, words(stripped)), "an invented word"
    return reply


def are_words_of(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether ``short`` are words of ``long`` in order; neighbours in ``long`` may make one word by themselves.

    So may "+" and "5", which are two words after a letter.
    """
    place = 0
    for word in short:
        while place < len(long):
            end = place
            rest = word
            while rest and end < len(long) and rest.startswith(long[end]):
                rest, end = rest[len(long[end]) :], end + 1
            if not rest:
                break
            place += 1
        else:
            return False
        place = end
    return True


def is_made_of(reply: str, long: Sequence[str]) -> bool:
    """Whether ``reply`` is some words of ``long``, in order, whatever words it has when it is read by itself.

    So is "-A.A." of "-" and "A.A.": by itself it begins with a sign. Slower: all ways to put it together are tried.
    """
    wanted = "".join(reply.split())
    ends = {0}
    for word in long:
        word = "".join(word.split())
        ends |= {end + len(word) for end in ends if wanted.startswith(word, end)}
    return len(wanted) in ends


def words(text: str) -> list[str]:
    return [word for word in parse(text).words if word]


def is_subsequence(short: Sequence[str], long: Sequence[str]) -> bool:
    rest = iter(long)
    return all(item in rest for item in short)
