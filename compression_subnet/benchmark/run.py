"""A run of the benchmark: challenges, replies, judgement, result. It goes on where it was broken off."""

import contextlib
import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.console import Console

from compression_subnet import __version__
from compression_subnet.benchmark.assess import asked_challenge, reply_record
from compression_subnet.benchmark.challenges import assigned, builder_of, check_count, drawn, filtered
from compression_subnet.benchmark.journal import ReplyJournal
from compression_subnet.benchmark.progress import Steps, progress_bar
from compression_subnet.benchmark.replies import Replies, ask_compressors, outcome_of
from compression_subnet.benchmark.results import BenchmarkResult, Mode
from compression_subnet.benchmark.settings import BenchmarkSettings, changed_flags
from compression_subnet.benchmark.summary import control_means, correlation, summarise
from compression_subnet.challenge.files import write_challenges
from compression_subnet.errors import ConfigurationError
from compression_subnet.judge.cache import AnswerCache, JournaledAnswerer
from compression_subnet.judge.setup import open_judge, prices_of, profile_of
from compression_subnet.judge.types import Answer, Answerer, AnswerStatus, Usage
from compression_subnet.text import Tokenizer, get_tokenizer
from compression_subnet.validator.offline import score_all
from compression_subnet.validator.rounds.judging import Judges
from compression_subnet.validator.rounds.results import Assignment, ChallengeResult
from compression_subnet.validator.rounds.round import round_result

__all__ = ["CHALLENGES", "REPLIES", "BenchmarkPlan", "run_benchmark"]

CHALLENGES: Final = "challenges.jsonl"
REPLIES: Final = "replies.jsonl"
"""Files of the run's challenges and replies, which ``compression-subnet score`` reads too."""
_ANSWERS: Final = "answers.sqlite"
_JOURNAL: Final = "replies.journal"
_LOGS: Final = "logs"


class Unread:
    """Stands for the judge where none is wanted: the verdicts of a round are, and its answers are not."""

    async def answer(self, text: str, questions: Sequence[str]) -> list[Answer]:
        """Return no answer to every question."""
        return [Answer(AnswerStatus.ANSWERED) for _ in questions]


@dataclass(frozen=True, slots=True)
class BenchmarkPlan:
    """What a run does, beside its settings.

    Attributes:
        compressors: their names, each once; the others are compared with the first.
        levels: in per cent, each once.
        challenges: how many, over all levels.
        seed: same seed, same challenges.
        proxy: whether to do without a judge.

    Raises:
        ConfigurationError: there is no compressor, one is named twice, or a level would have no challenge.
        InputError: the levels are none, repeated or no per cents.
    """

    compressors: tuple[str, ...]
    levels: tuple[int, ...]
    challenges: int
    seed: int
    proxy: bool

    def __post_init__(self) -> None:
        if not self.compressors or len(set(self.compressors)) < len(self.compressors):
            raise ConfigurationError("name at least one --compressor, and each once")
        check_count(self.challenges, self.levels)


async def run_benchmark(
    plan: BenchmarkPlan, settings: BenchmarkSettings, environ: Mapping[str, str], folder: Path | None, console: Console
) -> BenchmarkResult:
    """Run the benchmark.

    Args:
        plan: what to do.
        settings: challenges, judge and deadline.
        environ: where the judge's key may be.
        folder: where challenges, replies, logs and the journals are kept; without, nothing is, and a run that is
            broken off starts again.
        console: where progress is shown.

    Raises:
        ConfigurationError: a setting is unusable, or the folder cannot be written.
        CompressorError: a compressor cannot be found, or fails on a first, short text.
        InputError: the judge does not suit the corpus.
        ProviderFault: the judge failed while it filtered questions.
    """
    tokenizer = get_tokenizer()
    async with contextlib.AsyncExitStack() as stack:
        kept = stack.enter_context(_folder(folder))
        journal = stack.enter_context(ReplyJournal(kept / _JOURNAL))
        judge: Answerer = Unread()
        answers = None
        if not plan.proxy:
            profile = profile_of(settings.judge, tokenizer).sha256
            answers = stack.enter_context(AnswerCache(kept / _ANSWERS))
            answerer = await stack.enter_async_context(open_judge(settings.judge, environ))
            judge = JournaledAnswerer(answerer, answers, profile)
        steps = Steps(stack.enter_context(progress_bar(console)), plan.challenges, len(plan.compressors))
        builder = builder_of(settings.challenge, tokenizer, plan.seed)
        if plan.proxy:
            challenges = drawn(builder, plan.challenges, steps.made)
        else:
            challenges = await filtered(builder, judge, plan.challenges, settings.challenge, steps.made)
        assignments = assigned(challenges, plan.levels, plan.seed)
        replies = await _replies(plan, settings, assignments, tokenizer, journal, kept, steps.asked)
        work = [
            (a, {name: outcome_of(replies[name][a.challenge.id], a.challenge.text) for name in plan.compressors})
            for a in assignments
        ]
        scored = await score_all(work, Judges(controls=judge, replies=judge), tokenizer, steps.judged)
        spent = answers.spent() if answers is not None else Usage()
        result = _result(plan, settings, scored, replies, tokenizer, prices_of(settings.judge).cost(spent))
        # Complete: another run, of compressors that may have changed, asks them anew.
        journal.remove()
    return result


def _result(
    plan: BenchmarkPlan,
    settings: BenchmarkSettings,
    scored: Sequence[ChallengeResult],
    replies: Replies,
    tokenizer: Tokenizer,
    cost: float,
) -> BenchmarkResult:
    asked = tuple(asked_challenge(r.assignment, r.controls, plan.proxy) for r in scored)
    records = tuple(
        reply_record(
            r.assignment.challenge, replies[m.hotkey][r.assignment.challenge.id], m, r.controls, proxy=plan.proxy
        )
        for r in scored
        for m in r.miners
    )
    void = None if plan.proxy else round_result(scored).void
    return BenchmarkResult(
        version=__version__,
        mode=Mode.PROXY if plan.proxy else Mode.JUDGE,
        model="" if plan.proxy else settings.judge.model,
        profile="" if plan.proxy else profile_of(settings.judge, tokenizer).sha256,
        data=settings.challenge.source,
        seed=plan.seed,
        levels=plan.levels,
        deadline=settings.dendrite.timeout,
        flags=changed_flags(settings.challenge),
        cost=cost,
        void=None if void is None else void.value,
        unscored=sum(record.score is None for record in records),
        controls=control_means(asked),
        correlation=None if plan.proxy else correlation(records),
        challenges=asked,
        summaries=summarise(plan.compressors, asked, records),
        replies=records,
    )


async def _replies(
    plan: BenchmarkPlan,
    settings: BenchmarkSettings,
    assignments: Sequence[Assignment],
    tokenizer: Tokenizer,
    journal: ReplyJournal,
    folder: Path,
    asked: Callable[[], None],
) -> Replies:
    logs = folder / _LOGS
    logs.mkdir(exist_ok=True)
    write_challenges(folder / CHALLENGES, (a.challenge for a in assignments))
    deadline = settings.dendrite.timeout
    replies = await ask_compressors(plan.compressors, assignments, tokenizer, deadline, journal, logs, asked)
    lines = (
        {"challenge_id": a.challenge.id, "level": a.level, "compressed_text": reply.text, "miner": name}
        for a in assignments
        for name in plan.compressors
        for reply in (replies[name][a.challenge.id],)
    )
    (folder / REPLIES).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
    return replies


@contextlib.contextmanager
def _folder(folder: Path | None) -> Iterator[Path]:
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="benchmark-") as temporary:
            yield Path(temporary)
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"{folder} cannot be made ({error.strerror}); name another --out") from error
    yield folder
