"""A whole run: with a judge over HTTP and without one, twice the same, and resumed."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from knowing_judge import KnowingReader
from rich.console import Console
from typer.testing import CliRunner

from compression_subnet.benchmark import run as run_module
from compression_subnet.benchmark.assess import standing_answers
from compression_subnet.benchmark.records import Fate
from compression_subnet.benchmark.results import BenchmarkResult, Mode, read_result, write_result
from compression_subnet.benchmark.run import CHALLENGES, REPLIES, BenchmarkPlan, run_benchmark
from compression_subnet.benchmark.settings import BenchmarkSettings
from compression_subnet.challenge.corpus import BuiltinCorpus
from compression_subnet.challenge.files import read_challenges
from compression_subnet.challenge.types import Question, Span
from compression_subnet.cli import app
from compression_subnet.errors import ConfigurationError, InputError
from compression_subnet.judge.server import READER_MODEL, create_app
from compression_subnet.judge.serving import running
from compression_subnet.scoring import LEVELS, aggregate

QUIET = Console(quiet=True)
PLAN = BenchmarkPlan(("truncation", "benchmark_compressors:Counting"), LEVELS, 8, 3, proxy=True)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    monkeypatch.setenv("COUNTING_FILE", str(tmp_path / "counted"))


@pytest.fixture
def reader() -> KnowingReader:
    return KnowingReader(BuiltinCorpus().articles())


@pytest.fixture
async def settings(reader: KnowingReader) -> AsyncIterator[BenchmarkSettings]:
    async with running(create_app(reader)) as url:  # type: ignore[arg-type]
        yield BenchmarkSettings.model_validate(
            {"judge": {"base_url": url, "model": READER_MODEL}, "challenge": {"source": "builtin"}}
        )


async def proxy_run(folder: Path | None, plan: BenchmarkPlan = PLAN) -> BenchmarkResult:
    return await run_benchmark(
        plan, BenchmarkSettings.model_validate({"challenge": {"source": "builtin"}}), {}, folder, QUIET
    )


async def test_without_a_judge_scores_are_the_proxys_and_nothing_is_left_behind(tmp_path: Path) -> None:
    result = await proxy_run(None)
    assert (result.mode, result.correlation, result.unscored) == (Mode.PROXY, None, 0)
    # The same text under two names: nothing between them, and no doubt about it.
    first, second = result.summaries
    assert second.difference is not None
    assert (second.difference.mean, second.difference.low, second.difference.high) == (0.0, 0.0, 0.0)
    assert first.score.mean == result.controls.baseline == first.proxy.mean
    for reply in result.replies:
        challenge = next(c for c in result.challenges if c.id == reply.challenge_id)
        questions = [Question(q.text, q.gold, Span(*q.evidence), q.kind) for q in challenge.questions]
        stands = standing_answers(reply.text or "", questions)
        assert [a.stands for a in reply.answers] == list(stands)
        assert reply.score == sum(stands) / len(stands)
        # Truncation keeps one range, from the start.
        assert [start for start, _ in reply.kept] == [0]
        assert 0 < reply.tokens <= challenge.budget_tokens == challenge.n_tokens * challenge.level // 100
    assert [c.level for c in result.challenges].count(20) == 4
    assert not (tmp_path / "replies.journal").exists()


async def test_the_same_seed_asks_the_same_and_another_one_does_not(tmp_path: Path) -> None:
    plan = replace(PLAN, compressors=("truncation",))
    one, two, other = [await proxy_run(None, replace(plan, seed=seed)) for seed in (3, 3, 4)]
    assert one.challenges == two.challenges
    assert [c.text for c in one.challenges] != [c.text for c in other.challenges]


async def test_a_broken_off_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = await proxy_run(tmp_path / "whole")
    counted = tmp_path / "counted"
    counted.unlink()
    left = [4]

    async def broken(*args, **kwargs):
        def asked() -> None:
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt

        return await run_module_ask(*args[:-1], asked, **kwargs)

    run_module_ask = run_module.ask_compressors
    plan = replace(PLAN, compressors=PLAN.compressors[::-1])
    with monkeypatch.context() as patch:
        patch.setattr(run_module, "ask_compressors", broken)
        with pytest.raises(KeyboardInterrupt):
            await proxy_run(tmp_path / "broken", plan)
    assert counted.read_text().count("text") == 5
    resumed = await proxy_run(tmp_path / "broken", plan)
    assert counted.read_text().count("text") == 8
    assert [s.score for s in resumed.summaries] == [s.score for s in whole.summaries][::-1]
    assert not (tmp_path / "broken" / "replies.journal").exists()


async def test_with_a_judge_scores_are_a_validators_and_those_of_the_score_command(
    settings: BenchmarkSettings, reader: KnowingReader, tmp_path: Path
) -> None:
    plan = BenchmarkPlan(("truncation", "whole"), LEVELS, 6, 1, proxy=False)
    result = await run_benchmark(plan, settings, {}, tmp_path, QUIET)
    truncation, whole = result.summaries
    assert result.controls.ceiling == 1.0
    assert result.controls.floor == 0.0
    assert truncation.score.mean == pytest.approx(result.controls.baseline)
    assert truncation.score.mean == pytest.approx(
        aggregate({level: e.mean or 0.0 for level, e in truncation.levels.items()})
    )
    assert (whole.score.mean, whole.compliant, whole.fates) == (0.0, 0, {"refused": truncation.replies * 5})
    assert set(whole.reasons) == {"too_long"}
    # This judge finds whatever stands.
    assert result.correlation is not None
    assert result.correlation.questions == pytest.approx(1.0)
    assert {a.fate for r in result.replies if r.reason == "ok" for a in r.answers} == {Fate.FOUND, Fate.DROPPED}
    # From its files alone.
    command = ["score", "--challenges", str(tmp_path / CHALLENGES), "--replies", str(tmp_path / REPLIES), "--json"]
    asked = len(reader.asked)
    again = await run_benchmark(plan, settings, {}, tmp_path, QUIET)
    assert len(reader.asked) == asked, "answers that are known are not asked again"
    assert [s.score for s in again.summaries] == [s.score for s in result.summaries]
    scored = await asyncio.to_thread(_score, command, settings.judge.base_url)
    assert scored["miners"]["truncation"]["score"] == pytest.approx(truncation.score.mean)
    assert scored["miners"]["whole"]["score"] == 0.0


async def test_challenges_are_filtered_by_the_judge(
    settings: BenchmarkSettings, reader: KnowingReader, tmp_path: Path
) -> None:
    plan = BenchmarkPlan(("truncation",), LEVELS, 3, 1, proxy=False)
    known = {q for q in reader.gold if "Who" in q}
    for question in known:
        reader.gold[question] = ("never said anywhere",)
    result = await run_benchmark(plan, settings, {}, tmp_path, QUIET)
    asked = {q.text for c in result.challenges for q in c.questions}
    assert asked and not asked & known
    assert [c.id for _, c in read_challenges(tmp_path / CHALLENGES)] == [c.id for c in result.challenges]
    reader.gold.clear()
    shutil.rmtree(tmp_path)
    with pytest.raises(InputError, match="use another corpus, a stronger judge"):
        await run_benchmark(plan, settings, {}, tmp_path, QUIET)


async def test_a_result_survives_its_file(tmp_path: Path) -> None:
    plan = replace(PLAN, compressors=("flaky", "benchmark_compressors:Troubled"), challenges=3)
    result = await proxy_run(None, plan)
    strange = replace(result.replies[0], text="\ud800 <script>", detail="\x00")
    result = replace(result, replies=(strange, *result.replies[1:]))
    write_result(tmp_path / "r.json", result)
    assert read_result(tmp_path / "r.json") == result
    (tmp_path / "r.json").write_text(json.dumps({"version": "1"}))
    with pytest.raises(ConfigurationError, match="no benchmark of this release"):
        read_result(tmp_path / "r.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"compressors": ()}, "at least one"),
        ({"compressors": ("a", "a")}, "each once"),
        ({"challenges": 2}, "too few for the levels"),
    ],
)
def test_a_plan_that_cannot_work_is_refused(change: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        replace(PLAN, **change)  # type: ignore[arg-type]


def _score(command: list[str], url: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, [*command, "--judge.base-url", url, "--judge.model", READER_MODEL])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found
