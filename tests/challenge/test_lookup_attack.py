"""The attack that benchmarks/lookup.py measures: a miner with the corpus and its public questions on disk."""

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from compression_subnet.challenge import Article, BuiltinCorpus, Challenge, ChallengeBuilder
from compression_subnet.challenge.rewrite import rewrite_article
from compression_subnet.compressors.lexical import LexicalCompressor
from compression_subnet.text import get_tokenizer

ARTICLES = list(BuiltinCorpus().articles())[:12]


@pytest.fixture(scope="module")
def attack() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "lookup.py"
    spec = importlib.util.spec_from_file_location("lookup_benchmark", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def served(attack: ModuleType, articles: list[Article], count: int = 12) -> list[Challenge]:
    builder = ChallengeBuilder(articles, get_tokenizer(), attack.SETTINGS, random.Random(5))
    return [builder.build() for _ in range(count)]


def test_texts_served_as_they_are_pay_whoever_holds_them(attack: ModuleType) -> None:
    challenges = served(attack, ARTICLES)
    assert attack.score(challenges, attack.LookupMiner(ARTICLES)) > attack.score(challenges, LexicalCompressor()) + 0.1


def test_replaced_names_alone_still_pay(attack: ModuleType) -> None:
    """Why a network needs paraphrase or texts of its own: sentence skeletons are enough to recognise."""
    challenges = served(attack, [rewrite_article(a, random.Random(a.id)).article for a in ARTICLES])
    assert attack.score(challenges, attack.LookupMiner(ARTICLES)) > attack.score(challenges, LexicalCompressor())


def test_texts_that_nobody_has_pay_nothing(attack: ModuleType) -> None:
    challenges = served(attack, ARTICLES[6:])
    gain = attack.score(challenges, attack.LookupMiner(ARTICLES[:6])) - attack.score(challenges, LexicalCompressor())
    assert gain <= 0.02
