"""What a miner gains by having the corpus on disk: python benchmarks/lookup.py [--challenges N] [--seed S].

The look-up miner knows every article and its public questions. It finds the sentences of a text that it holds, keeps
those that answer public questions first, then the others that it holds, and drops the rest as noise. It is set beside
the reference on the same texts, served in three ways: as they are, with names, places, dates and quantities replaced,
and from articles that the miner does not hold, as those that a model writes from a secret brief are.

The score is the proxy: a gold answer's normalised tokens stand contiguously in the compressed text.
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from rich.console import Console
from rich.table import Table

from compression_subnet.challenge import Article, BuiltinCorpus, Challenge, ChallengeBuilder, ChallengeSettings
from compression_subnet.challenge.noise import NoiseSettings
from compression_subnet.challenge.rewrite import SentenceIndex, rewrite_article
from compression_subnet.compressors.base import Compressor, TokenBudget
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.scoring import LEVELS, aggregate, budget_tokens, check_compliance, normalise
from compression_subnet.text import get_tokenizer
from compression_subnet.text.sentences import split_sentences

SETTINGS = ChallengeSettings(min_tokens=300, max_tokens=600, noise=NoiseSettings(share=(0.5, 0.5), clean=0.0))


@dataclass(frozen=True, slots=True)
class Held:
    """A sentence that the look-up miner has on disk, and whether it answers a public question."""

    article: str
    answers: bool


class LookupMiner:
    """Keeps what it recognises, answers to public questions first; the reference compresses where it knows nothing."""

    def __init__(self, articles: Iterable[Article]):
        sentences, self._held = [], []
        for article in articles:
            for start, end in split_sentences(article.text):
                sentences.append(article.text[start:end])
                answers = any(start < q.evidence.end and q.evidence.start < end for q in article.questions)
                self._held.append(Held(article.id, answers))
        self._index = SentenceIndex(sentences)
        self._fallback = LexicalCompressor()

    def compress(self, text: str, budget: TokenBudget) -> str:
        """Return the sentences that it recognises, in order, as far as the budget goes."""
        spans = split_sentences(text)
        found = [self._index.find(text[a:b]) for a, b in spans]
        known = [self._held[f[0]] if f is not None and f[1] >= 0.4 else None for f in found]
        named = [held.article for held in known if held is not None]
        if not named:
            return self._fallback.compress(text, budget)
        article = max(sorted(set(named)), key=named.count)
        own = [held is not None and held.article == article for held in known]
        ranks = [2 * mine + (held is not None and held.answers) for mine, held in zip(own, known, strict=True)]
        kept: set[int] = set()
        for rank in (3, 2):
            for i in (i for i, r in enumerate(ranks) if r == rank):
                trial = "".join(text[a:b] for j, (a, b) in enumerate(spans) if j in kept | {i}).strip()
                if budget.fits(trial):
                    kept.add(i)
        return "".join(text[a:b] for j, (a, b) in enumerate(spans) if j in kept).strip()


def found_share(challenge: Challenge, level: int, compressor: Compressor) -> float:
    """Return the share of questions of which a gold answer stands in the compressed text; 0 if not compliant."""
    tokenizer = get_tokenizer()
    budget = TokenBudget(budget_tokens(challenge.n_tokens, level), tokenizer)
    verdict = check_compliance(challenge.text, compressor.compress(challenge.text, budget), level, tokenizer)
    said = f" {' '.join(normalise(verdict.text))} "
    hits = [any(f" {' '.join(normalise(gold))} " in said for gold in q.gold) for q in challenge.questions]
    return fmean(hits) if verdict.ok else 0.0


def score(challenges: Sequence[Challenge], compressor: Compressor) -> float:
    """Return the weighted score over all levels, each challenge being asked at each."""
    return aggregate({level: fmean(found_share(c, level, compressor) for c in challenges) for level in LEVELS})


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--challenges", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    articles = list(BuiltinCorpus().articles())
    rewritten = [rewrite_article(a, random.Random(f"{args.seed}:{a.id}")).article for a in articles]
    half = len(articles) // 2
    served = {
        "as they are": (articles, articles),
        "names, places, dates, quantities replaced": (articles, rewritten),
        "texts that the miner does not hold": (articles[:half], articles[half:]),
    }
    table = Table("texts served", "look-up miner", "reference", "gain")
    for name, (held, texts) in served.items():
        builder = ChallengeBuilder(texts, get_tokenizer(), SETTINGS, random.Random(args.seed))
        challenges = [builder.build() for _ in range(args.challenges)]
        miner, reference = score(challenges, LookupMiner(held)), score(challenges, LexicalCompressor())
        table.add_row(name, f"{miner:.3f}", f"{reference:.3f}", f"{miner - reference:+.3f}")
    Console().print(table)


if __name__ == "__main__":
    main()
