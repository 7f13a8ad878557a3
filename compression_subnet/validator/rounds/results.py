"""What a round finds out, as values."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from compression_subnet.challenge.types import Challenge
from compression_subnet.judge.types import Answer, AnswerStatus
from compression_subnet.scoring import ChallengeScore, Compliance, challenge_score
from compression_subnet.scoring.controls import Void
from compression_subnet.transport.outcomes import Outcome

__all__ = [
    "Assignment",
    "ChallengeResult",
    "Controls",
    "Judged",
    "JudgedAnswer",
    "MinerResult",
    "Request",
    "RoundResult",
]


@dataclass(frozen=True, slots=True)
class Assignment:
    """A challenge, the one level at which it is asked, and whom it is put to.

    Attributes:
        challenge: what is asked.
        level: in per cent.
        asked: hotkeys of the miners that are asked; None is all.
    """

    challenge: Challenge
    level: int
    asked: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer and what it is worth: ``f1`` is 0 where the answer is not supported by the text it came from."""

    answer: Answer
    supported: bool
    f1: Fraction


@dataclass(frozen=True, slots=True)
class Judged:
    """All questions of one challenge, answered from one text."""

    answers: tuple[JudgedAnswer, ...]

    @property
    def settled(self) -> bool:
        """Whether no answer is missing by the provider's fault."""
        return all(a.answer.status is not AnswerStatus.PROVIDER_FAULT for a in self.answers)

    @property
    def score(self) -> Fraction:
        """F: the mean F1 over the questions."""
        return challenge_score(a.f1 for a in self.answers)


@dataclass(frozen=True, slots=True)
class Controls:
    """What the judge makes of the full text, of no text and of head truncation, and that truncation."""

    ceiling: Judged
    floor: Judged
    baseline: Judged
    baseline_text: str

    @property
    def settled(self) -> bool:
        """Whether all three are."""
        return self.ceiling.settled and self.floor.settled and self.baseline.settled


@dataclass(frozen=True, slots=True)
class MinerResult:
    """One miner's part in one challenge.

    Attributes:
        hotkey: whose.
        outcome: what came over the wire.
        compliance: the verdict on it.
        judged: the answers from it; None where it is not compliant, or where the controls were not settled.
    """

    hotkey: str
    outcome: Outcome
    compliance: Compliance
    judged: Judged | None

    @property
    def score(self) -> Fraction | None:
        """F, or None where the challenge is left unscored for this miner."""
        if not self.compliance.ok:
            return Fraction(0)
        return self.judged.score if self.judged is not None and self.judged.settled else None


@dataclass(frozen=True, slots=True)
class Request:
    """That a miner was asked a challenge.

    Attributes:
        hotkey: whose.
        uid: under which it was registered; None where that is not known.
        address: as the chain has it, ip and port with a blank between; empty where it has none, and was asked nothing.
        at: when the challenge began to be put to miners, in seconds since 1970.
        deadline: of the reply, in seconds from when the miner's turn came.
    """

    hotkey: str
    uid: int | None
    address: str
    at: float
    deadline: float


@dataclass(frozen=True, slots=True)
class ChallengeResult:
    """One challenge at one level, with a part for each miner that was asked it; one that was not has none."""

    assignment: Assignment
    controls: Controls
    miners: tuple[MinerResult, ...]
    requests: tuple[Request, ...] = ()

    def scores(self) -> Iterator[tuple[str, ChallengeScore]]:
        """Yield hotkey and score of every miner for whom this challenge counts; of none without controls."""
        if not self.controls.settled:
            return
        baseline = self.controls.baseline.score
        for miner in self.miners:
            if (score := miner.score) is not None:
                yield miner.hotkey, ChallengeScore(self.assignment.level, score, baseline)


@dataclass(frozen=True, slots=True)
class RoundResult:
    """All challenges of a round.

    Attributes:
        challenges: in the order in which they were finished.
        void: why the round moves nobody, or None.
        cut: how many challenges were not begun, for anybody, because they might not have fitted into the cost.
        cost: what the answers cost, at the operator's prices.
    """

    challenges: tuple[ChallengeResult, ...]
    void: Void | None
    cut: int = 0
    cost: float = 0.0
