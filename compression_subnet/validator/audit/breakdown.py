"""One miner's part in the rounds of a record: figures alone, no text, question or answer."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from compression_subnet.errors import StoreError
from compression_subnet.scoring import Average, ChallengeScore, Standing

__all__ = ["Breakdown", "ChallengeLine", "LevelMean", "breakdown"]

_ROWS: Final = (
    "SELECT replies.hotkey, round, challenges.id, level, reason, tokens, budget, replies.score, controls.score,"
    " challenges.scored AND status = 'counted'"
    " FROM replies JOIN challenges ON challenges.id = replies.challenge JOIN rounds ON number = round"
    " JOIN controls ON controls.challenge = challenges.id AND kind = 'baseline' ORDER BY challenges.rowid"
)


@dataclass(frozen=True, slots=True)
class ChallengeLine:
    """What a miner got in one challenge.

    Attributes:
        round: its number.
        challenge: its id.
        level: in per cent.
        verdict: ``ok``, or why the reply was not read.
        tokens: of the reply; 0 where it was not counted.
        budget: of the challenge, in tokens.
        score: F; None where the challenge counts for nobody, or was left unscored for this miner.
        baseline: F of head truncation; likewise.
    """

    round: int
    challenge: str
    level: int
    verdict: str
    tokens: int
    budget: int
    score: Fraction | None
    baseline: Fraction | None


@dataclass(frozen=True, slots=True)
class LevelMean:
    """S(b) over the challenges of a breakdown.

    Attributes:
        count: challenges scored.
        mean: of F.
        stderr: its standard error; infinite with fewer than two.
    """

    count: int
    mean: float
    stderr: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """All of a miner's challenges in some rounds.

    Attributes:
        hotkey: the miner's.
        rounds: numbers of the rounds that it was asked in.
        lines: one a challenge, in the order in which they were finished.
        levels: by level in per cent.
        standing: over these challenges alone, each weighing the same.
        rank: 1 for the best score over the same rounds.
        miners: how many have one.
    """

    hotkey: str
    rounds: tuple[int, ...]
    lines: tuple[ChallengeLine, ...]
    levels: Mapping[int, LevelMean]
    standing: Standing
    rank: int
    miners: int

    @property
    def scored(self) -> int:
        """Challenges that count."""
        return sum(line.score is not None for line in self.lines)


def breakdown(db: sqlite3.Connection, hotkey: str, rounds: Collection[int] | None = None) -> Breakdown:
    """Return the part of ``hotkey`` in the rounds of a record.

    Args:
        db: the record.
        hotkey: the miner's.
        rounds: numbers of rounds; all where None.

    Raises:
        StoreError: it was asked nothing in these rounds.
    """
    lines: dict[str, list[ChallengeLine]] = {}
    for who, number, id, level, verdict, tokens, budget, score, baseline, counts in db.execute(_ROWS):
        if rounds is None or number in rounds:
            scored = bool(counts) and score is not None
            line = ChallengeLine(
                number,
                id,
                level,
                verdict,
                tokens,
                budget,
                Fraction(score) if scored else None,
                Fraction(baseline) if scored else None,
            )
            lines.setdefault(who, []).append(line)
    if hotkey not in lines:
        raise StoreError(f"{hotkey} was asked nothing in these rounds; {len(lines)} other hotkeys were")
    averages = {who: _average(asked) for who, asked in lines.items()}
    standings = {who: average.standing() for who, average in averages.items()}
    mine = averages[hotkey]
    return Breakdown(
        hotkey=hotkey,
        rounds=tuple(dict.fromkeys(line.round for line in lines[hotkey])),
        lines=tuple(lines[hotkey]),
        levels={level: LevelMean(tally.count, tally.mean, tally.stderr) for level, tally in mine.scores.items()},
        standing=standings[hotkey],
        rank=1 + sum(standing.score > standings[hotkey].score for standing in standings.values()),
        miners=len(standings),
    )


def _average(lines: Iterable[ChallengeLine]) -> Average:
    """Return the average of challenges that weigh the same, whatever their epoch."""
    scores = [
        ChallengeScore(line.level, line.score, line.baseline)
        for line in lines
        if line.score is not None and line.baseline is not None
    ]
    return Average.empty(0).update(0, scores, 1.0)
