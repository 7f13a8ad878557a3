"""From a validator's settings to what makes its challenges: defaults, refusals, and the whole way with a writer."""

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from prepare_cases import TOKENIZER, ReadingJudge, able, article_of, long_article, provider, rows

from compression_subnet.challenge import Challenge, ChallengeStore, Recipe
from compression_subnet.errors import ConfigurationError
from compression_subnet.settings import ValidatorSettings, load_settings
from compression_subnet.validator.rounds import sourcing
from compression_subnet.validator.rounds.sourcing import is_reused, open_builder, plan_of, recipe_hash

LOCAL = ("--subtensor.network", "local")
ABLE = ("--judge.model", "able")
SMALL = ("--challenge.min-tokens", "150", "--challenge.max-tokens", "1200")


def wanted(*argv: str) -> ValidatorSettings:
    return load_settings(ValidatorSettings, ("--netuid", "1", *argv), "validator.py")


def write_corpus(path: Path, count: int, *, questions: bool = True) -> Path:
    lines = []
    for number in range(count):
        made = long_article(number)
        asked = [
            {"question": q.text, "gold": list(q.gold), "evidence": q.evidence.of(made.text), "kind": q.kind}
            for q in made.questions
            if questions and made.text.count(q.evidence.of(made.text)) == 1
        ]
        lines.append(json.dumps({"id": made.id, "title": made.title, "text": made.text, "questions": asked}))
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


async def challenges(settings: ValidatorSettings, path: Path, count: int, judge: Any = None) -> list[Challenge]:
    plan = plan_of(settings)
    recipe = Recipe(recipe_hash(settings.challenge, plan), "judge")
    async with contextlib.AsyncExitStack() as stack:
        pool = stack.enter_context(ChallengeStore(path, recipe, reuse=is_reused(settings.challenge, plan)))
        builder = await open_builder(
            settings, plan, TOKENIZER, random.SystemRandom(), pool, judge or ReadingJudge(), stack, {}
        )
        made = []
        for _ in range(count):
            one = builder.build(8)
            made.append(one if isinstance(one, Challenge) else await one)
        return made


@pytest.fixture
def writer(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A writer that can do whatever it is asked for."""
    providers: list[Any] = []

    def writer_of(*_: Any) -> Any:
        providers.append(provider(able))
        return providers[-1].model()

    monkeypatch.setattr(sourcing, "writer_of", writer_of)
    return providers


def test_on_a_network_texts_are_written_and_on_a_local_chain_built_in() -> None:
    assert plan_of(wanted(*ABLE)).is_written
    assert plan_of(wanted(*ABLE, "--subtensor.network", "test")).is_written
    local = wanted(*LOCAL)
    assert plan_of(local).source == "builtin"
    assert is_reused(local.challenge, plan_of(local))
    assert not is_reused(wanted(*ABLE).challenge, plan_of(wanted(*ABLE)))


async def test_on_a_local_chain_the_default_needs_no_writer(tmp_path: Path, writer: list[Any]) -> None:
    made = await challenges(wanted(*LOCAL), tmp_path / "pool.sqlite", 3)
    assert len(made) == 3 and not writer


@pytest.mark.parametrize("flags", [(), ("--challenge.near-misses", *LOCAL), ("--challenge.paraphrase", *LOCAL)])
def test_the_reader_cannot_write(flags: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match=r"embedded reader cannot write.*--writer\.base-url"):
        plan_of(wanted(*flags))


def test_public_texts_are_refused_on_a_network_unless_that_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="looks them up"):
        plan_of(wanted("--challenge.source", "builtin"))
    assert plan_of(wanted("--challenge.source", "builtin", "--challenge.allow-public")).source == "builtin"


def test_texts_that_are_prepared_are_not_reused() -> None:
    with pytest.raises(ConfigurationError, match=r"challenge\.reuse"):
        plan_of(wanted("--challenge.reuse"))


async def test_the_default_on_a_network_with_a_writer_is_texts_that_nobody_has(
    tmp_path: Path, writer: list[Any]
) -> None:
    flags = ("--challenge.min-tokens", "250", "--challenge.max-tokens", "900", "--challenge.near-misses")
    made = await challenges(wanted(*ABLE, *flags), tmp_path / "pool.sqlite", 5)
    assert {article_of(c).partition("-")[0] for c in made} == {"written"}
    assert all(250 <= TOKENIZER.count(c.base_text) <= 900 for c in made)
    kept = [json.loads(row[0]) for row in rows(tmp_path / "pool.sqlite", "SELECT provenance FROM articles")]
    assert all({"written", "near misses"} <= facts.keys() for facts in kept)


async def test_on_a_network_a_file_is_rewritten_paraphrased_and_asked_afresh(tmp_path: Path, writer: list[Any]) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 9)
    flags = (*ABLE, *SMALL, "--challenge.source", f"jsonl:{corpus}", "--challenge.rewrite", "--challenge.paraphrase")
    made = await challenges(wanted(*flags), tmp_path / "pool.sqlite", 8)
    assert len({article_of(c) for c in made}) == 8
    kept = [json.loads(row[0]) for row in rows(tmp_path / "pool.sqlite", "SELECT provenance FROM articles")]
    assert all(list(facts) == sorted(["dropped", "rewritten", "paraphrased", "questions"]) for facts in kept)


async def test_a_file_without_questions_has_them_written(tmp_path: Path, writer: list[Any]) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 9, questions=False)
    flags = (*LOCAL, *ABLE, *SMALL, "--challenge.source", f"jsonl:{corpus}")
    made = await challenges(wanted(*flags), tmp_path / "pool.sqlite", 3)
    assert all(c.questions for c in made)


async def test_a_file_without_questions_needs_more_than_the_reader(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 9, questions=False)
    with pytest.raises(ConfigurationError, match="cannot write"):
        await challenges(wanted(*LOCAL, *SMALL, "--challenge.source", f"jsonl:{corpus}"), tmp_path / "pool.sqlite", 1)


async def test_a_file_is_rewritten_without_any_writer(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 9)
    flags = (*LOCAL, *SMALL, "--challenge.source", f"jsonl:{corpus}", "--challenge.rewrite")
    made = await challenges(wanted(*flags), tmp_path / "pool.sqlite", 8)
    assert len({article_of(c) for c in made}) == 8


def test_the_recipe_is_of_what_is_done_and_not_of_how_it_was_named() -> None:
    def recipe(*argv: str) -> str:
        settings = wanted(*argv)
        return recipe_hash(settings.challenge, plan_of(settings))

    assert recipe(*LOCAL) == recipe(*LOCAL, "--challenge.source", "builtin") == recipe(*LOCAL, "--challenge.ready", "7")
    assert len({recipe(*LOCAL), recipe(*ABLE), recipe(*LOCAL, "--challenge.rewrite")}) == 3
