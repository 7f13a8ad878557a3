"""A run that scores a file of replies: resumable, with its progress shown."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from compression_subnet.errors import StoreError
from compression_subnet.judge.cache import AnswerCache, JournaledAnswerer
from compression_subnet.judge.setup import open_judge, prices_of, profile_of
from compression_subnet.judge.types import Answerer, Usage
from compression_subnet.setting_groups import JudgeSettings
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.offline import Reply, assign, load_challenges, load_replies, result_of, score_all
from compression_subnet.validator.rounds.judging import Judges
from compression_subnet.validator.rounds.results import ChallengeResult, RoundResult
from compression_subnet.validator.rounds.round import round_result

__all__ = ["ScoreRun", "open_journal", "progress_bar", "run_score"]

IN_MEMORY = Path(":memory:")


@dataclass(frozen=True, slots=True)
class ScoreRun:
    """What a run found out.

    Attributes:
        replies: as the file has them, in its order.
        result: the challenges at their levels, and whether a round of them would be void.
        model: the judge's name.
        profile: hash of what the scores depend on.
        usage: tokens that the settled answers cost, in this run and in those that it goes on from.
        cost: of that, at the prices that were given.
    """

    replies: tuple[Reply, ...]
    result: RoundResult
    model: str
    profile: str
    usage: Usage
    cost: float

    @property
    def by_assignment(self) -> dict[tuple[str, int], ChallengeResult]:
        """The results by challenge and level."""
        return {(r.assignment.challenge.id, r.assignment.level): r for r in self.result.challenges}

    @property
    def unscored(self) -> int:
        """How many replies the judge left unscored."""
        results = self.by_assignment
        return sum(not result_of(reply, results)[1] for reply in self.replies)


async def run_score(
    challenges: Path,
    replies: Path,
    settings: JudgeSettings,
    environ: Mapping[str, str],
    journal: Path,
    console: Console,
) -> ScoreRun:
    """Score the replies of a file.

    Args:
        challenges: file of challenges.
        replies: file of replies to them.
        settings: the judge; the embedded reader where they name no address.
        environ: where the key may be.
        journal: file of the answers so far; removed when everything is scored.
        console: where progress is shown.

    Raises:
        ConfigurationError: a file or a setting is unusable; the message names the fix.
    """
    if settings.max_cost is not None:
        console.print("judge.max_cost bounds a validator's rounds, and not this run")
    tokenizer = get_tokenizer()
    by_id = load_challenges(challenges, tokenizer)
    given = load_replies(replies, by_id)
    work = assign(by_id, given)
    profile = profile_of(settings, tokenizer).sha256
    with open_journal(journal, console) as answers:
        async with open_judge(settings, environ) as answerer:
            judge: Answerer = JournaledAnswerer(answerer, answers, profile)
            with progress_bar(console) as progress:
                task = progress.add_task("scoring", total=len(work))
                results = await score_all(
                    work, Judges(controls=judge, replies=judge), tokenizer, lambda: progress.advance(task)
                )
        usage = answers.spent()
    run = ScoreRun(tuple(given), round_result(results), settings.model, profile, usage, prices_of(settings).cost(usage))
    if not run.unscored:
        journal.unlink(missing_ok=True)
    return run


def open_journal(path: Path, console: Console) -> AnswerCache:
    """Open a run's journal; where that cannot be, say so, and keep the answers in memory alone."""
    try:
        return AnswerCache(path)
    except StoreError as error:
        console.print(f"this run cannot be resumed: {error}")
        return AnswerCache(IN_MEMORY)


def progress_bar(console: Console) -> Progress:
    """Return a bar with counts and the time that is left."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
