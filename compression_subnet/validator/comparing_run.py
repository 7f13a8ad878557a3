"""A run that puts the same replies to two judges: resumable, with its progress shown."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from rich.console import Console

from compression_subnet.judge.agreement import QuestionAgreement, RankAgreement, question_agreement, rank_agreement
from compression_subnet.judge.cache import JournaledAnswerer
from compression_subnet.judge.cost import Prices
from compression_subnet.judge.models import open_model
from compression_subnet.judge.setup import profile_of
from compression_subnet.judge.types import Answerer, AnswerStatus, Usage
from compression_subnet.setting_groups import JudgeSettings
from compression_subnet.text import get_tokenizer
from compression_subnet.validator.offline import assign, load_challenges, load_replies, score_all
from compression_subnet.validator.rounds.judging import Judges
from compression_subnet.validator.rounds.results import ChallengeResult, MinerResult
from compression_subnet.validator.rounds.spending import usage_of
from compression_subnet.validator.scoring_run import open_journal, progress_bar

__all__ = ["Compared", "Comparison", "run_comparison"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One of the two judges.

    Attributes:
        model: as it was named.
        prices: of its tokens.
        api_key_file: file of its provider's key, if it wants one.
    """

    model: str
    prices: Prices
    api_key_file: Path | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What came of it.

    Attributes:
        models: A's and B's names.
        questions: agreement over the questions of compliant replies.
        ranks: agreement over miners.
        ceilings: mean F1 from the full texts, of A and of B: whether they are judges at all.
        usage: tokens that each spent in this run.
        costs: of those, at each one's prices.
        unsettled: questions that one of them left unanswered by its provider's fault.
    """

    models: tuple[str, str]
    questions: QuestionAgreement
    ranks: RankAgreement
    ceilings: tuple[float, float]
    usage: tuple[Usage, Usage]
    costs: tuple[float, float]
    unsettled: int


async def run_comparison(
    challenges: Path,
    replies: Path,
    a: Compared,
    b: Compared,
    settings: JudgeSettings,
    journal: Path,
    console: Console,
) -> Comparison:
    """Judge the replies of a file twice, and compare.

    Args:
        challenges: file of challenges.
        replies: file of replies to them; whose they are, where they name a miner.
        a: one judge.
        b: the other.
        settings: bounds on calls.
        journal: file of the answers so far; removed when both have settled everything.
        console: where progress is shown.

    Raises:
        ConfigurationError: a file or a setting is unusable; the message names the fix.
    """
    tokenizer = get_tokenizer()
    by_id = load_challenges(challenges, tokenizer)
    work = assign(by_id, load_replies(replies, by_id))
    profile = profile_of(settings, tokenizer).sha256
    found: list[list[ChallengeResult]] = []
    with open_journal(journal, console) as answers, progress_bar(console) as progress:
        for one in (a, b):
            task = progress.add_task(one.model, total=len(work))
            async with open_model(one.model, settings, one.api_key_file) as answerer:
                judge: Answerer = JournaledAnswerer(answerer, answers, f"{one.model} {profile}")
                found.append(
                    await score_all(
                        work,
                        Judges(controls=judge, replies=judge),
                        tokenizer,
                        lambda task=task: progress.advance(task),  # type: ignore[misc]
                    )
                )
    comparison = _compare(a, b, found[0], found[1])
    if not comparison.unsettled:
        journal.unlink(missing_ok=True)
    return comparison


def _compare(a: Compared, b: Compared, of_a: Sequence[ChallengeResult], of_b: Sequence[ChallengeResult]) -> Comparison:
    answers: list[tuple[str, str]] = []
    f1s: list[tuple[Fraction, Fraction]] = []
    scores: dict[str, dict[tuple[str, int], tuple[Fraction, Fraction]]] = {}
    unsettled = 0
    for left, right in zip(of_a, of_b, strict=True):
        unsettled += _unsettled(left, right)
        key = (left.assignment.challenge.id, left.assignment.level)
        for one, other in zip(left.miners, right.miners, strict=True):
            counted = left.controls.settled and right.controls.settled
            if counted and one.score is not None and other.score is not None:
                scores.setdefault(one.hotkey, {})[key] = (one.score, other.score)
            for x, y in _pairs(one, other):
                answers.append((x[0], y[0]))
                f1s.append((x[1], y[1]))
    usage = _usage(of_a), _usage(of_b)
    return Comparison(
        models=(a.model, b.model),
        questions=question_agreement(answers, f1s),
        ranks=rank_agreement(scores),
        ceilings=(_ceiling(of_a), _ceiling(of_b)),
        usage=usage,
        costs=(a.prices.cost(usage[0]), b.prices.cost(usage[1])),
        unsettled=unsettled,
    )


def _pairs(one: MinerResult, other: MinerResult) -> list[tuple[tuple[str, Fraction], tuple[str, Fraction]]]:
    """Return answer and F1 of both judges, of each question that both settled."""
    if one.judged is None or other.judged is None:
        return []
    return [
        ((x.answer.text, x.f1), (y.answer.text, y.f1))
        for x, y in zip(one.judged.answers, other.judged.answers, strict=True)
        if AnswerStatus.PROVIDER_FAULT not in (x.answer.status, y.answer.status)
    ]


def _unsettled(left: ChallengeResult, right: ChallengeResult) -> int:
    count = 0
    for one, other in zip(left.miners, right.miners, strict=True):
        if one.compliance.ok:
            count += len(left.assignment.challenge.questions) - len(_pairs(one, other))
    return count


def _ceiling(results: Sequence[ChallengeResult]) -> float:
    f1s = [a.f1 for r in results if r.controls.ceiling.settled for a in r.controls.ceiling.answers]
    return float(sum(f1s, Fraction(0)) / len(f1s)) if f1s else 0.0


def _usage(results: Sequence[ChallengeResult]) -> Usage:
    return sum(map(usage_of, results), Usage())
